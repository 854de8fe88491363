"""The page of explanations: self-contained and safely escaped; browsers read it in `tests/studio/browser`."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.errors import PfsmError
from pfsm.model.explain.explanation import Contribution, Edit, Explanation
from pfsm_studio.explanation import render_page
from tests.explanation_cases import explained, swapped
from tests.studio.pages import Page, assert_self_contained

SIGNATURE = "nrefs:1|model:toy|version:0"
NASTY = (
    *("</script>", "<b>", "<!--<script>", "&amp;", "\"'", "\u2028", "{{data}}", "\ud800", "\\u003c"),
    *("مرحبا", "👩‍👩‍👧"),
)


def data_of(page: str) -> Any:
    return json.loads(Page(page).contents("script")[0])


def page_of(*systems: tuple[str, list[Explanation]]) -> str:
    return render_page(systems, "A page", SIGNATURE)


def awkward() -> Explanation:
    """Every token could break a page that is careless with it."""
    edits = tuple(Edit("S_word", (k, k + 1), (k, k + 1)) for k in range(len(NASTY)))
    parts = tuple(Contribution("S_word", edit.reference, edit.hypothesis, 0.3333, 0.1) for edit in edits)
    return Explanation(NASTY, NASTY, 0.3, edits, parts, 1e-300, -0.0)


def test_sums_are_whole() -> None:
    good = explained("a b", "a")
    faint = Contribution("S_lemma", (1, 2), (0, 1), 0.0004, -0.001)
    exact = Contribution("S_para", (0, 2), (0, 1), 1 / 3, 2e-6 / 3)
    tried = replace(good, contributions=(*good.contributions, faint, exact))
    (raw,) = data_of(page_of(("one", [tried])))["explanations"][0]
    matches = [0.875 + 0.0004 + 1 / 3, 0.25 - 0.001 + 2e-6 / 3]
    np.testing.assert_allclose(raw["sums"], [matches, [0.875, -0.5], [0.0, 0.0], [0.0, 0.0]], rtol=1e-7)


@settings(max_examples=30)
@given(st.lists(st.text(min_size=1), max_size=6), st.lists(st.text(min_size=1), max_size=6), st.text())
def test_any_tokens_survive(reference: list[str], hypothesis: list[str], name: str) -> None:
    explanation = Explanation(tuple(reference), tuple(hypothesis), 1.5, (), (), 0.5, 1.0)
    page = render_page([(name, [explanation])], name, name)
    data = data_of(page)
    assert data["words"] == list(dict.fromkeys([*reference, *hypothesis]))
    assert data["systems"] == [name]
    # Signatures may be broken between their entries.
    tags = [[tag for tag, _ in Page(one).tags if tag != "wbr"] for one in (page, page_of(("x", [])))]
    assert tags[0] == tags[1]
    page.encode("utf-8")


def test_it_is_self_contained_and_no_slot_is_left_open() -> None:
    assert_self_contained(Page(page_of(("one", [awkward(), swapped()]))))
    assert "{{" not in page_of(("one", [swapped()]))


def test_numbers_that_cannot_be_drawn_are_refused() -> None:
    good = explained("a", "a b")
    for field, value in (("score", math.inf), ("base", math.nan), ("entropy", -math.inf)):
        changes: dict[str, Any] = {field: value}
        with pytest.raises(PfsmError, match=rf"^one:2: {field} is '-?(inf|nan)', a finite number is needed"):
            page_of(("one", [good, replace(good, **changes)]))
