"""What happens to clusters."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from pfsm.distributed.cluster import Cluster

Item = TypeVar("Item")
Result = TypeVar("Result")


class Interfering:
    """A cluster to which something happens after some results.

    Args:
        cluster: The cluster.
        after: Number of results before.
        action: What happens.
    """

    def __init__(self, cluster: Cluster, after: int, action: Callable[[], None]) -> None:
        self.cluster = cluster
        self.after = after
        self.action = action

    @property
    def cores(self) -> int:
        return self.cluster.cores

    @property
    def retries(self) -> int:
        return self.cluster.retries

    def run(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        for result in self.cluster.run(work, items):
            yield result
            self.after -= 1
            if self.after == 0:
                self.action()


def kill_a_worker(cluster: Cluster) -> None:
    """Ends one of the worker processes as the system does that runs out of memory."""
    processes = cluster.client.run(os.getpid)
    os.kill(processes[min(processes)], signal.SIGKILL)
