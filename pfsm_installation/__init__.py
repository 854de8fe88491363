"""The installation: starts the command, finds the files of another project in the way, says what to install.

Another project on the package index is called ``pfsm``, and its module too. Ours is distributed as ``pfsm-metric``.
If both are installed, the module ``pfsm`` may be theirs, or ours with their ``__init__.py``. This package has a name of
its own and imports nothing of ours, so it runs all the same and can say so.
"""

import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

DISTRIBUTION = "pfsm-metric"
_CHECKOUT = Path(__file__).resolve().parent.parent
_REINSTALL = f"run `pip uninstall pfsm`, then install {DISTRIBUTION} again"


def main() -> int:
    """The command ``pfsm``; returns its exit status, 2 if the files of another project stand in its way."""
    found = fault()
    if found is not None:
        sys.stderr.write(f"pfsm: {found}\n")
        return 2
    import_module("pfsm.runtime.process").defer_gc()
    status: int = import_module("pfsm.cli").main()
    return status


def check() -> None:
    """Refuses to go on with the files of another project.

    Raises:
        ImportError: If the module ``pfsm`` is not ours.
    """
    found = fault()
    if found is not None:
        raise ImportError(found, name="pfsm")


def fault() -> str | None:
    """One line about a module ``pfsm`` that is not ours; None if it is. No line of that module is run."""
    try:
        spec = find_spec("pfsm")
    except ValueError:  # a module without a specification, made by hand
        spec = None
    if spec is None:
        return f"the module pfsm is missing; install {DISTRIBUTION} again"
    if spec.origin is None:
        where = next(iter(spec.submodule_search_locations or ()), "pfsm")
        return f"{where}: __init__.py is missing, as after `pip uninstall pfsm`; install {DISTRIBUTION} again"
    if DISTRIBUTION in _source(spec):
        return None
    return (
        f"{spec.origin}: belongs to another project that is called pfsm, too, and stands in the way of {DISTRIBUTION}; "
        f"{_REINSTALL}"
    )


def _source(spec: ModuleSpec) -> str:
    """The text of the module; where none can be had, as from compiled files, that of ours is taken for granted."""
    get_source = getattr(spec.loader, "get_source", None)
    try:
        return (get_source(spec.name) if get_source is not None else None) or _unreadable(spec)
    except (ImportError, OSError, SyntaxError):
        return _unreadable(spec)


def _unreadable(spec: ModuleSpec) -> str:
    """An empty or unreadable module: ours if it was found as compiled Python, else not."""
    return DISTRIBUTION if str(spec.origin).endswith(".pyc") else ""


def installed_version() -> str:
    """The version of the installed distribution; in a checkout that was never installed, that of its pyproject.toml."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - takes milliseconds

    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return _version_of_checkout() or "0+unknown"


def _version_of_checkout() -> str | None:
    import tomllib  # noqa: PLC0415 - only in a checkout

    try:
        project = tomllib.loads((_CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    except (OSError, ValueError, KeyError):
        return None
    return str(project["version"]) if project.get("name") == DISTRIBUTION else None


def install_command(extras: Iterable[str] = (), packages: Iterable[str] = ()) -> str:
    """The one command that adds extras and packages to this installation.

    pip takes ``pfsm-metric`` for what is installed already, and looks for its extras alone. In a checkout that was
    never installed the command names the checkout, so that no other project can be meant.
    """
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - takes milliseconds

    brackets = f"[{','.join(dict.fromkeys(extras))}]" if extras else ""
    ours = f"'{DISTRIBUTION}{brackets}'"
    try:
        version(DISTRIBUTION)
    except PackageNotFoundError:
        if _version_of_checkout() is not None:
            ours = f"'{DISTRIBUTION}{brackets} @ {_CHECKOUT.as_uri()}'"
    return " ".join(["pip install", *([ours] if brackets else []), *dict.fromkeys(packages)])
