"""Every statistic on resamples against its value on the drawn rows, groups and means, names, and real judgments."""

import math
import os
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.data import read_preferences
from pfsm.errors import PfsmError
from pfsm.evaluation import (
    Question,
    canonical,
    estimate,
    plain,
    preference_question,
    question_of_scores,
)
from pfsm.evaluation.bootstrap import count_ids, resampled_rows
from pfsm.evaluation.catalogue import (
    BY_LEVEL,
    PREFERENCES,
    SEGMENT_LEVEL,
    SYSTEM_LEVEL,
    Statistic,
    level_and_name,
    named_statistic,
)
from pfsm.evaluation.engine import check_units, samples
from pfsm.evaluation.measure import Items, scored_items
from pfsm.evaluation.people import FITS, MEANS
from pfsm.evaluation.preference import preference_items
from tests.oracles import resampling

Float = NDArray[np.float64]
COUNT, SEED = 60, 3
MINE = plain("mean-gap", lambda metric, human: float(np.abs(metric - human).mean()), "mean gap")


def made(n: int = 48) -> tuple[Question[Items], Float, Float, list[str], list[str]]:
    """Segments of three translations in two groups, people's scores inside the question, and two metrics'."""
    generator = np.random.default_rng(2)
    human = generator.normal(size=n)
    groups = ["cs" if at < n // 2 else "de" for at in range(n)]
    segments = [f"{at // 3}" for at in range(n)]
    a, b = (human + generator.normal(size=n) for _ in range(2))
    return question_of_scores(human, groups, segments), a, b, groups, segments


def test_a_group_with_a_missing_score_has_no_value() -> None:
    question, a, *_ = made()
    a[5] = math.nan
    found = samples(question, a, [SEGMENT_LEVEL["pearson"], MINE], COUNT, SEED)
    whole = samples(question, np.nan_to_num(a), [SEGMENT_LEVEL["pearson"]], COUNT, SEED)
    for name in ("pearson", "mean-gap"):
        assert math.isnan(found[name]["cs"].value)
        assert np.isnan(found[name]["cs"].resampled).all()
    assert found["pearson"]["de"].value == whole["pearson"]["de"].value
    np.testing.assert_array_equal(found["pearson"]["de"].resampled, whole["pearson"]["de"].resampled)


def test_segments_are_not_torn() -> None:
    _, a, _, groups, segments = made()
    question = question_of_scores(a, groups, segments, resample="judgments")
    check_units(question, [SEGMENT_LEVEL["pearson"]])
    for name in ("mean-removed", "acc-t", "wmt12"):
        with pytest.raises(PfsmError, match=f"{name} compares translations of one segment"):
            check_units(question, [SEGMENT_LEVEL["pearson"], SEGMENT_LEVEL[name]])
        with pytest.raises(ValueError, match="not resampled together"):
            estimate(question, a, [SEGMENT_LEVEL[name]], COUNT, SEED)
    alone = question_of_scores(a, groups, range(48), resample="judgments")
    check_units(alone, SEGMENT_LEVEL.values())


def test_bad_questions_are_refused() -> None:
    for arguments, message in (
        ({"resample": "systems"}, "resample is 'systems', but there are no systems"),
        ({"resample": "words"}, "resample is 'words'; there are segments, judgments, documents, systems"),
        ({"groups": ["a"]}, "group names"),
    ):
        with pytest.raises((ValueError, PfsmError), match=message):
            question_of_scores([1.0, 2.0], **arguments)
    with pytest.raises(ValueError, match="n_resamples is 0"):
        estimate(question_of_scores([1.0, 2.0]), np.ones(2), [MINE], 0)
    with pytest.raises(ValueError, match="lengths"):
        scored_items([1.0], lengths=[-1.0])
    with pytest.raises(ValueError, match="1 rows, but 2 systems"):
        scored_items([1.0], systems=["a", "b"])


def test_names() -> None:
    names = [canonical(name) for name in ("tau_darr", "kendall-tau-b", "length_weighted", "mine")]
    assert names == ["darr", "kendall", "length-weighted", "mine"]
    assert level_and_name("document-acc-t") == (None, "document-acc-t")
    for level, table in BY_LEVEL.items():
        for statistic in table.values():
            assert level_and_name(f"{level}-{statistic.key}") == (level, statistic.name)
            assert named_statistic(statistic.key, level) is statistic


SEED_MEASURE = 11
N_RESAMPLES = 40


def made_items() -> tuple[Items, NDArray[np.float64]]:
    """Nine segments of one to six translations, with ties on both sides."""
    generator = np.random.default_rng(3)
    segments = np.repeat(np.arange(9), [1, 4, 6, 2, 5, 3, 1, 6, 4])
    generator.shuffle(segments)
    human = 10.0 * generator.integers(0, 7, size=segments.size)
    metric = np.round(human / 20 + generator.normal(size=segments.size), 1)
    systems = np.concatenate([np.arange((segments == segment).sum()) for segment in range(9)])
    systems = systems[np.argsort(np.argsort(segments, kind="stable"), kind="stable")]
    lengths = 1.0 + segments
    return scored_items(human, segments, systems, lengths), metric


def copies(
    segments: NDArray[np.int64], drawn: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of drawn segments, and for each the number of its draw."""
    rows = [np.flatnonzero(segments == segment) for segment in drawn]
    return np.concatenate(rows), np.repeat(np.arange(drawn.size), [part.size for part in rows])


OF_TESTS = ("significant", "ceiling", "spa")
"""Statistics that are made of tests or resamples themselves."""


OF_SYSTEMS = [one for name, one in SYSTEM_LEVEL.items() if name not in OF_TESTS]


@pytest.mark.parametrize(
    ("statistic", "people"),
    [*((one, MEANS) for one in SEGMENT_LEVEL.values()), *product(OF_SYSTEMS, FITS)],
)
def test_resamples_of_segments(statistic: Statistic[Items], people: str) -> None:
    """Resample after resample: the plain value of the rows that were drawn."""
    items, metric = made_items()
    items = replace(items, people=people)
    found = statistic.bind(items).resampled(metric, N_RESAMPLES, SEED_MEASURE)
    assert items.segments is not None
    assert items.systems is not None
    assert items.lengths is not None
    names = np.array(list(dict.fromkeys(items.segments.tolist())))
    (draws,) = resampled_rows(names.size, N_RESAMPLES, SEED_MEASURE)
    defined = 0
    for drawn, value in zip(draws, found, strict=True):
        rows, segments = copies(items.segments, names[drawn])
        part = scored_items(
            items.human[rows], segments, items.systems[rows], items.lengths[rows], people=people
        )
        if "systems" in statistic.needs and part.systems is not None and part.systems.max() < 5:
            assert math.isnan(value)
            continue
        assert value == pytest.approx(statistic.bind(part).value(metric[rows]), abs=1e-12, nan_ok=True)
        defined += not math.isnan(value)
    assert defined > N_RESAMPLES / 4


@pytest.mark.parametrize("name", PREFERENCES)
def test_preferences(name: str) -> None:
    generator = np.random.default_rng(4)
    n = 60
    references = [f"r{number}" for number in generator.integers(0, 8, size=n)]
    better, worse = ([f"h{number}" for number in generator.integers(0, 5, size=n)] for _ in range(2))
    votes, ties = generator.integers(0, 4, size=(2, n)).astype(np.float64)
    scores = generator.integers(0, 4, size=(8, 5)).astype(np.float64)
    metric = np.array(
        [
            [scores[int(reference[1:]), int(text[1:])] for text in pair]
            for reference, *pair in zip(references, better, worse, strict=True)
        ]
    )
    segments = np.unique(references, return_inverse=True)[1]
    items = preference_items(better, worse, references, votes, ties, segments)
    measure = PREFERENCES[name].bind(items)
    found = measure.resampled(metric, N_RESAMPLES, SEED_MEASURE)
    (draws,) = resampled_rows(8, N_RESAMPLES, SEED_MEASURE)
    names = np.array(list(dict.fromkeys(segments.tolist())))
    for drawn, value in zip(draws, found, strict=True):
        rows, draw = copies(segments, names[drawn])
        part = preference_items(
            [better[row] for row in rows],
            [worse[row] for row in rows],
            [f"{references[row]} {number}" for row, number in zip(rows, draw, strict=True)],
            votes[rows],
            ties[rows],
        )
        assert value == pytest.approx(PREFERENCES[name].bind(part).value(metric[rows]), abs=1e-12)


def test_nothing_is_undefined_and_a_single_segment_has_no_resamples() -> None:
    none, human, metric = np.zeros(0), np.array([0.0, 30.0, 60.0, 90.0]), np.array([1.0, 3.0, 2.0, 4.0])
    nothing = scored_items(none, segments=[], systems=[], lengths=[])
    single = scored_items(human, segments=[0, 0, 0, 0], systems=[0, 1, 2, 3], lengths=np.ones(4))
    for statistic in (*SEGMENT_LEVEL.values(), *SYSTEM_LEVEL.values()):
        measure = statistic.bind(nothing)
        assert math.isnan(measure.value(none)), statistic.name
        assert np.isnan(measure.resampled(none, 3, 1)).tolist() == [True] * 3, statistic.name
        measure = statistic.bind(single)
        assert not math.isnan(measure.value(metric)) or statistic.name in OF_TESTS
        assert np.isnan(measure.resampled(metric, 3, 1)).all(), statistic.name
    for preference in PREFERENCES.values():
        assert math.isnan(preference.bind(preference_items([], [], [])).value(np.zeros((0, 2))))


def judgments(seed: int = 1) -> tuple[Float, Float, list[str]]:
    """Correlated scores of three groups, in a random order."""
    generator = np.random.default_rng(seed)
    x, noise = generator.normal(size=(2, 160))
    names = generator.permutation(np.repeat(["fr-en", "cs-en", "de-en"], [80, 40, 40]))
    return x, np.round(x + noise, 1), names.tolist()


DATA = os.environ.get("PFSM_DATA")
judged_only = pytest.mark.skipif(DATA is None, reason="PFSM_DATA names no folder of human judgments")


@judged_only
def test_identifiers_that_number_pairs_are_no_segments() -> None:
    """The DARR data of WMT19 numbers its pairs; references tell the segments."""
    data = read_preferences(Path(str(DATA)) / "wmt19-darr" / "gu-en-test.tsv.gz")
    question = preference_question(data, np.zeros(len(data), np.int64), ["gu"] * len(data))
    assert len(set(data.columns["segment_id"])) == len(data)
    assert question.unit == "segments"
    assert count_ids(question.items.units) == len(set(data.references)) < len(data) / 10
    metric = np.array(
        [[len(one), len(other)] for one, other in zip(data.better, data.worse, strict=True)], dtype=np.float64
    )
    (one,) = estimate(question, metric, [PREFERENCES["accuracy"]], 30, 12345)["accuracy"].groups.values()
    right = metric[:, 0] > metric[:, 1]

    def accuracy(rows: list[int]) -> float:
        return math.fsum(data.votes[rows] * right[rows]) / math.fsum(data.votes[rows])

    drawn = resampling.resamples(resampling.units_of(data.references), accuracy, 30, 12345, "gu")
    assert (one.interval.low, one.interval.high) == pytest.approx(resampling.interval(drawn), abs=1e-12)
