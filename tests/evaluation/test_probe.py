"""Contrast tests: counts by hand, the Wilson interval against SciPy, the bootstrap against its definition."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.data import DataSource
from pfsm.data.minimal_pairs import MinimalPairs
from pfsm.evaluation.bootstrap import bootstrap_interval
from pfsm.evaluation.probe import probe, wilson_interval


@dataclass
class Numbers:
    """A metric whose scores stand in the hypotheses."""

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
    assert [(kind.kind, kind.n, kind.ties) for kind in result.kinds] == [
        ("name", 3, 0),
        ("tense", 2, 1),
        ("all", 5, 1),
    ]
    assert [kind.lower.value for kind in result.kinds] == pytest.approx([2 / 3, 1 / 2, 3 / 5])
    assert [kind.difference.value for kind in result.kinds] == pytest.approx([2 / 3, 2.0, 6 / 5])
    assert result.better.tolist() == [3.0, 1.0, 2.0, 0.0, 1.0]
    assert result.worse.tolist() == [1.0, 1.0, 2.5, -4.0, 0.5]


def test_intervals() -> None:
    result = probe(Numbers(), minimal_pairs(*ROWS), n_resamples=200, seed=7, confidence=0.9)
    names = result.kinds[0]
    assert names.lower.interval == wilson_interval(2, 3, 0.9)
    expected = bootstrap_interval(
        np.mean, np.array([2.0, -0.5, 0.5]), n_resamples=200, seed=7, confidence=0.9
    )
    assert names.difference.interval == expected
    assert expected.low < expected.high


@pytest.mark.parametrize("n", [1, 2, 17, 400])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
def test_wilson_interval_is_that_of_scipy(n: int, confidence: float) -> None:
    from scipy.stats import binomtest

    for successes in sorted({0, 1, n // 3, n - 1, n}):
        expected = binomtest(successes, n).proportion_ci(confidence, method="wilson")
        found = wilson_interval(successes, n, confidence)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
