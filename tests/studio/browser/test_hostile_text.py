"""Every page that pfsm writes, full of text that means to run, in a real browser: nothing runs, nothing is fetched."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.comparison import SegmentFacts, compare_outputs
from pfsm.evaluation import Interval
from pfsm.metrics import get_metric
from pfsm.model.metric import Metric
from pfsm_experiments.estimates import Column, Entry
from pfsm_experiments.report.pictures import bars, write_picture
from pfsm_experiments.report.tables import result_tables
from pfsm_studio.comparison.page import render_comparison
from pfsm_studio.explanation import render_page
from tests.explanation_cases import explained
from tests.model_cases import model
from tests.studio.browser.devtools import Browser
from tests.studio.browser.hostile import PAYLOADS

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

    def opening(text: str, where: str = "") -> Browser:
        path = tmp_path / "page.html"
        path.write_text(text, encoding="utf-8", newline="\n")
        browser.size(1280, 900)
        browser.open(path.as_uri() + where)
        browser.frame()
        # Everything that is drawn is looked at.
        browser.evaluate(
            "for (const one of document.querySelectorAll('main *, dialog *'))"
            " for (const kind of ['mouseover', 'focus', 'focusin', 'pointerenter', location.hash ? '' : 'click'])"
            " one.dispatchEvent(new Event(kind, {bubbles: true}))"
        )
        browser.frame()
        assert browser.evaluate(STRANGE) == [0, 0, "undefined", "2"]
        return browser

    yield opening
    browser.check()


def test_explanations(opened: Any) -> None:
    pairs = [explained(one, f"{one} and {other}") for one, other in pairwise(PAYLOADS)]
    title, signature = " ".join(PAYLOADS), "|".join(PAYLOADS)
    for number in range(0, len(pairs), 12):
        systems = [(name, pairs[number : number + 12]) for name in PAYLOADS[number : number + 2]]
        page = opened(render_page(systems, title, signature))
        assert page.evaluate(POLICY[0]).startswith(POLICY[1])
        assert page.count(".card") > 0


@pytest.mark.filterwarnings("ignore::pfsm.errors.MismatchWarning")
def test_comparisons(opened: Any) -> None:
    """Names of systems and documents, references, outputs and sources."""
    lines = list(PAYLOADS)
    outputs = {
        name: [f"{one} {other}" for one, other in pairwise([*lines[shift:], *lines[: shift + 1]])]
        for shift, name in enumerate(lines[:3])
    }
    known = SegmentFacts(lines[::-1], {"document": lines}, {lines[0]: np.arange(float(len(lines)))})
    result = compare_outputs(outputs, [lines], [Metric(model(), 1), get_metric("wer")], facts=known)
    text = render_comparison(result, " ".join(lines))
    for place in range(1, len(lines) + 1, 5):
        searched = "%3Cimg%20src%20onerror%3Dwindow.canary%3D1%3E" * (place == 1)
        page = opened(text, f"#by=1&segment={place}&text={searched}")
    assert page.texts("#a option") == lines[:3]


def test_pictures(browser: Browser, tmp_path: Path) -> None:
    """Names of rows, of a test set and of a group, of which the font of the pictures has all letters."""
    names = [name for name in PAYLOADS if name.isprintable() and "\uff1c" not in name]
    column = Column(names[0], names[1], 30)
    entries = [Entry(name, "pearson", column, 0.5, Interval(0.4, 0.6), (), None) for name in names]
    (shown,) = result_tables(entries)
    write_picture(tmp_path / "bars.svg", lambda: bars(shown))
    browser.open((tmp_path / "bars.svg").as_uri())
    assert browser.evaluate("String(window.canary)") == "undefined"
    assert browser.count("script, foreignObject, a, iframe") == 0
    browser.check()
