"""How large the cache of analyses may grow, and what goes when it is larger: what was used longest ago.

Files are taken by when they were last written to, which reading does too, once an hour; of the file where it is
enough to take a part, analyses by the hour of their last use. All of it is done by SQLite under its locks, so that
other processes see a file before or after it, and never a removed one.
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
# Part of the limit that is kept when it is passed, so that this happens seldom.
_KEPT = 0.75
# Part of the limit that a process writes before it looks at the folder again.
_STEP = 0.02
# Seconds to wait for another process: a mark of use is not worth more, room is.
_FOR_MARKS, _FOR_ROOM = 0.1, 10.0


def largest_size() -> int:
    """Bytes that all files of the cache may have together: what PFSM_CACHE_SIZE says, else 1 GB.

    Raises:
        PfsmError: If the variable is no number of bytes.
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
    """Notes that analyses were used this hour; where another process is writing they stay as they are."""
    rows = [(key, this_hour()) for key in keys]
    with suppress(sqlite3.Error), closing(sqlite3.connect(path, timeout=_FOR_MARKS)) as base, base:
        base.executemany("INSERT OR REPLACE INTO uses VALUES (?, ?)", rows)


class Room:
    """The room that the files of a folder have.

    Args:
        folder: Where they are.

    Raises:
        PfsmError: As `largest_size`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._largest = largest_size()
        self._written: float | None = None

    def grown_by(self, size: int) -> None:
        """Makes room where there is too little; it looks after the first bytes, and then now and again."""
        self._written = None if self._written is None else self._written + size
        if self._written is None or self._written >= _STEP * self._largest:
            self._written = 0.0
            make_room(self._folder, self._largest)


def make_room(folder: Path, largest: int) -> None:
    """Removes what was used longest ago where the files of a folder are larger together than they may be."""
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
                return  # but for what pages round, that was all
            excess -= gone


def _shrink(path: Path, excess: int, size: int) -> None:
    """Removes so many bytes of a file, or all analyses in it."""
    try:
        with closing(sqlite3.connect(path, timeout=_FOR_ROOM)) as base:
            for table in TABLES:
                base.execute(table)
            with base:
                base.execute("BEGIN IMMEDIATE")
                # What was removed before, and could not be given back then.
                _delete(base, excess, size, _free(base))
            base.execute("VACUUM")
    except sqlite3.Error:
        return  # another process is at it, or the file is damaged, which reading will find


def _delete(base: sqlite3.Connection, excess: int, size: int, free: int) -> None:
    """Deletes the same part of all values as of the bytes that hold something, of which values are the most."""
    if excess >= size:
        base.execute("DELETE FROM analyses")
        base.execute("DELETE FROM uses")
        return
    (total,) = base.execute("SELECT COALESCE(SUM(LENGTH(value)), 0) FROM analyses").fetchone()
    left, gone = total * (excess - free) / max(1, size - free), []
    # Those without a mark are from a time before there were any.
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
    """Bytes of a file that hold nothing."""
    pages, size = (
        int(base.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("freelist_count", "page_size")
    )
    return pages * size
