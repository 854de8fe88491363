"""The first run of a command that scores: kernels are compiled on two cores."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pfsm.metrics import SegmentMetric
from pfsm.model.metric import Metric


@contextmanager
def compiled_ahead(metrics: Sequence[SegmentMetric], scheduler: str | None) -> Iterator[None]:
    """As long as the block lasts, kernels that models need are compiled on a second core, too, if they are not there.

    Args:
        metrics: Whose scores are about to be computed.
        scheduler: The cluster that computes them; None: this process does.
    """
    models = [metric for metric in metrics if isinstance(metric, Metric)]
    threads = max((model.threads for model in models), default=1) if scheduler is None else 1
    from pfsm_kernels.companion import companion  # noqa: PLC0415 - brings numba

    with companion(threads):
        yield
