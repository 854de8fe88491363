"""Where tasks run: in this process, or on a Dask cluster. Results come as they are ready, in any order."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from pfsm.distributed import need_packages

Item = TypeVar("Item")
Result = TypeVar("Result")


class Pool(Protocol):
    """Runs pure functions of picklable arguments."""

    @property
    def cores(self) -> int:
        """Tasks that can run at once, as far as is known."""

    @property
    def retries(self) -> int:
        """Tasks that had to start again so far because their worker was gone."""

    def run(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results of all items as they are ready; of the items few are held at a time.

        Raises:
            PfsmError: The cluster is gone, or lacks what the work needs.
        """


class InProcess:
    """Runs one task after the other, here."""

    cores = 1
    retries = 0

    def run(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """As `Pool.run`."""
        return map(work, items)


@contextmanager
def open_pool(scheduler: str | None) -> Iterator[Pool]:
    """The cluster at a scheduler's address, one of this machine's own (``local:N``), or this process (None).

    Raises:
        PfsmError: There is no scheduler, or the packages are not installed.
    """
    if scheduler is None:
        yield InProcess()
        return
    need_packages()
    from pfsm.distributed.cluster import open_cluster  # noqa: PLC0415 - brings Dask

    with open_cluster(scheduler) as cluster:
        yield cluster
