"""Pairs that are at hand, scored on a cluster: text goes out in parts, numbers come back."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.distributed.outcomes import Fault, WorkerFaultError
from pfsm.distributed.pools import Pool
from pfsm.distributed.report import Report
from pfsm.distributed.scorers import ScorerSpec, borrowed
from pfsm.errors import PfsmError
from pfsm.metrics.protocol import check_pairs

Float = NDArray[np.float64]
# About a second of work.
PAIRS_PER_TASK = 10_000


@dataclass(frozen=True)
class PairsTask:
    """Some of the pairs.

    Attributes:
        number: Their place among the parts.
        spec: What scores them.
        hypotheses: Translations.
        references: As many references.
    """

    number: int
    spec: ScorerSpec
    hypotheses: tuple[str, ...]
    references: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PairsOutcome:
    """Their scores, float64 [n_pairs], or a fault; and the processor's seconds that it took."""

    number: int
    scores: Float | Fault
    seconds: float


def score_task(task: PairsTask) -> PairsOutcome:
    """Scores some of the pairs."""
    started = time.thread_time()
    scores: Float | Fault
    try:
        with borrowed(task.spec) as scorer:
            scores = scorer.score_pairs(task.hypotheses, task.references)
    except PfsmError as error:
        scores = Fault(str(error), isinstance(error, WorkerFaultError))
    return PairsOutcome(task.number, scores, time.thread_time() - started)


def score_on(
    pool: Pool, spec: ScorerSpec, hypotheses: Sequence[str], references: Sequence[str], report: Report
) -> Float:
    """Scores of single-reference pairs, as the metric's own ``score_pairs`` gives them.

    Args:
        pool: Where the work is done.
        spec: The metric.
        hypotheses: Translations.
        references: As many references.
        report: Counts what is done.

    Returns:
        float64 [n_pairs].

    Raises:
        ValueError: If the lists differ in length, or one of them is a single string.
        PfsmError: A pair cannot be scored, a worker cannot score, or the cluster is gone.
    """
    check_pairs(hypotheses, references)
    starts = range(0, len(hypotheses), PAIRS_PER_TASK)
    tasks = (
        PairsTask(
            number,
            spec,
            tuple(hypotheses[start : start + PAIRS_PER_TASK]),
            tuple(references[start : start + PAIRS_PER_TASK]),
        )
        for number, start in enumerate(starts)
    )
    report.parts = (report.parts or 0) + len(starts)
    scores = np.zeros(len(hypotheses))
    for outcome in pool.run(score_task, tasks):
        if isinstance(outcome.scores, Fault):
            raise PfsmError(outcome.scores.message)
        start = starts[outcome.number]
        scores[start : start + outcome.scores.size] = outcome.scores
        report.add(int(outcome.scores.size), outcome.seconds)
    return scores


class PooledMetric:
    """A metric whose pairs are scored in a pool; a `pfsm.metrics.SegmentMetric`.

    Args:
        name: What scores are reported under.
        spec: The metric.
        pool: Where the work is done.
        report: Counts what is done.
    """

    def __init__(self, name: str, spec: ScorerSpec, pool: Pool, report: Report) -> None:
        self.name = name
        self.signature = spec.signature
        self._spec = spec
        self._pool = pool
        self._report = report

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """As `score_on`."""
        return score_on(self._pool, self._spec, hypotheses, references, self._report)
