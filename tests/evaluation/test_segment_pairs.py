"""Pairs of translations of one segment: counts and the WMT Kendall taus against loops over every pair.

acc-t: the calibrated threshold against a search through all thresholds, and its resamples.
"""

import math
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.errors import PfsmError
from pfsm.evaluation import accuracy_with_ties, calibrate_ties, pair_counts, segment_pairs, wmt_kendall
from pfsm.evaluation.segment_pairs import pair_table
from tests.oracles import pairs

VARIANTS = ("wmt12", "wmt13", "wmt14", "darr")
rows = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from("abc")), max_size=14)


def columns(
    made: list[tuple[int, int, str]], scale: float = 1.0
) -> tuple[list[float], list[float], list[str]]:
    return [scale * row[0] for row in made], [float(row[1]) for row in made], [row[2] for row in made]


@given(rows, st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_counts_against_every_pair(made: list[tuple[int, int, str]], threshold: float) -> None:
    human, metric, segments = columns(made)
    expected = [pairs.counts(human, metric, rows, threshold) for rows in pairs.segment_rows(segments)]
    found = pair_counts(human, metric, segments, threshold)
    assert [sum(column) for column in zip(*expected, strict=True)] == (
        [found.concordant, found.discordant, found.ties_human, found.ties_metric, found.ties_both]
        if made
        else []
    )
    assert found.total == sum(sum(one) for one in expected)
    # Segments stand in the order of their names.
    by_name = dict(zip(dict.fromkeys(segments), expected, strict=True))
    table = pair_table(human, metric, segments, threshold)
    assert table.tolist() == [list(by_name[name]) for name in sorted(by_name)]


@given(rows, st.sampled_from(VARIANTS))
def test_wmt_kendall_against_every_pair(made: list[tuple[int, int, str]], variant: Any) -> None:
    human, metric, segments = columns(made, scale=12.5)
    expected = pairs.wmt_kendall(human, metric, segments, variant)
    assert wmt_kendall(human, metric, segments, variant) == pytest.approx(expected, abs=1e-14, nan_ok=True)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="'wmt99'"):
        wmt_kendall([1.0], [1.0], ["a"], cast("Any", "wmt99"))
    with pytest.raises(ValueError, match=r"threshold is -1\.0"):
        pair_counts([1.0, 2.0], [1.0, 2.0], tie_threshold=-1.0)


rows_tie_calibration = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 6), st.sampled_from("abc")), max_size=12
)


@given(rows_tie_calibration)
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


@given(rows_tie_calibration, st.sampled_from([0.0, 0.25, 0.6]))
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
