"""How a metric's losses on minimal pairs go with the severity of what is wrong.

The loss of a pair is the better version's score minus the worse one's. A metric that weighs errors as people do loses
more on a critical error than on a minor one, and next to nothing on a harmless change.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.evaluation.bootstrap import CONFIDENCE, ArrayFunction, Seed, bootstrap_interval
from pfsm.evaluation.correlation import mid_ranks, spearman
from pfsm.evaluation.samples import Estimate

Float = NDArray[np.float64]
HARMLESS, MINOR, CRITICAL = 0, 1, 3
"""Places in `SEVERITIES`."""


@dataclass(frozen=True)
class Losses:
    """The losses of one severity.

    Attributes:
        severity: Its name.
        n: Number of pairs.
        median: Their median loss, in the units of the score, with its bootstrap interval.
    """

    severity: str
    n: int
    median: Estimate


@dataclass(frozen=True)
class SeverityResult:
    """How losses go with severity.

    Attributes:
        losses: Of each severity that occurs, from harmless to critical.
        correlation: Spearman's rank correlation of severity and loss over the faulty pairs.
        critical_above_minor: Chance that a critical error loses more than a minor one; equal losses count half.
        harmless_share: Median loss of the harmless changes as a share of that of the critical errors; NaN where there
            are none of either, or the median critical loss is not above 0.

    All have bootstrap intervals over pairs.
    """

    losses: tuple[Losses, ...]
    correlation: Estimate
    critical_above_minor: Estimate
    harmless_share: Estimate


def severity_result(
    losses: Float,
    severities: Sequence[str],
    *,
    n_resamples: int = 1000,
    seed: Seed = None,
    confidence: float = CONFIDENCE,
) -> SeverityResult:
    """Losses by severity.

    Args:
        losses: float64 [n], better minus worse.
        severities: [n], of `SEVERITIES`.
        n_resamples: Bootstrap resamples.
        seed: Of the resamples.
        confidence: Of the intervals.
    """
    grades = np.array([SEVERITIES.index(one) for one in severities], dtype=np.float64)

    def estimate(statistic: ArrayFunction, rows: NDArray[np.bool_]) -> Estimate:
        chosen = losses[rows], grades[rows]
        interval = bootstrap_interval(
            statistic, *chosen, n_resamples=n_resamples, seed=seed, confidence=confidence
        )
        return Estimate(statistic(*chosen), interval)

    present = [grade for grade in range(len(SEVERITIES)) if (grades == grade).any()]
    return SeverityResult(
        tuple(
            Losses(SEVERITIES[grade], int((grades == grade).sum()), estimate(_median, grades == grade))
            for grade in present
        ),
        estimate(_correlation, grades > HARMLESS),
        estimate(_critical_above_minor, (grades == MINOR) | (grades == CRITICAL)),
        estimate(_harmless_share, (grades == HARMLESS) | (grades == CRITICAL)),
    )


def _median(losses: Float, grades: Float) -> float:  # noqa: ARG001 - of one grade
    return float(np.median(losses))


def _correlation(losses: Float, grades: Float) -> float:
    return spearman(losses, grades) if len(losses) > 1 else math.nan


def _critical_above_minor(losses: Float, grades: Float) -> float:
    """The statistic of Mann and Whitney (1947), divided by the number of pairs of a critical and a minor error."""
    critical = grades == CRITICAL
    n, m = int(critical.sum()), int((~critical).sum())
    if not n or not m:
        return math.nan
    return (float(mid_ranks(losses)[critical].sum()) - n * (n + 1) / 2) / (n * m)


def _harmless_share(losses: Float, grades: Float) -> float:
    harmless, critical = losses[grades == HARMLESS], losses[grades == CRITICAL]
    if not harmless.size or not critical.size or np.median(critical) <= 0.0:
        return math.nan
    return float(np.median(harmless) / np.median(critical))
