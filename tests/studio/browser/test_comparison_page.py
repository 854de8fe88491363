"""The page of a comparison in a real browser: it sorts, filters, searches, explains, and is the same by its address."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.comparison import Compared, SegmentFacts, compare_outputs
from pfsm.metrics import get_metric
from pfsm.model.metric import Metric
from pfsm_studio.comparison.page import render_comparison
from tests.comparison_cases import OUTPUTS, REFERENCES, compared, facts
from tests.model_cases import model
from tests.studio.browser.axe import axe_faults
from tests.studio.browser.devtools import Browser
from tests.studio.browser.layout import layout_faults
from tests.studio.browser.test_training_report import RATIOS

# What is compared here is made up.
pytestmark = pytest.mark.filterwarnings("ignore::pfsm.errors.MismatchWarning")

SHOWN = "[...document.querySelectorAll('.row')].sort((p, q) => p.place - q.place).map((row) => Number(row.id.slice(4)))"
COUNT = "document.getElementById('count').textContent"
TITLE = "document.getElementById('panel-title').textContent"
OPEN = "document.getElementById('panel').open"


@pytest.fixture(scope="module")
def result() -> Compared:
    return compared(Metric(model(), 1), get_metric("wer"), get_metric("bleu"), known=facts())


@pytest.fixture(scope="module")
def page(result: Compared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("comparison") / "page.html"
    path.write_text(render_comparison(result, "A comparison"), encoding="utf-8", newline="\n")
    return path


@pytest.fixture
def show(browser: Browser, page: Path) -> Iterator[Any]:
    """Opens the page; at the end nothing may have gone wrong in it, and nothing been fetched."""

    def opened(where: str = "", width: int = 1280, dark: bool = False, phone: bool = False) -> Browser:
        browser.size(width, 900, dark, phone)
        browser.open(page.as_uri() + where)
        browser.frame()
        return browser

    yield opened
    browser.check()


def differences(result: Compared, a: int = 0, b: int = 1, metric: int = 0) -> np.ndarray:
    scores = result.results[metric].scores
    return scores[a] - scores[b]


def order(values: np.ndarray, *, descending: bool) -> list[int]:
    """Segment numbers by value; equal ones stay in the order of the file."""
    return (np.argsort(-values if descending else values, kind="stable") + 1).tolist()  # type: ignore[no-any-return]


def test_numbers_on_the_page_are_those_of_the_comparison(show: Any, result: Compared) -> None:
    browser = show()
    comparison = result.results[0].comparison
    for (_, _, score, _), system in zip(browser.cells("#systems-chart"), comparison.systems, strict=True):
        assert float(score) == pytest.approx(system.score, abs=5e-4)
    for row, pair in zip(browser.cells("#pairs-chart"), comparison.pairs, strict=True):
        _, _, difference, _, p, counts, preferred = row
        assert float(difference) == pytest.approx(pair.difference, abs=5e-4)
        # Ten documents: every exchange is counted, so that the page has no least p-value.
        assert float(p) == pytest.approx(pair.p_holm, abs=5e-5)
        assert counts == f"{pair.wins} / {pair.losses} / {pair.ties}"
        assert preferred == (pair.preferred or "no preference")


def test_rows_are_sorted(show: Any, result: Compared) -> None:
    browser = show()
    values = differences(result)
    shown = browser.evaluate(SHOWN)
    assert 5 < len(shown) < len(REFERENCES)
    assert shown == order(np.abs(values), descending=True)[: len(shown)]
    browser.fill("sort", "difference")
    assert browser.evaluate(SHOWN) == order(values, descending=False)[: len(shown)]
    browser.click("#direction")
    assert browser.evaluate(SHOWN) == order(values, descending=True)[: len(shown)]
    browser.fill("sort", "b")
    assert browser.evaluate(SHOWN) == order(result.results[0].scores[1], descending=False)[: len(shown)]


def test_rows_are_filtered_and_searched(show: Any, result: Compared) -> None:
    browser = show()
    values = differences(result)
    browser.fill("sort", "number")
    for field, value, wanted in (
        ("text", "OSLO", [k for k, line in enumerate(REFERENCES, 1) if "Oslo" in line]),
        ("low", "0.5", [k for k, one in enumerate(values, 1) if one >= 0.5]),
        ("high", "0.1", [k for k, one in enumerate(values, 1) if one <= 0.1]),
        ("better", "b", [k for k, one in enumerate(values, 1) if one < 0]),
        ("bucket", "1.2", list(range(17, 25))),
    ):
        browser.fill(field, value)
        shown = browser.evaluate(SHOWN)
        assert shown == wanted[: len(shown)], field
        assert bool(shown) == bool(wanted)
        assert browser.evaluate(COUNT) == f"{len(wanted)} of 40 segments"
        browser.fill(field, "")
    browser.fill("text", "no such words")
    assert browser.evaluate("!none.hidden && rows.hidden")
    browser.click("#clear")
    browser.wait(f"{COUNT} === '40 segments' && location.hash === ''")


def test_a_click_opens_both_systems_side_by_side(show: Any, result: Compared) -> None:
    browser = show("#sort=number")
    browser.click("#row-2")
    browser.frame()
    assert browser.evaluate(OPEN)
    assert browser.evaluate(TITLE) == "Segment 2"
    columns = browser.evaluate(
        "[...document.querySelectorAll('#panel .column')].map((one) => one.getBoundingClientRect().left)"
    )
    assert columns[0] < columns[1]
    words = browser.evaluate(
        "[...document.querySelectorAll('#panel .figure')].map((one) => [...one.querySelectorAll('[role=group]')].map("
        "(row) => [...row.querySelectorAll('.token')].map((token) => token.textContent).join(' ')))"
    )
    lines = list(OUTPUTS.values())
    assert words == [[REFERENCES[1], lines[0][1]], [REFERENCES[1], lines[1][1]]]
    marked = browser.evaluate(
        "[...document.querySelectorAll('#panel .column > .translation')].map((one) =>"
        " [...one.querySelectorAll('mark')].map((word) => word.textContent).join(' '))"
    )
    # `short.txt` has the first words of `good.txt`; nothing in it differs.
    assert marked == [" ".join(lines[0][1].split()[len(lines[1][1].split()) :]), ""]
    sums = [row[-1] for row in browser.cells("#panel .parts")]
    assert sum(map(float, sums)) == pytest.approx(differences(result)[1], abs=0.0005 * len(sums) + 1e-9)
    browser.point("#panel .token")
    assert "reference word 1" in browser.evaluate("document.getElementById('detail').textContent")
    assert browser.evaluate("document.getElementById('detail').matches(':popover-open')")
    browser.press("Escape")
    browser.wait(f"!{OPEN}")


def test_the_keyboard_leads_through_rows_and_segments(show: Any, result: Compared) -> None:
    browser = show("#sort=number")
    active = "document.getElementById('rows').getAttribute('aria-activedescendant')"
    browser.evaluate("document.getElementById('rows').focus()")
    for key, row in (("ArrowDown", 2), ("ArrowDown", 3), ("ArrowUp", 2), ("End", 40), ("Home", 1)):
        browser.press(key)
        assert browser.evaluate(active) == f"row-{row}"
    browser.press("End")
    seen = browser.evaluate(
        "(() => { const [box, row] = ['rows', 'row-40'].map((id) => document.getElementById(id))"
        ".map((one) => one.getBoundingClientRect());"
        " return row.top >= box.top && row.bottom <= box.bottom + 1; })()"
    )
    assert seen
    for key, number in (("Enter", 40), ("ArrowLeft", 39), ("ArrowRight", 40)):
        browser.press(key)
        assert browser.evaluate(TITLE) == f"Segment {number}"
    assert browser.evaluate("document.getElementById('after').disabled")
    browser.press("Tab")
    assert browser.evaluate("document.activeElement.closest('#panel') !== null")
    browser.press("Escape")
    browser.wait(f"!{OPEN}")
    assert browser.evaluate("document.activeElement.id") == "rows"


def test_the_address_holds_what_is_chosen(show: Any) -> None:
    browser = show()
    chosen = {"metric": "2", "a": "2", "text": "river & bird #1%", "sort": "length", "low": "-3.5"}
    for field, value in chosen.items():
        browser.fill(field, value)
    browser.click("#direction")
    address = browser.evaluate("location.hash")
    fields = "['metric', 'a', 'b', 'text', 'sort', 'low'].map((id) => document.getElementById(id).value)"
    direction = "document.getElementById('direction').textContent"
    before = [browser.evaluate(one) for one in (fields, direction, COUNT)]
    assert before[0] == ["2", "2", "1", "river & bird #1%", "length", "-3.5"]
    other = show(address)
    assert [other.evaluate(one) for one in (fields, direction, COUNT)] == before


def test_links_and_addresses_that_say_nonsense(show: Any) -> None:
    for address in (
        "#a=9&b=-1&metric=x&by=99&segment=41&low=x&order=odd",
        "#%E0%A4%A",
        "#bucket=9.9&edits=x.y",
    ):
        browser = show(address)
        assert browser.evaluate("document.getElementById('a').value !== document.getElementById('b').value")
        assert browser.evaluate(COUNT) == "40 segments"
        assert not browser.evaluate(OPEN)
    browser = show("#segment=23&a=1&b=2")
    assert browser.evaluate(TITLE) == "Segment 23"
    assert browser.texts("#panel .system bdi") == ["short.txt", "turned.txt"]
    browser.click("#close")
    browser.wait("location.hash === '#a=1&b=2'")
    assert not browser.evaluate(OPEN)


def test_a_bucket_and_a_kind_of_edit_choose_their_segments(show: Any) -> None:
    browser = show("#by=1&sort=number")
    before = [float(row[5]) for row in browser.cells("#buckets-chart")]
    browser.click("#swap")
    browser.frame()
    assert [float(row[5]) for row in browser.cells("#buckets-chart")] == [-one for one in before]
    browser.click("#swap")
    browser.frame()
    browser.evaluate("document.querySelectorAll('#buckets-chart .link')[3].click()")
    browser.frame()
    assert browser.evaluate(SHOWN)[0] == 25
    assert browser.evaluate(COUNT) == "8 of 40 segments"
    assert "bucket=1.3" in browser.evaluate("location.hash")
    browser.click("#clear")
    browser.evaluate("new Promise((done) => setTimeout(done, 100))")
    browser.evaluate(
        "[...document.querySelectorAll('#edits-chart .link')].find((one) => one.textContent === 'missing word').click()"
    )
    browser.frame()
    assert "edits=Delete.b" in browser.evaluate("location.hash")
    # `short.txt` loses words everywhere.
    assert browser.evaluate(COUNT) == "40 segments"


def test_where_metrics_disagree(show: Any, result: Compared) -> None:
    browser = show()
    *parts, total = [float(row[-1]) for row in browser.cells("#edits-chart") if row[-1]]
    assert total == pytest.approx(result.results[0].comparison.pairs[0].difference, abs=1e-3)
    assert sum(parts) == pytest.approx(total, abs=0.0005 * len(parts) + 1e-9)
    rows = browser.cells("#metrics-chart")
    own = differences(result)
    for (name, r, against, *_), metric in zip(rows, (1, 2), strict=True):
        other = differences(result, metric=metric)
        assert name == result.results[metric].metric.name
        assert float(r) == pytest.approx(np.corrcoef(own, other)[0, 1], abs=5.01e-4)
        assert int(against) == int((own * other < 0).sum())


def test_human_scores(show: Any, result: Compared) -> None:
    browser = show("#sort=wrong-a")
    human, scores = result.facts.human, result.results[0].scores
    x = np.concatenate([human["good.txt"], human["short.txt"]])
    y = np.concatenate([scores[0], scores[1]])
    judged = ~np.isnan(x)
    slope, intercept = np.polyfit(x[judged], y[judged], 1)
    wrong = np.abs(scores[0] - intercept - slope * human["good.txt"])
    shown = browser.evaluate(SHOWN)
    found = wrong[np.array(shown) - 1]
    assert not np.isnan(found).any()
    np.testing.assert_allclose(found, np.sort(wrong[~np.isnan(wrong)])[::-1][: len(shown)], atol=1e-9)


@pytest.mark.parametrize(
    ("width", "phone", "dark"), [(1280, False, False), (390, True, False), (390, True, True)]
)
def test_it_fits_the_window_and_can_be_read(show: Any, width: int, phone: bool, dark: bool) -> None:
    browser = show("#segment=8", width, dark, phone)
    assert browser.evaluate("document.documentElement.scrollWidth") == width
    assert browser.evaluate("document.getElementById('panel').scrollWidth <= innerWidth")
    ratios = browser.evaluate(RATIOS)
    assert len(ratios) > 150
    assert min(ratios) >= 4.5
    assert axe_faults(browser, colours=dark) == []


def test_three_thousand_segments_have_few_rows(browser: Browser, tmp_path: Path) -> None:
    references = [f"the number {k} is seen {'again ' * (k % 7)}." for k in range(3000)]
    outputs = {name: [line.replace(" is", name) for line in references] for name in ("", " was")}
    result = compare_outputs(outputs, [references], [get_metric("chrf")])
    path = tmp_path / "page.html"
    path.write_text(render_comparison(result, "Many"), encoding="utf-8", newline="\n")
    assert path.stat().st_size < 8_000_000
    browser.size(1280, 900)
    browser.open(path.as_uri() + "#sort=number")
    browser.frame()
    for place in (0, 1234, 2999):
        browser.evaluate(f"rows.scrollTop = {place} * rows.scrollHeight / 3000")
        browser.frame()
        browser.wait(f"document.getElementById('row-{place + 1}')")
        assert browser.count(".row") < 40
    browser.fill("text", "number 2718 ")
    assert browser.evaluate(SHOWN) == [2719]
    assert browser.count("*") < 3000
    browser.check()


AWKWARD: dict[str, tuple[dict[str, list[str]], list[list[str]], SegmentFacts | None]] = {
    "one segment": ({"a": ["x"], "b": ["y"]}, [["x"]], None),
    "nothing": ({"a": ["", ""], "b": ["", ""]}, [["", ""]], None),
    "one judged": (
        {"a": ["x", "y"], "b": ["y", "x"]},
        [["x", "y"]],
        SegmentFacts(human={"b": np.array([1.0, np.nan])}),
    ),
    "two references": ({"a": ["x y", "y"], "b": ["y", "x"]}, [["x", "y"], ["x y", "x"]], None),
    "right to left": ({"a": ["ذهب الولد", "y"], "b": ["الولد", "x"]}, [["ذهب الولد إلى", "y"]], None),
}


@pytest.mark.parametrize("case", list(AWKWARD))
def test_awkward_input(browser: Browser, tmp_path: Path, case: str) -> None:
    outputs, references, known = AWKWARD[case]
    metrics = [Metric(model(), 1), get_metric("wer")]
    path = tmp_path / "page.html"
    page = render_comparison(compare_outputs(outputs, references, metrics, facts=known), case)
    path.write_text(page, encoding="utf-8", newline="\n")
    browser.size(1280, 900)
    for metric in range(len(metrics)):
        browser.open(f"{path.as_uri()}#metric={metric}&segment=1")
        browser.frame()
        assert browser.evaluate(OPEN)
        shown = [outputs[name][0] for name in "ab" if outputs[name][0]]
        assert browser.texts("#panel .translation bdi")[:2] == shown
        said = " ".join(browser.texts("td, th, text, figcaption"))
        assert not [one for one in ("NaN", "undef") if one in said]
        browser.check()


def test_nothing_sticks_out_or_overlaps(show: Any) -> None:
    assert layout_faults(show()) == []
