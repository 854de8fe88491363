"""Learned paraphrases: counts by hand, association against SciPy, versions, phrases in corresponding places."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from pfsm_training.paraphrases import (
    CorrespondenceFinder,
    Segment,
    Thresholds,
    is_plausible,
    learn_paraphrases,
    log_likelihood_ratios,
    read_versions,
    version_pairs,
)
from tests.command_runs import text

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


def test_all_versions_of_a_reference_come_together(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(
        text(
            [
                "reference\thypothesis\treference_2\tscore",
                "one ref\tsys b\tother ref\t1",
                "one ref\tsys a\tother ref\t2",
                "post-edit\tpost-edit\t\t0",
                "\tnothing to compare with\t\t0",
            ]
        ),
        encoding="utf-8",
    )
    (tmp_path / "b.tsv").write_text(
        text(["reference\tbetter\tworse", "one ref\tsys c\tsys a"]), encoding="utf-8"
    )
    segments, sources = read_versions([tmp_path / "a.tsv", tmp_path / "b.tsv"])
    assert segments == [("one ref", "other ref", "sys a", "sys b", "sys c"), ("post-edit",)]
    assert [source.name for source in sources] == ["a.tsv", "b.tsv"]
    assert read_versions([tmp_path / "b.tsv", tmp_path / "a.tsv"])[0] == segments


def test_every_two_versions_in_lists_of_whole_segments() -> None:
    segments = [("a", "b", "c"), ("d",), ("e", "f"), ("g", "h")]
    pairs = [(0, "a", "b"), (0, "a", "c"), (0, "b", "c"), (2, "e", "f"), (3, "g", "h")]
    assert list(version_pairs(segments, 100)) == [pairs]
    assert list(version_pairs(segments, 1)) == [pairs[:3], pairs[3:4], pairs[4:]]
    assert list(version_pairs(segments, 4)) == [pairs[:4], pairs[4:]]


WORDS = ("the", "cat", "cats", "sat", "on", "A", "mat", ".", "down")
texts = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
WEIGHTS = {"S_word": 4.0, "S_lemma": 3.0, "S_punct": 4.0, "Jump": -1.0}


def model(max_jump: int, max_block: int) -> Model:
    values = {"tokeniser": "plain", "max_jump": max_jump, "max_block": max_block}
    return Model("hand-written", settings_from_dict(values, "test"), WEIGHTS)


Phrase = tuple[str, ...]


def by_definition(
    metric: Metric, one: str, other: str, posterior: float
) -> tuple[set[tuple[Phrase, Phrase]], set[Phrase]]:
    """Phrases in corresponding places, and phrases that are aligned."""
    explained = metric.explain(other, one)
    sides = [[token.lower() for token in side] for side in (explained.reference, explained.hypothesis)]
    arcs = sorted(
        (part.reference, part.hypothesis)
        for part in explained.contributions
        if part.state.startswith("S_") and part.posterior >= posterior
    )
    aligned = [{token for arc in arcs for token in range(*arc[side])} for side in (0, 1)]
    ends = [((-1, 0), (-1, 0)), *arcs, (*((len(side), len(side) + 1) for side in sides),)]
    pairs: set[tuple[Phrase, Phrase]] = set()
    single: set[Phrase] = set()
    for before, after in pairwise(ends):
        spans = [range(before[side][1], after[side][0]) for side in (0, 1)]
        if all(0 < len(span) <= 2 and aligned[side].isdisjoint(span) for side, span in enumerate(spans)):
            left, right = (tuple(sides[side][token] for token in span) for side, span in enumerate(spans))
            if "." not in left + right:
                pairs.add((left, right))
        for side in (0, 1):
            words = sides[side]
            run = [arc[side] for arc in (before, after)]
            inside = all(0 <= first < last <= len(words) and last - first == 1 for first, last in run)
            if inside and all(before[s][1] == after[s][0] for s in (0, 1)):
                single.add((words[run[0][0]], words[run[1][0]]))
            if run[0][0] >= 0 and run[0][1] - run[0][0] == 1:
                single.add((words[run[0][0]],))
    return pairs, {phrase for phrase in single if "." not in phrase}


@pytest.mark.parametrize(("max_jump", "max_block"), [(0, 1), (3, 1), (0, 2)])
def test_against_the_definition(max_jump: int, max_block: int) -> None:
    chosen = model(max_jump, max_block)
    metric = Metric(chosen, 1)
    finder = CorrespondenceFinder(chosen, 0.6, 1)

    @settings(deadline=None, max_examples=60)
    @given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
    def check(pairs: list[tuple[str, str]]) -> None:
        found = finder.find([one for one, _ in pairs], [other for _, other in pairs])
        left, right, same = (
            finder.phrases(numbers.tolist())
            for numbers in (found.pairs[:, 1], found.pairs[:, 2], found.aligned[:, 1])
        )
        for number, (one, other) in enumerate(pairs):
            expected_pairs, expected_same = by_definition(metric, one, other, 0.6)
            here = found.pairs[:, 0] == number
            assert {(left[k], right[k]) for k in here.nonzero()[0]} == expected_pairs
            here = found.aligned[:, 0] == number
            assert {same[k] for k in here.nonzero()[0]} == expected_same

    check()
