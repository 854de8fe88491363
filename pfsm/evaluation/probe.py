"""How a metric's losses on minimal pairs go with the severity of what is wrong.

The loss of a pair is the better version's score minus the worse one's. A metric that weighs errors as people do loses
more on a critical error than on a minor one, and next to nothing on a harmless change.

Contrast tests: how often a metric scores a damaged version below a faithful one, by kind of damage.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.data.minimal_pairs import SEVERITIES, MinimalPairs
from pfsm.evaluation.bootstrap import CONFIDENCE, ArrayFunction, Estimate, Interval, Seed, bootstrap_interval
from pfsm.evaluation.correlation import mid_ranks, spearman
from pfsm.metrics.base import SegmentMetric

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
) -> SeverityResult:
    """Losses by severity.

    Args:
        losses: float64 [n], better minus worse.
        severities: [n], of `SEVERITIES`.
        n_resamples: Bootstrap resamples.
        seed: Of the resamples.
    """
    grades = np.array([SEVERITIES.index(one) for one in severities], dtype=np.float64)

    def estimate(statistic: ArrayFunction, rows: NDArray[np.bool_]) -> Estimate:
        chosen = losses[rows], grades[rows]
        interval = bootstrap_interval(statistic, *chosen, n_resamples=n_resamples, seed=seed)
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


ALL = "all"


@dataclass(frozen=True)
class KindResult:
    """What a metric makes of one kind of damage.

    Attributes:
        kind: Name of the kind; ``all`` for all pairs together.
        n: Number of pairs.
        ties: Pairs whose two versions have the same score.
        lower: Part of the pairs whose worse version scores lower, with its Wilson interval; a tie is not lower.
        difference: Mean of the better version's score minus the worse one's, in the units of the score, with its
            bootstrap interval.
        severity: How grave the kind is, if the file says so and all its pairs are alike; else empty.
    """

    kind: str
    n: int
    ties: int
    lower: Estimate
    difference: Estimate
    severity: str = ""


@dataclass(frozen=True, eq=False)
class ProbeResult:
    """The outcome of a contrast test.

    Attributes:
        kinds: Of each kind, in the order in which they first come, and of all pairs at last; harmless pairs (of
            severity ``none``) do not count among all, unless there are no others.
        better: float64 [n], scores of the better versions.
        worse: float64 [n], of the worse ones.
        severity: How losses go with severity; None where the file has no severities.
    """

    kinds: tuple[KindResult, ...]
    better: Float
    worse: Float
    severity: SeverityResult | None = None

    @property
    def mean_of_kinds(self) -> float:
        """Mean over the kinds, harmless ones left out, of the share whose worse version scores lower."""
        shares = [one.lower.value for one in self.kinds[:-1] if one.severity != SEVERITIES[0]]
        return float(np.mean(shares)) if shares else math.nan


def probe(
    metric: SegmentMetric, pairs: MinimalPairs, *, n_resamples: int = 1000, seed: Seed = None
) -> ProbeResult:
    """Scores both versions of every pair against the reference and counts by kind.

    Args:
        metric: Scores the versions.
        pairs: The minimal pairs, at least one.
        n_resamples: Bootstrap resamples for the intervals of differences.
        seed: Of the resamples; `pfsm.evaluation.default_seed` where it is None.
    """
    if not len(pairs):
        raise ValueError("a contrast test needs at least one pair")
    references = pairs.all_references or [(one,) for one in pairs.references]
    scores = metric.score_segments([*pairs.better, *pairs.worse], [*references, *references])
    better, worse = scores[: len(pairs)], scores[len(pairs) :]

    def result(kind: str, rows: NDArray[np.bool_]) -> KindResult:
        gains = (better - worse)[rows]
        n, lower = gains.size, int((gains > 0.0).sum())
        interval = bootstrap_interval(np.mean, gains, n_resamples=n_resamples, seed=seed)
        return KindResult(
            kind,
            n,
            int((gains == 0.0).sum()),
            Estimate(lower / n, wilson_interval(lower, n)),
            Estimate(float(gains.mean()), interval),
        )

    names = dict.fromkeys(pairs.kinds)
    # Compared by Python: numpy drops NUL characters at the end of a name.
    results = [
        replace(
            result(name, np.array([kind == name for kind in pairs.kinds])), severity=_severity_of(pairs, name)
        )
        for name in names
    ]
    faulty = np.array([one != SEVERITIES[0] for one in pairs.severities or [""] * len(pairs)])
    results.append(result(ALL, faulty if faulty.any() else ~faulty))
    severity = None
    if pairs.severities:
        severity = severity_result(better - worse, pairs.severities, n_resamples=n_resamples, seed=seed)
    return ProbeResult(tuple(results), better, worse, severity)


def _severity_of(pairs: MinimalPairs, name: str) -> str:
    found = {severity for kind, severity in zip(pairs.kinds, pairs.severities, strict=False) if kind == name}
    return found.pop() if len(found) == 1 else ""


def wilson_interval(successes: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Score interval of a binomial proportion (Wilson 1927).

    Args:
        successes: Number of successes, 0 to ``n``.
        n: Number of trials.
        confidence: Between 0 and 1.
    """
    if not 0 <= successes <= n or n < 1 or not 0.0 < confidence < 1.0:
        raise ValueError(f"{successes} successes of {n} at confidence {confidence}: out of range")
    z = NormalDist().inv_cdf(0.5 + confidence / 2.0)
    share = successes / n
    centre = share + z * z / (2 * n)
    reach = z * math.sqrt(share * (1.0 - share) / n + z * z / (4 * n * n))
    scale = 1.0 + z * z / n
    return Interval(max(0.0, (centre - reach) / scale), min(1.0, (centre + reach) / scale))
