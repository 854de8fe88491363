"""Every named statistic: its resamples are its values on the drawn segments, copies kept apart."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.evaluation.bootstrap import resampled_rows
from pfsm.evaluation.catalogue import PREFERENCES, SEGMENT_LEVEL, SYSTEM_LEVEL, Statistic
from pfsm.evaluation.measure import Items, scored_items
from pfsm.evaluation.preference import preference_items
from pfsm_kernels.statistics.rank import repeated_kendall_tau_b, repeated_spearman

SEED = 11
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


@pytest.mark.parametrize("name", SEGMENT_LEVEL)
def test_resamples_of_segments(name: str) -> None:
    items, metric = made_items()
    statistic = SEGMENT_LEVEL[name]
    found = statistic.bind(items).resampled(metric, N_RESAMPLES, SEED)
    check(statistic, items, metric, found)


@pytest.mark.parametrize("name", [name for name in SYSTEM_LEVEL if name != "spa"])
def test_resamples_of_segments_at_system_level(name: str) -> None:
    items, metric = made_items()
    statistic = SYSTEM_LEVEL[name]
    found = statistic.bind(items).resampled(metric, N_RESAMPLES, SEED)
    check(statistic, items, metric, found)


def check(
    statistic: Statistic[Items], items: Items, metric: NDArray[np.float64], found: NDArray[np.float64]
) -> None:
    """Resample after resample: the plain value of the rows that were drawn."""
    assert items.segments is not None
    names = np.array(list(dict.fromkeys(items.segments.tolist())))
    (draws,) = resampled_rows(names.size, N_RESAMPLES, SEED)
    defined = 0
    for drawn, value in zip(draws, found, strict=True):
        rows, segments = copies(items.segments, names[drawn])
        part = scored_items(
            items.human[rows],
            segments,
            None if items.systems is None else items.systems[rows],
            None if items.lengths is None else items.lengths[rows],
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
    metric = np.stack(
        [
            [
                scores[int(reference[1:]), int(text[1:])]
                for reference, text in zip(references, side, strict=True)
            ]
            for side in (better, worse)
        ],
        axis=1,
    )
    segments = np.unique(references, return_inverse=True)[1]
    items = preference_items(better, worse, references, votes, ties, segments)
    measure = PREFERENCES[name].bind(items)
    found = measure.resampled(metric, N_RESAMPLES, SEED)
    (draws,) = resampled_rows(8, N_RESAMPLES, SEED)
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


def test_a_part_of_the_data_is_the_data_of_the_part() -> None:
    items, metric = made_items()
    rows = np.flatnonzero(np.arange(len(items)) % 3)
    part = items.select(rows)
    assert part.segments is not None
    assert items.segments is not None
    fresh = scored_items(items.human[rows], items.segments[rows], None, None)
    for name in ("kendall", "mean-removed", "acc-t"):
        value = SEGMENT_LEVEL[name].bind(part).value(metric[rows])
        assert value == SEGMENT_LEVEL[name].bind(fresh).value(metric[rows])


def test_nothing_is_undefined() -> None:
    none = np.zeros(0)
    items = scored_items(none, segments=[], systems=[], lengths=[])
    for statistic in (*SEGMENT_LEVEL.values(), *SYSTEM_LEVEL.values()):
        measure = statistic.bind(items)
        assert math.isnan(measure.value(none)), statistic.name
        assert np.isnan(measure.resampled(none, 3, 1)).all(), statistic.name
        assert measure.resampled(none, 3, 1).shape == (3,)
    for preference in PREFERENCES.values():
        measure = preference.bind(preference_items([], [], []))
        assert math.isnan(measure.value(np.zeros((0, 2)))), preference.name
        assert np.isnan(measure.resampled(np.zeros((0, 2)), 3, 1)).all(), preference.name


@pytest.mark.parametrize("level", [SEGMENT_LEVEL, SYSTEM_LEVEL])
def test_a_single_segment_has_values_but_no_resamples(level) -> None:  # type: ignore[no-untyped-def]
    human, metric = np.array([0.0, 30.0, 60.0, 90.0]), np.array([1.0, 3.0, 2.0, 4.0])
    items = scored_items(human, segments=[0, 0, 0, 0], systems=[0, 1, 2, 3], lengths=np.ones(4))
    for name, statistic in level.items():
        measure = statistic.bind(items)
        assert not math.isnan(measure.value(metric)) or name == "spa", name
        assert np.isnan(measure.resampled(metric, 3, 1)).all(), name


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        scored_items([math.nan])
    with pytest.raises(ValueError, match="lengths"):
        scored_items([1.0], lengths=[-1.0])
    with pytest.raises(ValueError, match="1 rows, but 2 systems"):
        scored_items([1.0], systems=["a", "b"])


@pytest.mark.parametrize("kernel", [repeated_kendall_tau_b, repeated_spearman])
def test_the_kernels_of_repeated_rows(kernel) -> None:  # type: ignore[no-untyped-def]
    ranks = np.array([0, 1, 2])
    assert kernel(ranks, ranks, np.array([[1, 1, 1], [2, 0, 3]])).tolist() == [1.0, 1.0]
    assert np.isnan(kernel(ranks, ranks, np.array([[0, 0, 0], [0, 5, 0]]))).all()
