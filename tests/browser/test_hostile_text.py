"""Every page that pfsm writes, full of text that means to run, in a real browser: nothing runs, nothing is fetched."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pfsm.model.explain.page import render_page
from pfsm_experiments import run_experiment
from tests.browser.devtools import Browser, NavigatedError
from tests.browser.hostile import PAYLOADS
from tests.experiments.experiment_cases import run_here, table, write_data, write_experiment
from tests.explanation_cases import explained

# Elements and attributes that no page of ours has, and how many scripts there are.
STRANGE = """
[
  document.querySelectorAll(
    'iframe, object, embed, base, form[action], link[href^="http"], meta[http-equiv="refresh"]'
  ).length,
  [...document.querySelectorAll('*')].filter((one) =>
    one.getAttributeNames().some((name) => name.startsWith('on')) ||
    /^\\s*(javascript|data:text|https?):/i.test(one.getAttribute('href') || one.getAttribute('src') || '')
  ).filter((one) => !one.closest('.sources')).length,
  String(window.canary), String(document.scripts.length)
]
"""
POLICY = (
    "document.querySelector('meta[http-equiv=\"Content-Security-Policy\"]').content",
    "default-src 'none'; img-src data:; style-src 'sha256-",
)


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    """Opens a page; at the end nothing may have gone wrong in it, the policy's refusals included."""

    def opening(text: str, scripts: int, name: str = "page.html") -> Browser:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8", newline="\n")
        browser.size(1280, 900)
        browser.open(path.as_uri())
        browser.frame()
        assert browser.evaluate(STRANGE) == [0, 0, "undefined", str(scripts)]
        return browser

    yield opening
    browser.check()


def test_explanations(opened: Any) -> None:
    pairs = [explained(one, f"{one} and {other}") for one, other in pairwise(PAYLOADS)]
    title, signature = " ".join(PAYLOADS), "|".join(PAYLOADS)
    for number in range(0, len(pairs), 12):
        systems = [(name, pairs[number : number + 12]) for name in PAYLOADS[number : number + 2]]
        page = opened(render_page(systems, title, signature), scripts=2)
        assert page.evaluate(POLICY[0]).startswith(POLICY[1])
        # Everything is drawn and looked at: each segment, each word.
        assert page.count(".card") > 0
        page.evaluate(
            "(async () => { for (const one of document.querySelectorAll('main *')) {"
            " for (const kind of ['mouseover', 'focus', 'click', 'pointerenter'])"
            " one.dispatchEvent(new Event(kind, {bubbles: true})); } })()"
        )
        page.frame()
        assert page.evaluate("String(window.canary)") == "undefined"


def names() -> list[str]:
    """Those that can be the name of a row, a line of text, and of which the font of the pictures has all letters."""
    return [name for name in PAYLOADS if name.isprintable() and "\uff1c" not in name]


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an experiment whose every name means to run."""
    folder = tmp_path_factory.mktemp("hostile")
    made = [{"name": name, "metric": ("length_ratio", "wer", "per")[k % 3]} for k, name in enumerate(names())]
    values = table(
        title=" ".join(names()),
        description="\n\n".join(names()),
        rows=made,
        versus=made[0]["name"],
        pictures="svg",
        contrasts=[[made[1]["name"], made[2]["name"]]],
    )
    config = write_experiment(folder, values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pfsm_experiments.run.run_tasks", run_here)
        run_experiment(config, write_data(folder / "data"), folder / "out")
    return folder / "out"


def test_pictures(browser: Browser, experiment: Path) -> None:
    pictures = sorted(experiment.rglob("*.svg"))
    assert pictures
    for path in pictures:
        browser.open(path.as_uri())
        assert browser.evaluate("String(window.canary)") == "undefined"
        assert browser.count("script, foreignObject, a, iframe") == 0
        browser.check()


def test_the_payloads_are_live(browser: Browser, tmp_path: Path) -> None:
    """In a page without a policy that pastes text as it is, more than half of them run or fetch: the test can fail."""
    live = 0
    for payload in PAYLOADS[:16]:
        path = tmp_path / "live.html"
        path.write_text(f"<meta charset=utf-8><title>x</title><body>{payload}", "utf-8", "surrogatepass")
        browser.open(path.as_uri())
        with suppress(NavigatedError):  # as some of them make it
            browser.frame()
            live += browser.evaluate("String(window.canary)") == "1"
    assert live >= 6
