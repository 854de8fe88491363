"""The installation: is this package ours, which version is it, what installs the rest.

Another project on the package index is called ``pfsm``, and so is its module. Ours is distributed as ``pfsm-metric``.
"""

import sys
from collections.abc import Iterable

DISTRIBUTION = "pfsm-metric"


def fault() -> str | None:
    """Return one line if the other project's ``__init__.py`` was written over ours, or ours is missing; else None."""
    module = sys.modules["pfsm"]
    if "load_model" in getattr(module, "__all__", ()):
        return None
    return (
        f"{next(iter(module.__path__))}: __init__.py is not that of {DISTRIBUTION}, but missing or of another project "
        f"called pfsm; run `pip uninstall pfsm`, then install {DISTRIBUTION} again"
    )


def installed_version() -> str:
    """Return the version of the installed distribution; ``0+unknown`` in a checkout that was never installed."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - takes milliseconds

    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "0+unknown"


def install_command(extras: Iterable[str] = (), packages: Iterable[str] = ()) -> str:
    """Return the one command that adds extras and packages to this installation."""
    ours = f"'{DISTRIBUTION}[{','.join(dict.fromkeys(extras))}]'" if extras else ""
    return " ".join(filter(None, ["pip install", ours, *dict.fromkeys(packages)]))
