"""Pairs of translations of one segment: counts and the WMT Kendall taus against loops over every pair."""

import math
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.evaluation import kendall_tau_b, pair_counts, wmt_kendall
from pfsm.evaluation.segment_pairs import WmtKendall, order_votes, pair_table
from pfsm_kernels.statistics.pairs import ordered_pairs
from tests.oracles import pairs

VARIANTS = ("wmt12", "wmt13", "wmt14", "darr")
rows = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from("abc")), max_size=14)


def columns(
    made: list[tuple[int, int, str]], scale: float = 1.0
) -> tuple[list[float], list[float], list[str]]:
    return [scale * row[0] for row in made], [float(row[1]) for row in made], [row[2] for row in made]


@given(rows, st.sampled_from([0.0, 0.5, 1.0, 2.0]))
@settings(deadline=None)
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
@settings(deadline=None)
def test_wmt_kendall_against_every_pair(made: list[tuple[int, int, str]], variant: Any) -> None:
    human, metric, segments = columns(made, scale=12.5)
    expected = pairs.wmt_kendall(human, metric, segments, variant)
    assert wmt_kendall(human, metric, segments, variant) == pytest.approx(expected, abs=1e-14, nan_ok=True)


def test_the_variants_by_hand() -> None:
    """Of the pairs that people order, three are concordant, one discordant, one tied by the metric."""
    human, metric = [0.0, 30.0, 60.0, 60.0], [1.0, 1.0, 3.0, 0.0]
    # (0, 1) tie; (0, 2) right; (0, 3) wrong; (1, 2) right; (1, 3) wrong; (2, 3) tied by people.
    found = {variant: wmt_kendall(human, metric, [7] * 4, variant) for variant in VARIANTS}  # type: ignore[arg-type]
    assert found == {"wmt12": -1 / 5, "wmt13": 0.0, "wmt14": 0.0, "darr": -1 / 5}
    human = [0.0, 24.9, 60.0, 85.0]  # (0, 1) are too close for DARR; (2, 3) are just far enough
    metric = [1.0, 2.0, 3.0, 3.0]
    assert wmt_kendall(human, metric, [7] * 4, "darr") == pytest.approx((4 - 1) / 5)
    assert wmt_kendall(human, metric, [7] * 4, "wmt14") == pytest.approx(5 / 6)
    assert wmt_kendall(human, metric, [7] * 4, "wmt13") == 1.0
    assert wmt_kendall(human, metric, [7] * 4, "darr", darr_difference=26.0) == 1.0


def test_pairs_of_different_segments_do_not_count() -> None:
    assert pair_counts([1.0, 2.0], [1.0, 2.0], ["a", "b"]).total == 0
    assert pair_counts([1.0, 2.0], [1.0, 2.0]).concordant == 1
    assert math.isnan(wmt_kendall([1.0, 2.0], [1.0, 2.0], ["a", "b"], "wmt12"))
    assert math.isnan(wmt_kendall([], [], [], "wmt12"))


def test_many_translations_of_one_segment_agree_with_tau_b() -> None:
    generator = np.random.default_rng(1)
    human = generator.integers(0, 300, size=4000).astype(np.float64)
    metric = np.round(human / 100 + generator.normal(size=4000), 1)
    found = pair_counts(human, metric)
    untied = [found.total - found.ties_both - ties for ties in (found.ties_human, found.ties_metric)]
    tau = (found.concordant - found.discordant) / math.sqrt(untied[0] * untied[1])
    assert tau == pytest.approx(kendall_tau_b(human, metric), abs=1e-12)


def test_the_order_of_rows_does_not_matter() -> None:
    generator = np.random.default_rng(2)
    human, metric = generator.normal(size=(2, 60))
    segments = generator.integers(0, 9, size=60)
    order = generator.permutation(60)
    table = order_votes(human, metric, segments)
    np.testing.assert_array_equal(table, order_votes(human[order], metric[order], segments[order]))


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="'wmt99'"):
        wmt_kendall([1.0], [1.0], ["a"], cast("Any", "wmt99"))
    with pytest.raises(ValueError, match="2 rows, but 1 segments"):
        wmt_kendall([1.0, 2.0], [1.0, 2.0], ["a"], "wmt12")
    with pytest.raises(ValueError, match="not finite"):
        pair_counts([1.0, math.nan], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"threshold is -1\.0"):
        pair_counts([1.0, 2.0], [1.0, 2.0], tie_threshold=-1.0)


@pytest.mark.parametrize(
    ("x", "ranks", "starts"),
    [
        ([1.0, 0.0], [0, 1], [0, 2]),
        ([0.0, math.nan], [0, 1], [0, 2]),
        ([0.0, 1.0], [0, 2], [0, 2]),
        ([0.0, 1.0], [0, -1], [0, 2]),
        ([0.0, 1.0], [0], [0, 2]),
        ([0.0, 1.0], [0, 1], [0, 1]),
        ([0.0, 1.0], [0, 1], [0, 2, 1, 2]),
        ([0.0, 1.0], [0, 1], []),
    ],
)
def test_the_kernel_refuses_arrays_that_do_not_fit(
    x: list[float], ranks: list[int], starts: list[int]
) -> None:
    with pytest.raises(ValueError, match=r"must|need"):
        ordered_pairs(np.array(x), np.array(ranks, dtype=np.int64), np.array(starts, dtype=np.int64))


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_measure_that_is_resampled_is_the_statistic(variant: Any) -> None:
    rng = np.random.default_rng(4)
    human = 30.0 * rng.integers(0, 4, 40).astype(np.float64)
    metric = rng.integers(0, 5, 40).astype(np.float64)
    segments = np.repeat(np.arange(8), 5)
    measure = WmtKendall(human, segments, variant, segments // 2)
    expected = wmt_kendall(human, metric, segments.tolist(), variant)
    assert measure.value(metric) == pytest.approx(expected, abs=1e-14)
    sums = measure.table(metric)
    assert sums.shape == (4, 3)
    assert measure.of_sums(sums.sum(axis=0, keepdims=True))[0] == pytest.approx(expected, abs=1e-14)
