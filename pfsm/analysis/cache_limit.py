"""The size limit of the cache of analyses; when it is exceeded, the least recently used entries are removed.

Files are removed in the order of their last write; reading also writes, once an hour. If removing a part of a file is
enough, its analyses are removed in the order of the hour of their last use. SQLite does all of this under its locks, so
other processes see a file either before or after the change, and never a removed one.
"""

import os
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

from pfsm.errors import PfsmError
from pfsm.io.sizes import byte_size

VARIABLE = "PFSM_CACHE_SIZE"
LARGEST = 1 << 30
TABLES = (
    "CREATE TABLE IF NOT EXISTS analyses (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS uses (key BLOB PRIMARY KEY, hour INTEGER NOT NULL) WITHOUT ROWID",
)
# Fraction of the limit to shrink to when it is exceeded, so that this happens seldom.
_KEPT = 0.75
# Fraction of the limit that a process writes before it checks the folder again.
_STEP = 0.02
# Seconds to wait for another process; recording a use is not worth a longer wait, making room is.
_FOR_MARKS, _FOR_ROOM = 0.1, 10.0


def largest_size() -> int:
    """Largest total size of the cache's files in bytes: PFSM_CACHE_SIZE, by default 1 GB.

    Raises:
        PfsmError: If the variable is not a number of bytes.
    """
    given = os.environ.get(VARIABLE)
    size = byte_size(given) if given else LARGEST
    if size is None:
        raise PfsmError(
            f"environment variable {VARIABLE} is {given!r}, a number of bytes such as 500M or 2G is needed"
        )
    return size


def this_hour() -> int:
    """Hours since the epoch."""
    return int(time.time() // 3600)


def mark_used(path: Path, keys: Iterable[bytes]) -> None:
    """Records that analyses were used this hour; does nothing if another process is writing."""
    rows = [(key, this_hour()) for key in keys]
    with suppress(sqlite3.Error), closing(sqlite3.connect(path, timeout=_FOR_MARKS)) as base, base:
        base.executemany("INSERT OR REPLACE INTO uses VALUES (?, ?)", rows)


class Room:
    """Keeps the files of a folder within the limit.

    Args:
        folder: The folder of the files.

    Raises:
        PfsmError: As `largest_size`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._largest = largest_size()
        self._written: float | None = None

    def grown_by(self, size: int) -> None:
        """Makes room if the folder is too large; checks after the first bytes, and then from time to time."""
        self._written = None if self._written is None else self._written + size
        if self._written is None or self._written >= _STEP * self._largest:
            self._written = 0.0
            make_room(self._folder, self._largest)


def make_room(folder: Path, largest: int) -> None:
    """Removes the least recently used entries if the files of a folder are together larger than ``largest``."""
    with suppress(OSError):
        found = [(path, path.stat()) for path in folder.glob("*.sqlite")]
        excess = sum(status.st_size for _, status in found)
        if excess <= largest:
            return
        excess -= int(_KEPT * largest)
        for path, status in sorted(found, key=lambda one: (one[1].st_mtime, one[0])):
            _shrink(path, excess, status.st_size)
            gone = status.st_size - path.stat().st_size
            if gone and excess < status.st_size:
                return  # nothing is left to remove, except what rounding to pages hides
            excess -= gone


def _shrink(path: Path, excess: int, size: int) -> None:
    """Removes ``excess`` bytes from a file, or all analyses in it."""
    try:
        with closing(sqlite3.connect(path, timeout=_FOR_ROOM)) as base:
            for table in TABLES:
                base.execute(table)
            with base:
                base.execute("BEGIN IMMEDIATE")
                # Space that was freed earlier but could not be returned then.
                _delete(base, excess, size, _free(base))
            base.execute("VACUUM")
    except sqlite3.Error:
        return  # another process is using it, or the file is damaged, which reading will detect


def _delete(base: sqlite3.Connection, excess: int, size: int, free: int) -> None:
    """Deletes the same fraction of the values as ``excess`` is of the used bytes, which are mostly values."""
    if excess >= size:
        base.execute("DELETE FROM analyses")
        base.execute("DELETE FROM uses")
        return
    (total,) = base.execute("SELECT COALESCE(SUM(LENGTH(value)), 0) FROM analyses").fetchone()
    left, gone = total * (excess - free) / max(1, size - free), []
    # Entries without an hour are older than the recording of uses.
    oldest = (
        "SELECT key, LENGTH(value) FROM analyses LEFT JOIN uses USING (key) ORDER BY COALESCE(hour, 0), key"
    )
    for key, length in base.execute(oldest):
        if left <= 0:
            break
        gone.append((key,))
        left -= length
    base.executemany("DELETE FROM analyses WHERE key = ?", gone)
    base.execute("DELETE FROM uses WHERE key NOT IN (SELECT key FROM analyses)")


def _free(base: sqlite3.Connection) -> int:
    """Unused bytes of a file."""
    pages, size = (
        int(base.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("freelist_count", "page_size")
    )
    return pages * size
