"""acc-t: the calibrated threshold against a search through all thresholds, and its resamples."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.errors import PfsmError
from pfsm.evaluation import accuracy_with_ties, calibrate_ties, segment_pairs
from pfsm_kernels.statistics.pairs import calibrated_accuracies, tie_changes
from tests.oracles import pairs

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6), st.sampled_from("abc")), max_size=12)


@given(rows)
@settings(deadline=None)
def test_against_every_threshold(made: list[tuple[int, int, str]]) -> None:
    human, metric = [float(row[0]) for row in made], [row[1] / 4 for row in made]
    segments = [row[2] for row in made]
    found = calibrate_ties(human, metric, segments)
    expected = pairs.best_accuracy_with_ties(human, metric, segments)
    assert found.accuracy == pytest.approx(expected, abs=1e-14, nan_ok=True)
    if not math.isnan(expected):
        at_threshold = pairs.accuracy_with_ties(human, metric, segments, found.threshold)
        assert at_threshold == pytest.approx(expected, abs=1e-14)
        smaller = [gap / 4 for gap in range(7) if gap / 4 < found.threshold]
        assert all(
            pairs.accuracy_with_ties(human, metric, segments, gap) < expected - 1e-14 for gap in smaller
        )


@given(rows, st.sampled_from([0.0, 0.25, 0.6]))
@settings(deadline=None)
def test_a_given_threshold(made: list[tuple[int, int, str]], threshold: float) -> None:
    human, metric = [float(row[0]) for row in made], [row[1] / 4 for row in made]
    segments = [row[2] for row in made]
    expected = pairs.accuracy_with_ties(human, metric, segments, threshold)
    found = accuracy_with_ties(human, metric, segments, threshold)
    assert found == pytest.approx(expected, abs=1e-14, nan_ok=True)


def test_no_pairs() -> None:
    for human, segments in (([], []), ([1.0, 2.0], ["a", "b"])):
        found = calibrate_ties(human, human, segments)
        assert math.isnan(found.accuracy)
        assert math.isnan(found.threshold)
        assert math.isnan(accuracy_with_ties(human, human, segments))


def test_too_many_pairs_are_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_pairs, "MOST_PAIRS", 5)
    with pytest.raises(PfsmError, match="6 pairs of translations of one segment, up to 4 translations each"):
        calibrate_ties([1.0] * 4, [1.0] * 4)


def test_the_kernels_refuse_arrays_that_do_not_fit() -> None:
    floats, integers = np.zeros(2), np.zeros(2, dtype=np.int64)
    with pytest.raises(ValueError, match="same number"):
        tie_changes(floats, floats[:1], np.array([0, 2]))
    changes, segments = np.zeros(2, np.int8), np.zeros(2, np.int32)
    good = (floats, changes, segments, floats, floats, integers[np.newaxis])
    assert calibrated_accuracies(*good).shape == (1,)
    for place, wrong, message in (
        (0, floats[:1], "order"),
        (0, np.array([1.0, 0.0]), "order"),
        (2, segments + np.int32(2), "not there"),
        (3, floats[:1], "every segment"),
        (5, integers, "every segment"),
    ):
        arguments: list[Any] = [*good]
        arguments[place] = wrong
        with pytest.raises(ValueError, match=message):
            calibrated_accuracies(*arguments)
