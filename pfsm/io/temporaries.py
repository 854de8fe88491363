"""Temporary files beside the files that they will replace, and what is left of them where a process was killed.

While a process writes such a file it holds a lock on it, which ends with the process. So a file that nobody holds is a
leftover, and the next process that writes into the folder removes it. Files of other machines are left alone, because
not every network file system passes locks on.
"""

import contextlib
import hashlib
import os
import platform
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform != "win32":
    import fcntl

PREFIX = ".pfsm-"
_SUFFIX = ".tmp"
_HOST = hashlib.sha256(platform.node().encode("utf-8", "replace")).hexdigest()[:8]
# Folders that this process has looked through: what it leaves itself, it removes itself.
_swept: set[Path] = set()


@contextlib.contextmanager
def temporary_beside(target: Path) -> Iterator[Path]:
    """A new empty file in the folder of ``target``, to be filled and renamed; it is gone at the end in any case."""
    if target.parent not in _swept:
        _swept.add(target.parent)
        sweep(target.parent)
    path, descriptor = _claimed(target.parent)
    try:
        yield path
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        os.close(descriptor)


def replace_whole(target: Path, content: bytes) -> None:
    """Writes a file that is there whole or not at all."""
    with temporary_beside(target) as temporary:
        with temporary.open("wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(target)


def sweep(folder: Path, *, below: bool = False) -> None:
    """Removes leftovers of killed processes.

    Args:
        folder: Where to look; nothing happens where there is no such folder.
        below: Whether to look into all folders below it, too.
    """
    pattern = f"{PREFIX}{_HOST}-*{_SUFFIX}"
    with contextlib.suppress(OSError):
        for path in folder.rglob(pattern) if below else folder.glob(pattern):
            _remove_leftover(path)


def _claimed(folder: Path) -> tuple[Path, int]:
    """A new file, and a descriptor that holds the lock on it."""
    while True:
        # The random name is short on purpose: the system may not allow longer ones.
        path = folder / f"{PREFIX}{_HOST}-{secrets.token_hex(8)}{_SUFFIX}"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            # Whoever sweeps holds the lock for a moment: waiting for it tells whether the file is still there.
            _lock(descriptor, wait=True)
            if _is_at(path, descriptor):
                return path, descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # swept away between the two lines above


def _lock(descriptor: int, *, wait: bool = False) -> bool:
    """Takes the lock on a file; False if another process has it. Where there are no locks, everything is held."""
    if sys.platform == "win32":
        return False  # leftovers stay
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether the file that a descriptor has open is what lies at the path."""
    with contextlib.suppress(OSError):
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    return False


def _remove_leftover(path: Path) -> None:
    """Removes a file that nobody holds; pipes, folders and links of that name are none of ours."""
    with contextlib.suppress(OSError):
        if not stat.S_ISREG(path.lstat().st_mode):
            return
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
        try:
            if _lock(descriptor) and _is_at(path, descriptor):
                path.unlink(missing_ok=True)
        finally:
            os.close(descriptor)
