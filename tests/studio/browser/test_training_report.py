"""The report of a training in a real browser: it fits its window, draws, explains, and loads nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pfsm_training.report import write_report
from tests.studio.browser.axe import axe_faults
from tests.studio.browser.devtools import Browser
from tests.studio.browser.layout import layout_faults
from tests.training.report_cases import training_of

RATIOS = """
  (() => {
    const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = (colour) => numbers(colour).slice(0, 3).map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
      .reduce((sum, part, k) => sum + part * [0.2126, 0.7152, 0.0722][k], 0);
    const behind = (node) => {
      for (; node; node = node.parentElement) {
        const colour = getComputedStyle(node).backgroundColor;
        if ((numbers(colour)[3] ?? 1) > 0) return colour;
      }
      return "rgb(255, 255, 255)";
    };
    const seen = "h1, h2, h3, p, dt, dd, th, td, figcaption, caption, summary, svg text";
    return [...document.querySelectorAll(seen)].map((node) => {
      const style = getComputedStyle(node);
      const [a, b] = [light(node.closest("svg") ? style.fill : style.color), light(behind(node))].sort((x, y) => y - x);
      return (a + 0.05) / (b + 0.05);
    });
  })()
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("training") / "page.html"
    write_report(training_of("both", 40), path)
    return path


@pytest.fixture
def show(browser: Browser, page: Path) -> Iterator[Any]:
    """Opens the report; at the end nothing may have gone wrong in it, and nothing been fetched."""

    def opened(width: int = 1280, dark: bool = False, phone: bool = False) -> Browser:
        browser.size(width, 900, dark, phone)
        browser.open(page.as_uri())
        browser.frame()
        return browser

    yield opened
    browser.check()


@pytest.mark.parametrize(
    ("width", "phone", "dark"), [(1280, False, False), (390, True, False), (390, True, True)]
)
def test_it_fits_the_window_and_can_be_read(show: Any, width: int, phone: bool, dark: bool) -> None:
    browser = show(width, dark, phone)
    assert browser.evaluate("document.documentElement.scrollWidth") == width
    ratios = browser.evaluate(RATIOS)
    assert len(ratios) > 150
    assert min(ratios) >= 4.5
    assert axe_faults(browser, colours=dark) == []


def test_nothing_sticks_out_or_overlaps(show: Any) -> None:
    assert layout_faults(show()) == []


def test_the_worst_segments_are_drawn_and_tell_more(show: Any) -> None:
    browser = show()
    frames = browser.count("[data-explanation]")
    assert frames >= 10
    assert browser.count("[data-explanation] .figure") == frames
    heights = browser.evaluate("[...document.querySelectorAll('.figure')].map((one) => one.offsetHeight)")
    assert min(heights) > 50
    browser.point("[data-explanation] .token")
    assert not browser.evaluate("document.getElementById('detail').hidden")
    assert "reference word 1" in browser.evaluate("document.getElementById('detail').textContent")
    # The totals of the sums are the scores of the explanations in the page.
    drawn, told = browser.evaluate("""
      [[...document.querySelectorAll('[data-explanation] .sum .total .points')]
         .map((cell) => Number(cell.textContent.replace("−", "-"))),
       JSON.parse(document.getElementById('data').textContent).explanations[0].map((one) => one.score)]
    """)
    assert drawn == pytest.approx(told, rel=0.01, abs=0.01)
