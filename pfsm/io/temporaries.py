"""Temporary files beside the files that they will replace."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

PREFIX = ".pfsm-"


@contextlib.contextmanager
def temporary_beside(target: Path) -> Iterator[Path]:
    """A new empty file in the folder of ``target``, to be filled and renamed; it is gone at the end in any case.

    Unlike those of `tempfile`, it has the permissions that the umask gives.
    """
    # The random name is short on purpose: the system may not allow longer ones.
    path = target.parent / f"{PREFIX}{secrets.token_hex(8)}.tmp"
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    try:
        yield path
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def replace_whole(target: Path, content: bytes) -> None:
    """Writes a file that is there whole or not at all."""
    with temporary_beside(target) as temporary:
        with temporary.open("wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(target)
