"""Where compiled kernels are kept, and a word to people who wait for them.

Numba keeps compiled kernels beside the sources, or, where that folder may not be written, in the user's cache folder;
without either it refuses to work. Then they go to a folder of this process alone, and are compiled anew in the next.
The folder has no name that others could guess, for whoever writes to it runs code here.
"""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

from numba.core import config, event

NOTICE = "pfsm: compiling kernels for this machine, once: half a minute"


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


def provide_cache(package: Path, user: Path) -> str | None:
    """Gives Numba a folder where it has none; returns its name, or None where it has one.

    Args:
        package: The folder of the kernels' sources.
        user: The user's cache folder.
    """
    if config.CACHE_DIR or can_be_written(package / "__pycache__") or can_be_written(user):
        return None
    folder = tempfile.mkdtemp(prefix="pfsm-kernels-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    config.CACHE_DIR = folder
    return folder


class Notice(event.Listener):  # type: ignore[misc]  # Numba has no types
    """Says once, on a terminal, that kernels are being compiled, which is what the first run waits for."""

    def __init__(self) -> None:
        self.given = False

    def on_start(self, event: event.Event) -> None:  # noqa: ARG002 - Numba's signature
        """A kernel that was in no cache is about to be compiled."""
        if not self.given and sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"{NOTICE}\n")
        self.given = True

    def on_end(self, event: event.Event) -> None:
        """Nothing is said when it is done."""


def _home_cache() -> Path:
    try:
        return user_cache()
    except RuntimeError:  # no home folder can be found
        return Path(os.devnull) / "cache"


provide_cache(Path(__file__).resolve().parent, _home_cache())
event.register("numba:compile", Notice())
