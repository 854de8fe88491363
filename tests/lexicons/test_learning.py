"""Learned paraphrases: counts by hand, the association test against scipy's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from pfsm.model.file import Model
from pfsm_training.paraphrases import (
    Segment,
    Thresholds,
    is_plausible,
    learn_paraphrases,
    log_likelihood_ratios,
)

MODEL = Model("hand-written", weights={"S_word": 4.0, "S_lemma": 4.0, "S_punct": 4.0})
ALL = Thresholds(segments=1, association=0.0)


def learned(
    segments: list[Segment], thresholds: Thresholds = ALL, threads: int = 1
) -> dict[tuple[str, str], float]:
    found = learn_paraphrases(segments, MODEL, thresholds, threads)
    return {(" ".join(one), " ".join(other)): value for (one, other), value in found.items()}


def test_by_hand() -> None:
    segments: list[Segment] = [
        # Three versions, but one segment: kids and children count once.
        ("the children sleep", "the kids sleep", "the little kids sleep"),
        ("my children sing", "my kids sing"),
        ("our children play", "our children swim"),
        ("a cat ran", "a dog ran"),
    ]
    # In corresponding places: children/kids in 2 segments, children/little kids in 1, play/swim and cat/dog in 1.
    # Word by word: children in 1 (the third), kids in 1 (between the second and third version of the first segment).
    assert learned(segments) == pytest.approx(
        {
            ("children", "kids"): 2 / (2 + 1 + 1),
            ("kids", "children"): 2 / (2 + 1),
            ("children", "little kids"): 1 / (2 + 1 + 1),
            ("little kids", "children"): 1.0,
            ("play", "swim"): 1.0,
            ("swim", "play"): 1.0,
            ("cat", "dog"): 1.0,
            ("dog", "cat"): 1.0,
        }
    )
    assert set(learned(segments, Thresholds(segments=2, association=0.0))) == {
        ("children", "kids"),
        ("kids", "children"),
    }


def test_association() -> None:
    # Of two words that stand opposite each other as often as chance has it, neither is a paraphrase.
    ones, others = ("red", "green", "blue"), ("north", "south", "west")
    segments: list[Segment] = [
        (f"s{number} {one} end", f"s{number} {other} end")
        for number, (one, other) in enumerate(
            (one, other) for one in ones for other in others for _ in range(5)
        )
    ]
    clear: list[Segment] = [(f"t{number} jail end", f"t{number} prison end") for number in range(5)]
    found = learned(segments + clear, Thresholds())
    assert set(found) == {("jail", "prison"), ("prison", "jail")}
    assert set(found.values()) == {1.0}


def test_threads_and_the_size_of_lists_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    segments: list[Segment] = [
        (f"w{number % 7} x{number % 3} end", f"w{number % 7} y{number % 2} end", f"w{number % 7} end")
        for number in range(40)
    ]
    before = learned(segments)
    monkeypatch.setattr("pfsm_training.paraphrases.PAIRS_AT_ONCE", 5)
    told: list[tuple[int, int]] = []
    assert learned(segments, threads=2) == before
    learn_paraphrases(segments, MODEL, progress=lambda *numbers: told.append(numbers))
    assert told[-1] == (40, 120)
    assert told == sorted(told)


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.integers(1, 10_000)] * 4), min_size=1, max_size=5))
def test_ratios_are_scipys(cells: list[tuple[int, int, int, int]]) -> None:
    for both, first, second, neither in cells:
        counts = np.array([both]), np.array([both + first]), np.array([both + second])
        total = both + first + second + neither
        theirs = chi2_contingency(
            [[both, first], [second, neither]], correction=False, lambda_="log-likelihood"
        )
        sign = 1 if both >= theirs.expected_freq[0, 0] else -1
        assert log_likelihood_ratios(*counts, total)[0] == pytest.approx(sign * theirs.statistic, abs=1e-6)


def test_ratios_where_cells_are_empty() -> None:
    # Only ever together: 2 N (entropy of the margin) = 2 (5 ln(10/5) + 5 ln(10/5)).
    ratio = log_likelihood_ratios(np.array([5]), np.array([5]), np.array([5]), 10)
    assert ratio[0] == pytest.approx(20 * np.log(2))
    assert log_likelihood_ratios(np.array([0]), np.array([5]), np.array([5]), 10)[0] < 0


@pytest.mark.parametrize(
    ("one", "other", "plausible"),
    [
        (("kids",), ("children",), True),
        (("the", "kids"), ("the", "children"), False),
        (("7",), ("seven",), True),
        (("2015",), ("2016",), False),
        (("covid-19", "virus"), ("new", "coronavirus"), True),
    ],
)
def test_phrases_whose_spelling_excludes_them(
    one: tuple[str, ...], other: tuple[str, ...], plausible: bool
) -> None:
    assert is_plausible(one, other) is is_plausible(other, one) is plausible
