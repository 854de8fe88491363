"""The workbench of `pfsm serve` in a real browser: every flow, hostile text, many segments, narrow and dark windows."""

import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pfsm
from tests.browser.axe import axe_faults
from tests.browser.devtools import FAULTS, Browser
from tests.judgment_cases import rows, tsv
from tests.serve.running import Running

MODEL = "en-small"
REFERENCES = ["The cat sat on the mat .", "He bought 3 red apples .", "Prices rose by 5 % last year ."]
FIRST = ["The cat sat on a mat .", "He bought red apples .", "Last year , prices rose by 5 % ."]
SECOND = ["A cat sits .", "He sold 3 apples .", "Prices rose by 5 % last year ."]
HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "\u202e & \" ' {{x}} 😀"]


@pytest.fixture(scope="module")
def server(browser: Browser) -> Iterator[Running]:
    pytest.importorskip("starlette")
    with Running("--model", MODEL) as running:
        yield running


@pytest.fixture
def page(browser: Browser, server: Running) -> Iterator[Browser]:
    """The workbench in a wide window; at the end nothing has gone wrong in it, and nothing was fetched elsewhere."""
    opened(browser, server)
    yield browser
    check(browser, server)


def opened(browser: Browser, server: Running, part: str = "", width: int = 1280, dark: bool = False) -> None:
    browser.size(width, 900, dark=dark, phone=width < 500)
    browser.open(f"http://127.0.0.1:{server.port}/{part}")
    browser.wait("document.body.dataset.ready")


def check(browser: Browser, server: Running) -> None:
    assert [event for event in browser.events if event["method"] in FAULTS] == []
    own = (f"http://127.0.0.1:{server.port}/", "about:", "data:", "blob:")
    requests = [
        event["params"]["request"]["url"]
        for event in browser.events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in requests if not url.startswith(own)] == []


