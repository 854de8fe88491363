"""Vectors computed earlier, in one SQLite file per network and layer, so that no line is encoded twice.

The store is only a convenience: if its folder cannot be written or its file is damaged, vectors are computed again.
"""

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pfsm.io.user_folders import user_folder

FOLDER = "vectors"
# A line of 25 pieces of 384 components is 19 kB.
LARGEST = 1 << 30
# Seconds to wait for another process that is writing.
PATIENCE = 60.0
_AT_ONCE = 500


class VectorStore:
    """Bytes by key.

    Args:
        name: Name of the file; it must identify everything that determines the vectors of a key.
        largest: Total number of bytes above which the oldest half is dropped.
    """

    def __init__(self, name: str, largest: int = LARGEST) -> None:
        self._name = name
        self._largest = largest

    @property
    def path(self) -> Path:
        """Path of the file, which need not exist."""
        return user_folder() / FOLDER / f"{self._name}.sqlite"

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The contents stored under the keys; a key without content is absent."""
        found: dict[bytes, bytes] = {}
        if not self.path.is_file():
            return found
        with contextlib.suppress(sqlite3.Error), self._connection() as connection:
            for first in range(0, len(keys), _AT_ONCE):
                some = keys[first : first + _AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, content FROM vectors WHERE key IN ({marks})"
                found |= dict(connection.execute(query, some).fetchall())
        return found

    def put(self, contents: Mapping[bytes, bytes]) -> None:
        """Stores contents; keys that are already stored keep their contents."""
        with contextlib.suppress(sqlite3.Error, OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._connection() as connection:
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS vectors (number INTEGER PRIMARY KEY, key BLOB UNIQUE, content BLOB)"
                )
                connection.executemany(
                    "INSERT OR IGNORE INTO vectors (key, content) VALUES (?, ?)", contents.items()
                )
                if _size(connection) > self._largest:
                    half = (
                        "SELECT number FROM vectors ORDER BY number LIMIT (SELECT COUNT(*) / 2 FROM vectors)"
                    )
                    connection.execute(f"DELETE FROM vectors WHERE number IN ({half})")

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """One transaction, committed if the block ends without an error."""
        with contextlib.closing(sqlite3.connect(self.path, timeout=PATIENCE)) as connection, connection:
            yield connection


def _size(connection: sqlite3.Connection) -> int:
    """Bytes in use; a file does not shrink when rows are deleted."""
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size
