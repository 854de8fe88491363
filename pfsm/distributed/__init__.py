"""Scoring in partitions, here or on a Dask cluster; the extra ``distributed`` brings Dask, fsspec and PyArrow."""

from importlib.util import find_spec

from pfsm.errors import NotInstalledError, PfsmError


class WorkerFaultError(PfsmError):
    """A worker lacks a resource or a package. It ends the job: going on elsewhere would hide it."""


def need_packages(*more: str) -> None:
    """Raise `NotInstalledError` unless fsspec, PyArrow and these packages are installed."""
    missing = [package for package in (*more, "fsspec", "pyarrow") if find_spec(package) is None]
    if missing:
        what = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed"
        after = " here and on every worker" if more else ""
        raise NotInstalledError(what, missing, ["distributed"], after=after)
