"""The user's own folder of resources: tables, parsers, vectors, caches.

Whether this call may download something: only if the user says ``--download``.
"""

import contextlib
import os
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

# Below it nothing exists and nothing can be written: for users who have no home.
NOWHERE = Path(os.devnull)

FOLDER_VARIABLE = "PFSM_RESOURCES"


def user_folder() -> Path:
    """``PFSM_RESOURCES`` if it is set, else ``pfsm`` in the user's cache folder. The folder need not exist.

    A user who has no home gets one that cannot exist.
    """
    given = os.environ.get(FOLDER_VARIABLE)
    if given:
        return Path(given)
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if Path(cache).is_absolute() else _home() / ".cache") / "pfsm"


def _home() -> Path:
    """The user's home, ``NOWHERE`` for one who has none: never a folder below the working one."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - `Path.home` raises an error where there is none
    return home if home.is_absolute() else NOWHERE


_allowed: ContextVar[bool] = ContextVar("pfsm_downloads", default=False)


@contextlib.contextmanager
def downloads(allowed: bool) -> Iterator[None]:
    """In the block downloads are allowed, or not."""
    token = _allowed.set(allowed)
    try:
        yield
    finally:
        _allowed.reset(token)


def may_download() -> bool:
    """Whether downloads are allowed here."""
    return _allowed.get()
