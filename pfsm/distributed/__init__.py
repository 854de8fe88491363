"""Beyond one machine: scoring in partitions, on a Dask cluster or in this process.

Nothing here imports Dask, PyArrow or fsspec before it is used; they come with the extra ``distributed``.
"""

from collections.abc import Sequence
from importlib.util import find_spec

from pfsm.errors import PfsmError

FILES = ("fsspec", "pyarrow")
PACKAGES = ("distributed", *FILES)


def need_packages(packages: Sequence[str] = PACKAGES) -> None:
    """Finds out whether what the extra brings is there.

    Args:
        packages: What is needed of it: without a cluster `FILES`.

    Raises:
        PfsmError: It is not.
    """
    for package in packages:
        if find_spec(package) is None:
            workers = " here and on every worker" if "distributed" in packages else ""
            raise PfsmError(f"{package} is not installed; pip install 'pfsm[distributed]'{workers}")
