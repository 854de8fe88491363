"""Contrast tests and losses by severity: counts by hand, and SciPy."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest, mannwhitneyu, spearmanr

from pfsm.data import DataSource
from pfsm.data.minimal_pairs import SEVERITIES, MinimalPairs
from pfsm.evaluation.probe import probe, severity_result, wilson_interval
from pfsm.metrics import SegmentMetric


class Numbers(SegmentMetric):
    """A metric whose scores stand in the hypotheses."""

    name = "numbers"
    references: Sequence[str] = ()

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        self.references = references
        return np.array([float(hypothesis) for hypothesis in hypotheses])


def minimal_pairs(*rows: tuple[str, float, float]) -> MinimalPairs:
    kinds, better, worse = zip(*rows, strict=True)
    return MinimalPairs(
        kinds,
        tuple(f"reference {place}" for place in range(len(rows))),
        tuple(map(str, better)),
        tuple(map(str, worse)),
        DataSource("x.tsv", len(rows), ""),
    )


ROWS = (
    ("name", 3.0, 1.0), ("tense", 1.0, 1.0), ("name", 2.0, 2.5), ("tense", 0.0, -4.0), ("name", 1.0, 0.5),
)  # fmt: skip


def test_counts_and_means_by_hand() -> None:
    metric = Numbers()
    result = probe(metric, minimal_pairs(*ROWS))
    assert metric.references == [f"reference {place}" for place in range(5)] * 2
    kinds = [(kind.kind, kind.n, kind.ties) for kind in result.kinds]
    assert kinds == [("name", 3, 0), ("tense", 2, 1), ("all", 5, 1)]
    assert [kind.lower.value for kind in result.kinds] == pytest.approx([2 / 3, 1 / 2, 3 / 5])
    assert [kind.difference.value for kind in result.kinds] == pytest.approx([2 / 3, 2.0, 6 / 5])


@pytest.mark.parametrize(("n", "confidence"), [(1, 0.95), (17, 0.5), (400, 0.99)])
def test_wilson_interval_is_that_of_scipy(n: int, confidence: float) -> None:
    for successes in sorted({0, 1, n // 3, n - 1, n}):
        expected = binomtest(successes, n).proportion_ci(confidence, method="wilson")
        found = wilson_interval(successes, n, confidence)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_losses_by_severity_against_scipy() -> None:
    random = np.random.default_rng(5)
    grades = random.integers(0, 4, 200)
    losses = np.asarray(random.normal(size=200) + 1.0 + 0.5 * grades).round(1)  # so that some are equal
    result = severity_result(losses, [SEVERITIES[grade] for grade in grades], n_resamples=10)
    faulty = grades > 0
    assert result.correlation.value == pytest.approx(spearmanr(losses[faulty], grades[faulty]).statistic)
    none, minor, _, critical = (losses[grades == grade] for grade in range(4))
    expected = mannwhitneyu(critical, minor).statistic / (critical.size * minor.size)
    assert result.critical_above_minor.value == pytest.approx(expected)
    assert result.harmless_share.value == pytest.approx(np.median(none) / np.median(critical))
    medians = {one.severity: one.median.value for one in result.losses}
    assert medians["minor"] == pytest.approx(np.median(minor))


def test_harmless_pairs_do_not_count_among_all() -> None:
    pairs = MinimalPairs(
        ("typo", "typo", "spelling", "lost"),
        ("r",) * 4,
        ("1", "2", "3", "4"),
        ("0", "2", "2", "3"),
        DataSource("x.tsv", 4, ""),
        severities=("minor", "minor", "none", "critical"),
    )
    result = probe(Numbers(), pairs, n_resamples=10)
    assert [(one.kind, one.n, one.severity) for one in result.kinds] == [
        ("typo", 2, "minor"),
        ("spelling", 1, "none"),
        ("lost", 1, "critical"),
        ("all", 3, ""),
    ]
    assert result.kinds[-1].lower.value == pytest.approx(2 / 3)
    assert result.mean_of_kinds == pytest.approx((0.5 + 1.0) / 2)
    assert result.severity is not None
    assert result.severity.harmless_share.value == 1.0
