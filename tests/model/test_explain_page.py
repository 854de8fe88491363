"""The page of explanations: self-contained, safely escaped, and true to the objects it was made from."""

import base64
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.comparison.page import SCRIPTS as COMPARISON
from pfsm.errors import PfsmError
from pfsm.model.explain.explanation import Contribution, Edit, Explanation, FeaturePoints
from pfsm.model.explain.page import FRAME_SCRIPTS, SCRIPTS, render_page
from tests.explanation_cases import explained, swapped
from tests.pages import Page, assert_self_contained

ROOT = Path(__file__).parents[2]
SIGNATURE = "nrefs:1|model:toy|version:0"
NASTY = (
    *("</script>", "<b>", "<!--<script>", "&amp;", "\"'", "\u2028", "{{data}}", "\ud800", "\\u003c"),
    *("مرحبا", "👩‍👩‍👧"),
)


def data_of(page: str) -> Any:
    return json.loads(Page(page).contents("script")[0])


def page_of(*systems: tuple[str, list[Explanation]]) -> str:
    return render_page(systems, "A page", SIGNATURE)


def rebuilt(data: Any, system: int) -> list[Explanation]:
    """The explanations of a system, from the JSON alone."""
    features = data["features"]
    explanations = []
    for raw in data["explanations"][system]:
        parts = contributions(data, raw)
        rows: list[Any] = raw["edits"]
        if isinstance(raw["edits"], str):
            rows = [number for (number,) in unpacked(raw["edits"], [width_of(max(len(parts) - 1, 0))])]
        edits = tuple(
            Edit(data["states"][row[0]], (row[1], row[2]), (row[3], row[4]), row[5] or None)
            if isinstance(row, list)
            else Edit(parts[row].state, parts[row].reference, parts[row].hypothesis)
            for row in rows
        )
        points = tuple(FeaturePoints(features[name], value, added) for name, value, added in raw["features"])
        texts = sentence(data, raw["reference"]), sentence(data, raw["hypothesis"])
        explanations.append(
            Explanation(*texts, raw["score"], edits, parts, raw["entropy"], raw["base"], points)
        )
    return explanations


