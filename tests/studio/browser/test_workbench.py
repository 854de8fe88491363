"""The workbench of `pfsm serve` in a real browser: every flow, hostile text, many segments, narrow and dark windows."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pfsm
from tests.studio.browser.axe import axe_faults
from tests.studio.browser.devtools import Browser
from tests.studio.browser.layout import layout_faults
from tests.studio.serve.running import Running

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
    browser.check(f"http://127.0.0.1:{server.port}/", "blob:")


def opened(browser: Browser, server: Running, part: str = "", width: int = 1280, dark: bool = False) -> None:
    browser.size(width, 900, dark=dark, phone=width < 500)
    browser.open(f"http://127.0.0.1:{server.port}/{part}")
    browser.wait("document.body.dataset.ready")


def give(
    browser: Browser, references: list[str], *systems: list[str], human: list[float] | None = None
) -> None:
    browser.fill("references", "\n".join(references) + "\n", 0)
    for place, lines in enumerate(systems):
        if place:
            browser.click("#add-system")
        browser.fill(f"system-{place}", "\n".join(lines) + "\n", 0)
    if human is not None:
        browser.fill("human", "\n".join(map(str, human)), 0)


def scored(browser: Browser) -> None:
    browser.click("#score")
    browser.wait("document.querySelector('#status').textContent.includes('scored') || !problem.hidden")
    assert browser.evaluate("problem.textContent") == ""


def text_of(value: float) -> str:
    return f"{value:.4f}"


def test_two_systems_are_compared_sorted_and_explained(page: Browser) -> None:
    give(page, REFERENCES, FIRST, SECOND)
    scored(page)
    metric = pfsm.load(MODEL)
    one, two = metric.score_pairs(FIRST, REFERENCES), metric.score_pairs(SECOND, REFERENCES)
    assert [row[1] for row in page.cells("#summary")[:2]] == [text_of(one.mean()), text_of(two.mean())]
    page.evaluate(
        "[...document.querySelectorAll('#segments th button')].find((b) => b.textContent === 'Difference').click()"
    )
    order = np.argsort(one - two, kind="stable")
    assert [row[0] for row in page.cells("#segments")] == [str(k + 1) for k in order]
    assert page.count("#segments th[aria-sort=ascending]") == 1
    # With the keyboard: down, then Enter.
    page.evaluate("document.querySelector('#segments .rows').focus()")
    page.press("ArrowDown")
    page.press("Enter")
    page.wait("document.querySelectorAll('#explanations .figure').length === 2")
    assert page.texts("#explained h2") == [f"Segment {order[1] + 1} explained"]
    assert page.count("iframe") == 0
    found = page.evaluate(
        "[...document.querySelectorAll('#explanations .card')].map((card) => "
        "[...card.querySelectorAll('.token[aria-label^=hyp]')].map((token) => token.textContent).join(' '))"
    )
    assert found == [FIRST[order[1]], SECOND[order[1]]]
    # A word tells its edits when it is reached with the keyboard.
    page.evaluate("document.querySelector('#explanations .token[tabindex=\"0\"]').focus()")
    page.press("ArrowRight")
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "detail"
    page.press("Escape")
    assert layout_faults(page) == []


def test_files_are_taken_and_mistakes_are_said(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "ref.txt"
    path.write_text("\n".join(REFERENCES) + "\n", encoding="utf-8")
    uploaded(page, "input[data-for=references]", path)
    page.wait("references.value.includes('apples')")
    give(page, REFERENCES, FIRST[:2])
    page.click("#score")
    page.wait("!problem.hidden")
    assert page.evaluate("problem.textContent") == "system 1: 2 lines, but there are 3 references."
    assert page.evaluate("problem.getAttribute('role')") == "alert"


def test_the_laboratory(page: Browser, tmp_path: Path) -> None:
    give(page, REFERENCES, FIRST, human=(human := [0.9, 0.2, 0.6]))
    page.click("#tab-weights")
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
    changed = replace(model, weights={**model.weights, name: value})
    was, now = (
        metric.score_pairs(FIRST, REFERENCES) for metric in (pfsm.Metric(model), pfsm.Metric(changed))
    )
    assert not np.array_equal(was, now)
    wait_for(page, [[text_of(a), text_of(b)] for a, b in zip(was, now, strict=True)])
    r = [np.corrcoef(scores, human)[0, 1] for scores in (was, now)]
    assert page.cells("#lab-summary")[1][:3] == ["Pearson r with people", *map(text_of, r)]
    # Undo, another turn, reset.
    page.click("#undo")
    wait_for(page, [[text_of(a), text_of(a)] for a in was])
    assert page.evaluate("document.querySelector('#undo').disabled")
    page.evaluate(turn.replace("VALUE", str(before - 0.5)))
    page.click("#reset")
    wait_for(page, [[text_of(a), text_of(a)] for a in was])
    page.click("#undo")
    page.wait("document.querySelectorAll('.weight.changed').length === 1")


def wait_for(browser: Browser, scores: list[list[str]]) -> None:
    end = time.monotonic() + 60
    while (found := [row[1:3] for row in browser.cells("#lab-segments")]) != scores:
        assert time.monotonic() < end, (found, scores)
        time.sleep(0.05)


def test_hostile_text(page: Browser) -> None:
    give(page, HOSTILE, HOSTILE[::-1], HOSTILE)
    page.fill("system-0-name", "<b>bold</b>", 0)
    scored(page)
    assert page.count("main img, main script, main b") == 0
    assert [row[4] for row in page.cells("#segments")] == HOSTILE
    page.click("#segments tr[data-segment='1']")
    page.wait("document.querySelectorAll('#explanations .figure').length === 2")
    assert page.count("#explanations img, #explanations b, #explanations script") == 0


def test_tabs_with_the_keyboard(page: Browser) -> None:
    page.evaluate("document.querySelector('#tab-texts').focus()")
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-models"
    assert page.evaluate("[...document.querySelectorAll('[role=tabpanel]')].map((panel) => panel.hidden)") == [
        True, True, False,
    ]  # fmt: skip
    page.press("Home")
    assert page.evaluate("document.activeElement.id") == "tab-texts"
    assert MODEL in [row[0] for row in page.cells("#model-list")]


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (375, True)])
def test_every_part_is_readable_and_named(browser: Browser, server: Running, width: int, dark: bool) -> None:
    opened(browser, server, width=width, dark=dark)
    give(browser, REFERENCES, FIRST, SECOND, human=[0.9, 0.2, 0.6])
    scored(browser)
    for part in ("texts", "weights", "models"):
        browser.click(f"#tab-{part}")
        if part == "weights":
            browser.wait("document.querySelector('#lab-segments tr[data-segment]')")
        browser.frame()
        assert browser.evaluate("document.documentElement.scrollWidth") == width
        assert axe_faults(browser, colours=dark) == []
    browser.check(f"http://127.0.0.1:{server.port}/", "blob:")


def uploaded(browser: Browser, selector: str, path: Path) -> None:
    root = browser.call("DOM.getDocument")["root"]["nodeId"]
    node = browser.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
    browser.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])


def test_the_example_is_scored_and_nothing_sticks_out_or_overlaps(page: Browser) -> None:
    page.click("#example")
    page.wait("document.querySelector('#status').textContent.includes('scored') || !problem.hidden")
    assert page.evaluate("problem.textContent + String(welcome.hidden)") == "true"
    assert len(page.cells("#segments")) == 5
    assert layout_faults(page) == []
