"""Beyond one machine: scoring in partitions, on a Dask cluster or in this process.

Nothing here imports Dask, PyArrow or fsspec before it is used; they come with the extra ``distributed``.
"""

from collections.abc import Sequence
from importlib.util import find_spec

from pfsm.errors import NotInstalledError

FILES = ("fsspec", "pyarrow")
PACKAGES = ("distributed", *FILES)


def need_packages(packages: Sequence[str] = PACKAGES) -> None:
    """Finds out whether what the extra brings is there.

    Args:
        packages: What is needed of it: without a cluster `FILES`.
    """
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise NotInstalledError(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed",
            missing,
            ["distributed"],
            after=" here and on every worker" if "distributed" in packages else "",
        )