def fill(browser: Browser, field: str, value: str) -> None:
    browser.evaluate(
        f"(() => {{ const field = document.getElementById('{field}'); field.value = {json.dumps(value)};"
        "field.dispatchEvent(new Event('input', {bubbles: true}));"
        "field.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


def click(browser: Browser, selector: str) -> None:
    browser.evaluate(f"document.querySelector({json.dumps(selector)}).click()")


def key(browser: Browser, name: str, code: int) -> None:
    for kind in ("rawKeyDown", "char", "keyUp"):
        text = {"text": "\r"} if kind == "char" and name == "Enter" else {}
        if kind != "char" or text:
            browser.call(
                "Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, **text
            )
    browser.frame()


def give(
    browser: Browser, references: list[str], *systems: list[str], human: list[float] | None = None
) -> None:
    fill(browser, "references", "\n".join(references) + "\n")
    for place, lines in enumerate(systems):
        if place:
            click(browser, "#add-system")
        fill(browser, f"system-{place}", "\n".join(lines) + "\n")
    if human is not None:
        fill(browser, "human", "\n".join(map(str, human)))


def scored(browser: Browser) -> None:
    click(browser, "#score")
    browser.wait("document.querySelector('#status').textContent.includes('scored') || !problem.hidden")
    assert browser.evaluate("problem.textContent") == ""


def cells(browser: Browser, place: str) -> list[list[str]]:
    found: list[list[str]] = browser.evaluate(
        f"[...document.querySelectorAll('{place} tbody tr:not(.gap)')].map((row) => "
        "[...row.children].map((cell) => cell.textContent))"
    )
    return found


def text_of(value: float) -> str:
    return f"{value:.4f}".replace("-", "−")


def test_scores_of_one_system(page: Browser) -> None:
    give(page, REFERENCES, FIRST)
    scored(page)
    scores = pfsm.load(MODEL).score_pairs(FIRST, REFERENCES)
    assert cells(page, "#summary")[0][:2] == ["system 1", text_of(scores.mean())]
    assert [row[1] for row in cells(page, "#segments")] == list(map(text_of, scores))


def test_two_systems_are_compared_sorted_and_explained(page: Browser) -> None:
    give(page, REFERENCES, FIRST, SECOND)
    scored(page)
    metric = pfsm.load(MODEL)
    one, two = metric.score_pairs(FIRST, REFERENCES), metric.score_pairs(SECOND, REFERENCES)
    assert [row[1] for row in cells(page, "#summary")[:2]] == [text_of(one.mean()), text_of(two.mean())]
    page.evaluate(
        "[...document.querySelectorAll('#segments th button')].find((b) => b.textContent === 'Difference').click()"
    )
    order = np.argsort(one - two, kind="stable")
    assert [row[0] for row in cells(page, "#segments")] == [str(k + 1) for k in order]
    assert page.evaluate("document.querySelectorAll('#segments th[aria-sort=ascending]').length") == 1
    # With the keyboard: down, then Enter.
    page.evaluate("document.querySelector('#segments .rows').focus()")
    page.press("ArrowDown")
    key(page, "Enter", 13)
    page.wait("document.querySelectorAll('#explanations iframe').length === 2")
    assert page.evaluate("document.querySelector('#explanations h2').textContent").startswith(
        f"Segment {order[1] + 1},"
    )
    drawn = "document.querySelector('#explanations iframe').getAttribute('srcdoc')"
    assert page.evaluate(f"{drawn}.includes('<script>')")
    assert page.evaluate(f"""{drawn}.includes('"numbers":[{order[1] + 1}]')""")
    assert (
        page.evaluate("document.querySelector('#explanations iframe').getAttribute('sandbox')")
        == "allow-scripts"
    )


def test_an_explanation_is_drawn_in_its_frame(page: Browser) -> None:
    """The frame has no origin, so it is looked at from outside: its script must have run, or the policy is at fault."""
    give(page, REFERENCES, FIRST)
    scored(page)
    click(page, "#segments tr[data-segment='0']")
    page.wait("document.querySelector('#explanations iframe')")
    end = time.monotonic() + 60
    while not (frame := frame_text(page)).count("Matches"):
        assert time.monotonic() < end, frame
        time.sleep(0.1)
    assert "mat" in frame


def frame_text(browser: Browser) -> str:
    """What the frames of the page show; they have no origin, so each is a target of its own."""
    page, texts = browser._session, []
    for target in browser.call("Target.getTargets")["targetInfos"]:
        if target["type"] == "iframe":
            attached = browser.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
            browser._session = attached["sessionId"]
            try:
                texts.append(str(browser.evaluate("document.body?.innerText")))
            finally:
                browser._session = page
    return "\n".join(texts)


def test_mistakes_are_said(page: Browser) -> None:
    give(page, REFERENCES, FIRST[:2])
    click(page, "#score")
    page.wait("!problem.hidden")
    assert page.evaluate("problem.textContent") == "system 1: 2 lines, but there are 3 references."
    assert page.evaluate("problem.getAttribute('role')") == "alert"


def test_the_laboratory(page: Browser, tmp_path: Path) -> None:
    human = [0.9, 0.2, 0.6]
    give(page, REFERENCES, FIRST, human=human)
    click(page, "#tab-weights")
    page.wait("document.querySelectorAll('#lab-segments tr[data-segment]').length === 3")
    model = pfsm.load(MODEL).model
    groups = page.evaluate(
        "[...document.querySelectorAll('#weights details')].map((group) => "
        "[group.querySelector('h2').textContent, "
        "[...group.querySelectorAll('.weight')].map((row) => row.dataset.name)])"
    )
    names = [name for _, several in groups for name in several]
    assert sorted(names) == sorted(model.weights)
    assert [title for title, _ in groups] == ["States and features", "Transitions"]
    name = "S_word" if "S_word" in names else names[0]
    before = model.weights[name]
    turn = (
        f"(() => {{ const row = document.querySelector('.weight[data-name={json.dumps(name)}]');"
        "const slider = row.querySelector('input[type=range]'); slider.valueAsNumber = VALUE;"
        "slider.dispatchEvent(new Event('input', {bubbles: true}));"
        "slider.dispatchEvent(new Event('change', {bubbles: true})); return slider.valueAsNumber; })()"
    )
    value = page.evaluate(turn.replace("VALUE", str(before + 0.5)))
    changed = edited(model, name, value)
    was, now = (
        metric.score_pairs(FIRST, REFERENCES) for metric in (pfsm.Metric(model), pfsm.Metric(changed))
    )
    assert not np.array_equal(was, now)
    wait_for(page, [[text_of(a), text_of(b)] for a, b in zip(was, now, strict=True)])
    r = [np.corrcoef(scores, human)[0, 1] for scores in (was, now)]
    assert cells(page, "#lab-summary")[1][:3] == ["Pearson r with people", *map(text_of, r)]
    # Saved, the model gives the scores that were on screen.
    saved = page.evaluate(
        "fetch('/workbench/saved', {method: 'POST', headers: {'content-type': 'application/json'}, body: "
        f"JSON.stringify({{model: {json.dumps(MODEL)}, name: 'mine', weights: {{{json.dumps(name)}: {value!r}}}}})}})"
        ".then((response) => response.json())"
    )
    (tmp_path / "mine.json").write_text(json.dumps(saved), encoding="utf-8")
    assert pfsm.load(tmp_path / "mine.json").score_pairs(FIRST, REFERENCES).tolist() == now.tolist()
    assert saved["training"]["edited"]["weights"] == [name]
    assert "cross_validated" not in saved["training"]
    # Undo, another turn, reset.
    click(page, "#undo")
    wait_for(page, [[text_of(a), text_of(a)] for a in was])
    assert page.evaluate("document.querySelector('#undo').disabled")
    page.evaluate(turn.replace("VALUE", str(before - 0.5)))
    click(page, "#reset")
    wait_for(page, [[text_of(a), text_of(a)] for a in was])
    click(page, "#undo")
    page.wait("document.querySelectorAll('.weight.changed').length === 1")


def edited(model: pfsm.Model, name: str, value: float) -> pfsm.Model:
    return replace(model, weights={**model.weights, name: value})


def wait_for(browser: Browser, scores: list[list[str]]) -> None:
    end = time.monotonic() + 60
    while (found := [row[1:3] for row in cells(browser, "#lab-segments")]) != scores:
        assert time.monotonic() < end, (found, scores)
        time.sleep(0.05)


def test_hostile_text(page: Browser) -> None:
    give(page, HOSTILE, HOSTILE[::-1], HOSTILE)
    fill(page, "system-0-name", "<b>bold</b>")
    scored(page)
    assert page.evaluate("document.querySelectorAll('main img, main script, main b').length") == 0
    assert [row[4] for row in cells(page, "#segments")] == HOSTILE
    click(page, "#segments tr[data-segment='1']")
    page.wait("document.querySelectorAll('#explanations iframe').length === 2")
    page.frame()


def test_three_thousand_segments(page: Browser) -> None:
    references = [f"{REFERENCES[k % 3]} {k}" for k in range(3000)]
    hypotheses = [f"{FIRST[k % 3]} {k}" for k in range(3000)]
    give(page, references, hypotheses)
    scored(page)
    assert page.evaluate("document.querySelectorAll('#segments tr').length") < 80
    page.evaluate(
        "(() => { const view = document.querySelector('#segments .rows'); view.scrollTop = view.scrollHeight; })()"
    )
    page.wait("document.querySelector('#segments tr[data-segment=\"2999\"]')")
    click(page, "#tab-weights")
    page.wait("document.querySelectorAll('#lab-segments tr[data-segment]').length > 10")


def test_tabs_with_the_keyboard(page: Browser) -> None:
    page.evaluate("document.querySelector('#tab-texts').focus()")
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-training"
    assert page.evaluate("[...document.querySelectorAll('[role=tabpanel]')].map((panel) => panel.hidden)") == [
        True, True, False, True,
    ]  # fmt: skip
    page.press("End")
    assert page.evaluate("document.activeElement.id") == "tab-models"
    assert MODEL in [row[0] for row in cells(page, "#model-list")]


UNNAMED = """
[...document.querySelectorAll('button, input, select, textarea, iframe, [role=region], [role=tabpanel]')]
.filter((node) => {
  if (!node.checkVisibility()) return false;
  const labels = [...(node.labels ?? [])].map((label) => label.textContent.trim()).join('');
  const by = document.getElementById(node.getAttribute('aria-labelledby') ?? '')?.textContent;
  const own = node.tagName === 'BUTTON' ? node.textContent.trim() : '';
  return !(labels || by || own || node.getAttribute('aria-label') || node.title);
}).map((node) => node.outerHTML.slice(0, 100))
"""
# Text whose contrast with what is behind it is below 4.5 (WCAG 2, AA); and what overflows the window.
FAINT = """
(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const linear = (v) => (v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  const light = (c) => c.slice(0, 3).map((v) => linear(v / 255))
    .reduce((sum, v, k) => sum + v * [.2126, .7152, .0722][k], 0);
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !node.checkVisibility()) continue;
    if (node.closest(':disabled, script, noscript, option')) continue;
    let behind = node;
    while (behind && rgb(getComputedStyle(behind).backgroundColor)[3] < 255) behind = behind.parentElement;
    const back = light(rgb(getComputedStyle(behind ?? document.body).backgroundColor));
    const front = light(rgb(getComputedStyle(node).color));
    const ratio = (Math.max(back, front) + .05) / (Math.min(back, front) + .05);
    if (ratio < 4.5) found.push([walker.currentNode.data.trim().slice(0, 40), ratio]);
  }
  return found;
})()
"""


OVERFLOWING = """
document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
[...document.querySelectorAll('body *')].filter((node) => node.checkVisibility()
  && node.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((node) => `${node.tagName}#${node.id}.${node.className} ${node.getBoundingClientRect().right}`).slice(0, 8)
"""


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (375, True)])
def test_every_part_is_readable_and_named(browser: Browser, server: Running, width: int, dark: bool) -> None:
    opened(browser, server, width=width, dark=dark)
    give(browser, REFERENCES, FIRST, SECOND, human=[0.9, 0.2, 0.6])
    scored(browser)
    for part in ("texts", "weights", "training", "models"):
        click(browser, f"#tab-{part}")
        if part == "weights":
            browser.wait("document.querySelector('#lab-segments tr[data-segment]')")
        browser.frame()
        assert browser.evaluate(UNNAMED) == []
        assert browser.evaluate(FAINT) == []
        assert browser.evaluate(OVERFLOWING) == []
        assert axe_faults(browser, colours=dark) == []
    check(browser, server)