def width_of(largest: int) -> int:
    """Number of digits to the base of 64."""
    return 1 if largest < 64 else 1 + width_of(largest // 64)


def unpacked(text: str, widths: list[int]) -> list[list[int]]:
    """Rows of numbers from digits, as `pfsm.model.explain.page` describes them."""
    rows = []
    while text:
        row = []
        for width in widths:
            # Four digits are three bytes in base64.
            row.append(int.from_bytes(base64.b64decode(text[:width].rjust(4, "A")), "big"))
            text = text[width:]
        rows.append(row)
    return rows


def sentence(data: Any, text: str) -> tuple[str, ...]:
    return tuple(data["words"][number] for (number,) in unpacked(text, [data["widths"]["word"]]))


def contributions(data: Any, raw: Any) -> tuple[Contribution, ...]:
    state, posterior, points = (data["widths"][name] for name in ("state", "posterior", "points"))
    width = width_of(max(len(sentence(data, raw[side])) for side in ("reference", "hypothesis")))
    return tuple(
        Contribution(
            *place(data["states"][row[0]], row[1:-2]),
            row[-2] / 10_000,
            round((row[-1] + data["least"]) * data["unit"], 9),
        )
        for places, text in zip((1, 2, 4), raw["contributions"], strict=True)
        for row in unpacked(text, [state, *[width] * places, posterior, points])
    )


def place(state: str, where: list[int]) -> tuple[str, tuple[int, int], tuple[int, int]]:
    """State and ranges of a row."""
    if len(where) == 4:
        return state, (where[0], where[1]), (where[2], where[3])
    if len(where) == 2:
        return state, (where[0], where[0] + 1), (where[1], where[1] + 1)
    token, none = (where[0], where[0] + 1), (0, 0)
    return (state, none, token) if state.startswith("Insert") else (state, token, none)


def in_order(explanations: list[Explanation]) -> list[Explanation]:
    """With contributions in the order of the page: those of one token, matched words, others."""

    def kind(part: Contribution) -> int:
        sizes = [last - first for first, last in (part.reference, part.hypothesis)]
        return 0 if sorted(sizes) == [0, 1] else 1 if sizes == [1, 1] else 2

    return [replace(one, contributions=tuple(sorted(one.contributions, key=kind))) for one in explanations]


FEATURES = (FeaturePoints("length", -0.5, 0.25), FeaturePoints("f", 1.25, -2.0))


def awkward() -> Explanation:
    """Every token could break a page that is careless with it."""
    edits = tuple(Edit("S_word", (k, k + 1), (k, k + 1)) for k in range(len(NASTY)))
    parts = tuple(Contribution("S_word", edit.reference, edit.hypothesis, 0.3333, 0.1) for edit in edits)
    return Explanation(NASTY, NASTY, 0.3, edits, parts, 1e-300, -0.0)


def test_the_data_are_the_objects() -> None:
    first, second = (
        [swapped(), replace(explained("a b , c", "b a"), features=FEATURES), awkward()],
        [explained("", ""), swapped(), awkward()],
    )
    data = data_of(page_of(("one", first), ("two", second)))
    assert data["systems"] == ["one", "two"]
    assert rebuilt(data, 0) == in_order(first)
    assert rebuilt(data, 1) == in_order(second)


def test_sums_are_whole_and_what_is_improbable_stays() -> None:
    good = explained("a b", "a")
    faint = Contribution("S_lemma", (1, 2), (0, 1), 0.0004, -0.001)
    exact = Contribution("S_para", (0, 2), (0, 1), 1 / 3, 2e-6 / 3)
    tried = replace(good, contributions=(*good.contributions, faint, exact))
    (raw,) = data_of(page_of(("one", [tried])))["explanations"][0]
    matches = [0.875 + 0.0004 + 1 / 3, 0.25 - 0.001 + 2e-6 / 3]
    np.testing.assert_allclose(raw["sums"], [matches, [0.875, -0.5], [0.0, 0.0], [0.0, 0.0]], rtol=1e-7)
    # What is improbable but on the best sequence stays.
    rare = replace(good, contributions=tuple(replace(part, posterior=1e-9) for part in good.contributions))
    (found,) = rebuilt(data_of(page_of(("one", [rare]))), 0)
    assert [part.posterior for part in found.contributions] == [1e-4, 1e-4]


@given(st.lists(st.text(min_size=1), max_size=6), st.lists(st.text(min_size=1), max_size=6), st.text())
def test_any_tokens_survive(reference: list[str], hypothesis: list[str], name: str) -> None:
    explanation = Explanation(tuple(reference), tuple(hypothesis), 1.5, (), (), 0.5, 1.0)
    page = page_of((name, [explanation]))
    data = data_of(page)
    assert rebuilt(data, 0) == [explanation]
    assert data["systems"] == [name]
    assert [tag for tag, _ in Page(page).tags] == [tag for tag, _ in Page(page_of(("x", []))).tags]
    page.encode("utf-8")


def test_title_and_signature_are_escaped() -> None:
    odd = "a|b</title><script>alert('x')</script>&{{data}}\"\ud800"
    page = render_page([("one", [])], odd, odd)
    parsed = Page(page)
    shown = odd.replace("\ud800", "\ufffd")
    assert parsed.contents("title") == [shown]
    assert parsed.contents("h1") == [shown]
    assert shown in parsed.contents("code")
    assert len(parsed.contents("script")) == 2
    page.encode("utf-8")


def test_it_is_self_contained() -> None:
    assert_self_contained(Page(page_of(("one", [awkward(), swapped()]))))


def test_no_slot_is_left_open_and_all_scripts_are_in() -> None:
    page = page_of(("one", [swapped()]))
    assert "{{" not in page
    folder = ROOT / "pfsm" / "resources" / "page"
    others = ("page.html", "page.css", "compare.html", "compare.css")
    assert {path.name for path in folder.iterdir()} == {*SCRIPTS, *COMPARISON, *FRAME_SCRIPTS, *others}
    for name in SCRIPTS:
        assert (folder / name).read_text(encoding="utf-8") in page


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_numbers_that_cannot_be_drawn_are_refused(value: float) -> None:
    good = explained("a", "a b")
    cases = {
        "score": replace(good, score=value), "base": replace(good, base=value), "entropy": replace(good, entropy=value)
    }  # fmt: skip
    for field, bad in cases.items():
        with pytest.raises(PfsmError, match=rf"^one:2: {field} is '-?(inf|nan)', a finite number is needed"):
            page_of(("one", [good, bad]))
