"""Scoring in partitions, here or on a Dask cluster; the extra ``distributed`` brings Dask, fsspec and PyArrow."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from pfsm.errors import NotInstalledError, PfsmError

Run = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""As `map`, but results may come in any order."""


class WorkerFaultError(PfsmError):
    """A worker lacks a resource or a package. It ends the job: going on elsewhere would hide it."""


def need_packages(*more: str) -> None:
    """Raise `NotInstalledError` unless fsspec, PyArrow and these packages are installed."""
    missing = [package for package in (*more, "fsspec", "pyarrow") if find_spec(package) is None]
    if missing:
        what = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed"
        after = " here and on every worker" if more else ""
        raise NotInstalledError(what, missing, ["distributed"], after=after)


@contextmanager
def running_on(scheduler: str | None) -> Iterator[Run]:
    """Yield `map`, or the same on the workers of the cluster at an address."""
    if scheduler is None:
        need_packages()
        yield map
        return
    need_packages("distributed")
    from pfsm.distributed.cluster import open_cluster  # noqa: PLC0415 - brings Dask

    with open_cluster(scheduler) as cluster:
        yield cluster.run
