"""Minimum Bayes risk on a cluster: candidates go out source by source, choices come back."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pfsm.distributed.outcomes import Fault, WorkerFaultError
from pfsm.distributed.pools import Pool
from pfsm.distributed.report import Report
from pfsm.distributed.scorers import ScorerSpec, borrowed
from pfsm.errors import PfsmError
from pfsm.model.mbr import PAIRS_AT_ONCE, Choice, Progress, choose
from pfsm.runtime.progress import Stage

Candidates = tuple[tuple[str, ...], ...]
Weights = tuple[tuple[float, ...], ...] | None


@dataclass(frozen=True)
class ChoiceTask:
    """Some of the sources.

    Attributes:
        first: Place of the first among all.
        spec: What scores.
        candidates: For each source its candidates.
        weights: For each source their weights; None: all alike.
    """

    first: int
    spec: ScorerSpec
    candidates: Candidates
    weights: Weights


@dataclass(frozen=True, eq=False)
class ChoiceOutcome:
    """The choices for them, or a fault; and the processor's seconds that it took."""

    first: int
    choices: list[Choice] | Fault
    seconds: float


def choose_task(task: ChoiceTask) -> ChoiceOutcome:
    """Chooses for some of the sources."""
    started = time.thread_time()
    choices: list[Choice] | Fault
    try:
        with borrowed(task.spec) as scorer:
            choices = choose(scorer, task.candidates, task.weights)
    except PfsmError as error:
        choices = Fault(str(error), isinstance(error, WorkerFaultError))
    return ChoiceOutcome(task.first, choices, time.thread_time() - started)


def choose_on(
    pool: Pool,
    spec: ScorerSpec,
    candidates: Sequence[Sequence[str]],
    weights: Sequence[Sequence[float]] | None,
    report: Report,
    progress: Progress | None = None,
) -> list[Choice]:
    """The choices of `pfsm.model.mbr.choose`, made in a pool.

    Args:
        pool: Where the work is done.
        spec: The metric.
        candidates: For each source its candidates.
        weights: For each source their weights; None: all alike.
        report: Counts what is done; a pair is one candidate against another.
        progress: Called with the number of sources done so far.

    Raises:
        PfsmError: A pair cannot be scored, a worker cannot score, or the cluster is gone.
        ValueError: As `pfsm.model.mbr.choose`.
    """
    found: dict[int, list[Choice]] = {}
    with Stage("mbr", "choosing", len(candidates), "sources") as stage:
        for outcome in pool.run(choose_task, _tasks(spec, candidates, weights)):
            if isinstance(outcome.choices, Fault):
                raise PfsmError(outcome.choices.message)
            found[outcome.first] = outcome.choices
            report.add(sum(choice.expected.size**2 for choice in outcome.choices), outcome.seconds)
            stage.reach(sum(map(len, found.values())))
            if progress is not None:
                progress(stage.done)
    return [choice for first in sorted(found) for choice in found[first]]


def _tasks(
    spec: ScorerSpec, candidates: Sequence[Sequence[str]], weights: Sequence[Sequence[float]] | None
) -> Iterator[ChoiceTask]:
    """As many sources at a time as have about ``PAIRS_AT_ONCE`` pairs."""
    first = pairs = 0
    for place, lines in enumerate(candidates, start=1):
        pairs += len(lines) ** 2
        if pairs >= PAIRS_AT_ONCE or place == len(candidates):
            given = None if weights is None else tuple(map(tuple, weights[first:place]))
            yield ChoiceTask(first, spec, tuple(map(tuple, candidates[first:place])), given)
            first, pairs = place, 0
