"""What happens to clusters."""

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

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


def kill_the_holder(cluster: Cluster, future: Any) -> None:
    """Ends the worker process that has a future's result, and waits until the client knows that it is lost."""
    processes = cluster.client.run(os.getpid)
    (holder,) = cluster.client.who_has([future])[future.key]
    os.kill(processes[holder], signal.SIGKILL)
    deadline = time.monotonic() + 60
    while future.status == "finished":
        assert time.monotonic() < deadline
        time.sleep(0.01)


def kill_a_worker(cluster: Cluster) -> None:
    """Ends one of the worker processes as the system does that runs out of memory."""
    processes, results = cluster.client.run(os.getpid), cluster.client.has_what()
    # The one that holds the most results: another may have nothing that would have to be made again.
    ended = min(processes, key=lambda worker: (-len(results.get(worker, ())), worker))
    os.kill(processes[ended], signal.SIGKILL)
