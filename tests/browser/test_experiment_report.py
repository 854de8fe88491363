"""The report of an experiment in a real browser: it fits its window, sorts, shows its plots, and loads nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pfsm_experiments import run_experiment
from tests.browser.axe import axe_faults
from tests.browser.devtools import Browser
from tests.experiments.experiment_cases import run_here, table, write_data, write_experiment

ODD = '<b>odd</b> & "quoted" {{config}}'
NAMES = "[...document.querySelectorAll('table.sortable')[0].tBodies[0].rows].map((row) => row.cells[0].textContent)"
VALUES = "[...document.querySelectorAll('table.sortable')[0].tBodies[0].rows].map((row) => row.cells[%d].dataset.value)"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    made = [
        *table()["rows"][:2],
        {"name": ODD, "metric": "bleu"},
        {"name": "ratio", "metric": "length_ratio"},
        {"name": "untested", "train": {}, "train_data": "test/*.tsv"},
    ]
    pairs = [["pFSM", "chrF"], ["ratio", ODD]]
    values = table(title=f"Title {ODD}", description="One.\n\nTwo.", rows=made, contrasts=pairs)
    config = write_experiment(folder, values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pfsm_experiments.run.run_tasks", run_here)
        run_experiment(config, write_data(folder / "data"), folder / "out")
    return folder / "out" / "report.html"


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


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("width", "phone"), [(1280, False), (390, True)])
def test_it_fits_the_window_and_can_be_read(show: Any, width: int, phone: bool, dark: bool) -> None:
    browser = show(width, dark, phone)
    assert browser.evaluate("document.querySelectorAll('td:last-child .mark').length") > 0
    assert browser.evaluate("document.documentElement.scrollWidth") == width
    # Text against what is behind it, by the formula of WCAG 2: at least 4.5 for every kind of text.
    ratios = browser.evaluate("""
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
        const seen = "h1, h2, p, dt, dd, th, td, .interval, .mark, figcaption, li, pre, caption, button";
        return [...document.querySelectorAll(seen)].map((node) => {
          const [a, b] = [light(getComputedStyle(node).color), light(behind(node))].sort((x, y) => y - x);
          return (a + 0.05) / (b + 0.05);
        });
      })()
    """)
    assert len(ratios) > 60
    assert min(ratios) >= 4.5
    assert axe_faults(browser, colours=dark) == []


@pytest.mark.parametrize(("width", "phone"), [(1280, False), (390, True)])
def test_captions_stay_in_their_frames(show: Any, width: int, phone: bool) -> None:
    """Also where a table is wider than its frame, and when it has been scrolled to its end."""
    browser = show(width, False, phone)
    beyond = browser.evaluate("""
      [...document.querySelectorAll(".scroll")].filter((frame) => frame.querySelector("caption")).map((frame) => {
        frame.scrollLeft = frame.scrollWidth;
        const [text, box] = [frame.querySelector("caption span"), frame].map((one) => one.getBoundingClientRect());
        return [frame.scrollLeft, Math.max(text.right - box.right, box.left - text.left), text.width];
      })
    """)
    assert len(beyond) >= 4
    assert any(scrolled > 0 for scrolled, *_ in beyond) or not phone
    assert all(outside <= 0 and text > 50 for _, outside, text in beyond)


def test_plots_are_there_and_have_a_text_for_those_who_do_not_see_them(show: Any) -> None:
    browser = show()
    images = browser.evaluate(
        "[...document.images].map((image) => [image.complete, image.naturalWidth, image.alt, image.src.slice(0, 19)])"
    )
    assert (
        len(images) == 4
    )  # two charts of bars, predicted against human scores, the weights of the tested model
    for complete, width, alternative, source in images:
        assert complete
        assert width > 100
        assert len(alternative) > 10
        assert source == "data:image/svg+xml;"


def test_names_stand_as_they_are(show: Any) -> None:
    browser = show()
    assert browser.evaluate("document.title") == f"Title {ODD}"
    assert browser.evaluate(NAMES) == ["chrF", "pFSM", ODD, "ratio", "untested"]
    assert browser.evaluate("document.querySelector('main b')") is None
    assert browser.evaluate("document.querySelectorAll('header > p').length") == 2
    assert "not tested on made" in browser.evaluate("document.querySelector('.notes').textContent")


def test_a_click_sorts_and_the_third_brings_the_first_order_back(show: Any) -> None:
    browser = show()
    heading = "document.querySelectorAll('table.sortable')[0].tHead.rows[0].cells"
    before = browser.evaluate(NAMES)

    def click(column: int) -> str | None:
        browser.evaluate(f"{heading}[{column}].querySelector('button').click()")
        order: str | None = browser.evaluate(f"{heading}[{column}].getAttribute('aria-sort')")
        return order

    assert click(2) == "descending"
    values = browser.evaluate(VALUES % 2)
    assert values[-1] == ""  # what has no number
    assert [float(value) for value in values[:-1]] == sorted(map(float, values[:-1]), reverse=True)
    assert click(2) == "ascending"
    values = browser.evaluate(VALUES % 2)
    assert values[-1] == ""
    assert [float(value) for value in values[:-1]] == sorted(map(float, values[:-1]))
    assert click(0) == "ascending"
    assert browser.evaluate(f"{heading}[2].getAttribute('aria-sort')") is None
    assert browser.evaluate(NAMES) == [ODD, "chrF", "pFSM", "ratio", "untested"]
    assert click(0) == "descending"
    assert click(0) is None
    assert browser.evaluate(NAMES) == before


def test_the_keyboard_reaches_what_scrolls(show: Any) -> None:
    browser = show(390, phone=True)
    assert browser.evaluate(
        "[...document.querySelectorAll('.scroll')].every((box) => box.tabIndex === 0 && box.ariaLabel)"
    )
    assert browser.evaluate(
        "(() => { const box = document.querySelector('.scroll'); box.scrollLeft = 200;"
        "const name = box.querySelector('tbody th').getBoundingClientRect();"
        "return box.scrollLeft > 0 && name.left >= box.getBoundingClientRect().left; })()"
    )
