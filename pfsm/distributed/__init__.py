"""Beyond one machine: scoring in partitions, on a Dask cluster or in this process.

Nothing here imports Dask, PyArrow or fsspec before it is used; they come with the extra ``distributed``.
"""

from importlib.util import find_spec

from pfsm.errors import PfsmError

PACKAGES = ("distributed", "fsspec", "pyarrow")


def need_packages() -> None:
    """Finds out whether what the extra brings is there.

    Raises:
        PfsmError: It is not.
    """
    for package in PACKAGES:
        if find_spec(package) is None:
            raise PfsmError(
                f"{package} is not installed; pip install 'pfsm[distributed]' here and on every worker"
            )
