"""Contents by key in SQLite files: caches, which may lose what they hold, but never give back anything else or fail.

Writing is atomic, and several processes may share a file. Where a file cannot be opened everything is missing from it;
a damaged one begins afresh.

Files grow up to a limit; then the oldest entries are removed: file by file, in the order in which they were used last,
and within a file in the order in which entries were written. SQLite does it under its locks, so other processes see a
file either before or after the change, and never a removed one.
"""

import math
import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path

LARGEST = 1 << 30
_TABLE = "CREATE TABLE IF NOT EXISTS contents (key BLOB PRIMARY KEY, value BLOB NOT NULL)"
_OLDEST = "SELECT rowid FROM contents ORDER BY rowid LIMIT ?"
_ASKED_AT_ONCE = 500
# Fraction of the limit to shrink to when it is exceeded, so that this happens seldom.
_KEPT = 0.75
# Fraction of the limit that a process writes before it checks the files again.
_STEP = 0.02
# Seconds to wait for another process that is writing: before an entry is written, and before room is made.
_PATIENCE, _FOR_ROOM = 30.0, 10.0


class Store:
    """Contents by key in a file.

    Args:
        path: The file, in a folder that need not exist.
        largest: Bytes that the files which share its room may have together.
        sharing: Which files of the folder do, as a pattern of their names.
    """

    def __init__(self, path: Path, largest: int = LARGEST, sharing: str = "*.sqlite") -> None:
        self.path = path
        self._largest, self._sharing = largest, sharing
        # Bytes since the files were checked: after the first ones, and then from time to time.
        self._written = math.inf

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The contents stored under these keys; a key without content is absent."""
        asked, found = list(keys), dict[bytes, bytes]()
        try:
            if not self.path.is_file():
                return found
            with closing(self._connect()) as base:
                for first in range(0, len(asked), _ASKED_AT_ONCE):
                    part = asked[first : first + _ASKED_AT_ONCE]
                    marks = ",".join("?" * len(part))
                    found |= base.execute(f"SELECT key, value FROM contents WHERE key IN ({marks})", part)
        except (sqlite3.Error, OSError):
            return {}
        if found:
            with suppress(OSError):
                os.utime(self.path)
        return found

    def put(self, contents: Mapping[bytes, bytes]) -> None:
        """Stores contents: all of them or, if that is not possible, none."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._connect()) as base, base:
                base.execute(_TABLE)
                base.executemany("INSERT OR REPLACE INTO contents VALUES (?, ?)", contents.items())
            self._written += sum(map(len, contents.values()))
            if self._written >= _STEP * self._largest:
                self._written = 0.0
                make_room(self.path.parent.glob(self._sharing), self._largest)
        except sqlite3.DatabaseError as error:
            if (
                not isinstance(error, sqlite3.OperationalError)
                or error.sqlite_errorcode == sqlite3.SQLITE_ERROR
            ):
                # Not a database, a damaged one, or one of other columns: the store can start afresh.
                with suppress(OSError):
                    self.path.unlink(missing_ok=True)
        except OSError:  # no room
            return

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=_PATIENCE)


def make_room(paths: Iterable[Path], largest: int) -> None:
    """Removes the oldest entries if the files of stores are together larger than ``largest`` bytes."""
    with suppress(OSError):
        found = sorted((path.stat().st_mtime, path) for path in paths)
        excess = sum(path.stat().st_size for _, path in found)
        if excess <= largest:
            return
        excess -= int(_KEPT * largest)
        for _, path in found:
            size = path.stat().st_size
            _shrink(path, min(1.0, excess / size))
            gone = size - path.stat().st_size
            if gone and excess < size:
                return  # nothing is left to remove, except what rounding to pages hides
            excess -= gone


def _shrink(path: Path, share: float) -> None:
    """Removes the oldest entries of a file; all where it has none of ours; nothing if it is in use, or damaged."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(path, timeout=_FOR_ROOM)) as base:
        with base:
            base.execute(_TABLE)
            (number,) = base.execute("SELECT COUNT(*) FROM contents").fetchone()
            base.execute(f"DELETE FROM contents WHERE rowid IN ({_OLDEST})", [math.ceil(share * number)])
        base.execute("VACUUM")
