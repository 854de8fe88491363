"""What commands do with ``--scheduler``: metrics whose pairs are scored on its cluster, and a summary in the end."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pfsm.distributed.pairs import ClusterMetric
from pfsm.distributed.pools import Pool, Report, open_pool
from pfsm.metrics.base import SegmentMetric


class Sharing:
    """Shares out pairs among the workers of a cluster, where there is one.

    Args:
        pool: The cluster; None: everything stays here.
    """

    def __init__(self, pool: Pool | None) -> None:
        self.pool = pool
        self.report = None if pool is None else Report(pool, "parts")

    def metric(self, metric: SegmentMetric) -> SegmentMetric:
        """The same metric, at work on the cluster; itself where there is none."""
        if self.pool is None or self.report is None:
            return metric
        return ClusterMetric(metric, self.pool, self.report)


ALONE = Sharing(None)


@contextmanager
def sharing(scheduler: str | None, *, quiet: bool = False) -> Iterator[Sharing]:
    """The cluster that ``--scheduler`` names, as long as the block lasts; says in the end what was done there."""
    if scheduler is None:
        yield ALONE
        return
    with open_pool(scheduler) as pool:
        shared = Sharing(pool)
        yield shared
        if shared.report is not None and shared.report.done and not quiet:
            print(f"pfsm: {shared.report.summary()}", file=sys.stderr)
