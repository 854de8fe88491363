"""Where compiled kernels are kept, and a word to people who wait for them.

Numba keeps a compiled kernel until its own file changes. But a kernel calls functions of other files, and its types may
be classes of others. So all kernels are kept in one folder named after all sources: whatever is edited, everything is
compiled anew. The folder is below ``NUMBA_CACHE_DIR`` where that is set, else beside the sources, else in the user's
cache folder. Where nothing may be written, kernels go to a folder of this process alone, and are compiled anew in the
next. That folder has no name that others could guess, for whoever writes to it runs code here.
"""

import atexit
import hashlib
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import config, event

NOTICE = "compiling kernels, about 20 s, once"
LOGGER = logging.getLogger("pfsm.kernels")
PREFIX = "pfsm-kernels-"
# Folders of other versions: so many are kept, and those that a process may still use.
OTHER_VERSIONS, IN_USE, OUTDATED = 4, 86_400.0, 30 * 86_400.0


def can_be_written(folder: Path) -> bool:
    """Whether a folder, or where it is not there yet the nearest one above it that is, may be written to."""
    for place in (folder, *folder.parents):
        if place.exists():
            return place.is_dir() and os.access(place, os.W_OK | os.X_OK)
    return False


def user_cache() -> Path:
    """The folder below which Numba's user-wide cache is."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home()))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def digest(package: Path) -> str:
    """A name for the sources of a package: other sources, other name."""
    found = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        found.update(f"{path.relative_to(package)}\n".encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def provide_cache(package: Path, user: Path) -> Path:
    """The folder for the kernels of a package.

    Args:
        package: The folder of the kernels' sources.
        user: The user's cache folder.
    """
    places = [Path(config.CACHE_DIR)] if config.CACHE_DIR else [package / "__pycache__", user]
    for place in places:
        if can_be_written(place):
            folder = place / f"{PREFIX}{digest(package)}"
            tidy_up(folder)
            return folder
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def tidy_up(folder: Path) -> None:
    """Notes that a folder is in use, and removes those beside it that have not been for long."""
    now = time.time()
    try:
        new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        if now - folder.stat().st_mtime > IN_USE / 2.0:
            os.utime(folder)
        if not new:
            return
        others = [place for place in folder.parent.glob(f"{PREFIX}*") if place != folder]
        ages = sorted((now - place.stat().st_mtime, place) for place in others)
    except OSError:  # another process was faster, or may do what this one may not
        return
    for rank, (age, place) in enumerate(ages):
        if age > OUTDATED or (age > IN_USE and rank >= OTHER_VERSIONS):
            shutil.rmtree(place, ignore_errors=True)


class Notice(event.Listener):  # type: ignore[misc]  # Numba has no types
    """Says once that kernels are being compiled, which is what the first run waits for.

    It says so to those who listen to the logger ``pfsm.kernels``; if nobody does, on a terminal.
    """

    def __init__(self) -> None:
        self.given = False

    def on_start(self, event: event.Event) -> None:  # noqa: ARG002 - Numba's signature
        """A kernel that was in no cache is about to be compiled."""
        if self.given:
            return
        self.given = True
        if LOGGER.isEnabledFor(logging.INFO):
            LOGGER.info(NOTICE)
        elif sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"pfsm: {NOTICE}\n")

    def on_end(self, event: event.Event) -> None:
        """Nothing is said when it is done."""


def _home_cache() -> Path:
    try:
        return user_cache()
    except RuntimeError:  # no home folder can be found
        return Path(os.devnull) / "cache"


FOLDER = provide_cache(Path(__file__).resolve().parent, _home_cache())
the_notice = Notice()
event.register("numba:compile", the_notice)


def njit(function: Callable[..., Any] | None = None, borrows: bool = False, **options: Any) -> Any:
    """``numba.njit`` with a cache in ``FOLDER``; used as a decorator, with or without options.

    ``borrows`` is for functions that allocate nothing. Numba then counts no references to the arrays that they are
    given, which in small functions of many arrays takes as long as the work.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        # Numba asks where to keep a kernel while it is decorated.
        before, config.CACHE_DIR = config.CACHE_DIR, str(FOLDER)
        try:
            return numba.njit(cache=True, _nrt=not borrows, **options)(function)
        finally:
            config.CACHE_DIR = before

    return decorate if function is None else decorate(function)
