"""Metrics on workers: sent as a few kilobytes, built once for each worker with all that they know from."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module

from pfsm.distributed.partitions import WorkerFaultError
from pfsm.errors import PfsmError
from pfsm.metrics.base import Recipe, SegmentMetric
from pfsm.version import __version__

# Half a million token types take about 200 MB; a vocabulary that has more is replaced by a fresh one.
MOST_TYPES = 500_000
# Metrics that a worker keeps ready.
MOST_METRICS = 4


@dataclass(frozen=True)
class ScorerSpec:
    """A metric as it is sent to workers.

    Attributes:
        recipe: How a worker makes it.
        signature: What the sender's own copy says of itself: a worker's must say the same.
        version: Of pfsm, at the sender.
    """

    recipe: Recipe
    signature: str
    version: str = __version__

    @property
    def key(self) -> str:
        """SHA-256 of it all."""
        text = json.dumps([self.recipe.maker, self.recipe.text, self.signature, self.version])
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def spec_of(metric: SegmentMetric) -> ScorerSpec:
    """What to send for a metric at hand."""
    metric.check_independent()
    return ScorerSpec(metric.recipe(), metric.get_signature(1))


# Metrics that no thread is using, by their specification; the last used stands last.
_shelves: dict[str, list[SegmentMetric]] = {}
# Building takes memory and time: one thread at a time does, and the others find the tables loaded.
_one_at_a_time = threading.Lock()


@contextmanager
def cached_scorer(spec: ScorerSpec) -> Iterator[SegmentMetric]:
    """The metric, for one thread, as long as the block lasts."""
    with _one_at_a_time:
        idle = _shelf(spec.key)
        scorer = idle.pop() if idle else _built(spec)
    yield scorer
    # Not after an exception: what state it is in then nobody knows.
    if scorer.n_types <= MOST_TYPES:
        with _one_at_a_time:
            _shelf(spec.key).append(scorer)


def _shelf(key: str) -> list[SegmentMetric]:
    shelf = _shelves[key] = _shelves.pop(key, [])
    while len(_shelves) > MOST_METRICS:
        del _shelves[next(iter(_shelves))]
    return shelf


def _built(spec: ScorerSpec) -> SegmentMetric:
    if spec.version != __version__:
        raise WorkerFaultError(
            f"{worker_name()} has pfsm {__version__}, this is {spec.version}; install the same"
        )
    try:
        module, _, name = spec.recipe.maker.partition(":")
        scorer: SegmentMetric = getattr(import_module(module), name)(spec.recipe.text)
        signature = scorer.get_signature(1)
    except PfsmError as error:
        raise WorkerFaultError(f"{worker_name()} cannot score: {error}") from None
    if signature != spec.signature:
        raise WorkerFaultError(
            f"{worker_name()} has other resources or packages: its signature is {signature}, here {spec.signature}"
        )
    return scorer


def worker_name() -> str:
    """What messages call the worker that this runs on."""
    import sys  # noqa: PLC0415 - Dask is looked for, not imported

    if "distributed" in sys.modules:
        from distributed import get_worker  # noqa: PLC0415 - is imported already

        try:
            return f"worker {get_worker().address}"
        except ValueError:
            pass
    return "this process"