def uploaded(browser: Browser, selector: str, path: Path) -> None:
    root = browser.call("DOM.getDocument")["root"]["nodeId"]
    node = browser.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
    browser.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])


def test_files_are_taken(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "ref.txt"
    path.write_text("\n".join(REFERENCES) + "\n", encoding="utf-8")
    uploaded(page, "input[data-for=references]", path)
    page.wait("references.value.includes('apples')")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "judgments.tsv"
    path.write_text(tsv(rows(60)), encoding="utf-8")
    return path


def started(browser: Browser, table: Path, name: str) -> None:
    click(browser, "#tab-training")
    uploaded(browser, "#training-file", table)
    fill(browser, "training-name", name)
    click(browser, "#train")


def test_training(page: Browser, table: Path) -> None:
    pytest.importorskip("torch")
    started(page, table, "learned-here")
    for _ in range(3):  # a busy machine takes its time
        with contextlib.suppress(AssertionError):
            page.wait(
                "document.querySelector('#status').textContent.includes('is trained') || !problem.hidden"
            )
            break
    assert page.evaluate("problem.textContent") == ""
    assert page.evaluate("document.querySelector('#training-log').textContent")
    page.wait("document.querySelector('#training-report iframe')")
    assert "learned-here" in page.evaluate(
        "[...document.querySelectorAll('#model option')].map((one) => one.value)"
    )
    end = time.monotonic() + 60
    while "learned-here" not in frame_text(page):
        assert time.monotonic() < end, frame_text(page)
        time.sleep(0.1)
    fill(page, "model", "learned-here")
    click(page, "#tab-texts")
    give(page, REFERENCES, FIRST)
    scored(page)


def test_a_training_is_cancelled(page: Browser, table: Path) -> None:
    pytest.importorskip("torch")
    started(page, table, "never")
    page.wait("!document.querySelector('#cancel').disabled")
    click(page, "#cancel")
    page.wait("document.querySelector('#status').textContent.includes('cancelled')")
    assert "never" not in page.evaluate(
        "[...document.querySelectorAll('#model option')].map((one) => one.value)"
    )


def test_without_scripts_there_is_a_message(browser: Browser, server: Running) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(f"http://127.0.0.1:{server.port}/")
        assert browser.evaluate("document.querySelector('noscript p').checkVisibility()")
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
