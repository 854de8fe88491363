r"""Lines of text files, one at a time: UTF-8, plain or gzip, line ends at ``\n`` only.

The lines are those of `pfsm.io.files.read_lines`, but memory does not grow with the file.
"""

import contextlib
import gzip
import io
import os
import sys
from collections.abc import Iterator
from itertools import count
from typing import Any, BinaryIO, cast

from pfsm.errors import PfsmError
from pfsm.io.faults import (
    STANDARD_INPUT,
    StrPath,
    check_text,
    display_name,
    gzip_explained,
    reading_explained,
)
from pfsm.io.limits import LINES, limited_lines

_GZIP_MAGIC = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


def stream_lines(path: StrPath, keep_returns: bool = False) -> Iterator[str]:
    r"""The lines of a UTF-8 text file, gzip or plain (``-``: standard input), without their ``\n``.

    Args:
        path: the file.
        keep_returns: keep the ``\r`` at the end of a line, which is dropped otherwise.

    Raises:
        PfsmError: the file is missing, a folder, not readable, not gzip data though its name says so, or truncated; or
            bytes that are not UTF-8 (the message gives line and position); or a line longer than
            `pfsm.io.limits.LINE`, or more lines than `pfsm.io.limits.LINES`.
    """
    name = display_name(path)
    with contextlib.ExitStack() as stack:
        binary = _opened(path, name, stack)
        lines = limited_lines(binary, name)
        most = LINES.value
        for number in count(1):
            with reading_explained(path), gzip_explained(name):
                content = next(lines, None)
            if content is None:
                return
            if number > most:
                raise LINES.exceeded(name)
            if number == 1:
                check_text(content, name)
            bare = content.removeprefix(_BOM) if number == 1 else content
            if not bare:
                continue  # a file that holds only a byte order mark has no lines
            line = _decoded(bare, name, number).removesuffix("\n")
            yield line if keep_returns else line.removesuffix("\r")


class _File(io.RawIOBase):
    """The bytes of a file, closed without a warning when reading stops early.

    A caller that finds a bad row abandons the generator, and Python would warn about a file that only the garbage
    collector closes.
    """

    _descriptor = -1

    def __init__(self, path: StrPath) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = os.read(self._descriptor, len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        if not self.closed and self._descriptor >= 0:
            os.close(self._descriptor)
        super().close()


def _opened(path: StrPath, name: str, stack: contextlib.ExitStack) -> BinaryIO:
    """The bytes of the file, decompressed as they are read."""
    if os.fspath(path) == STANDARD_INPUT:
        buffered = _standard_input(stack)
    else:
        with reading_explained(path):
            buffered = stack.enter_context(io.BufferedReader(_File(path)))
    with reading_explained(path):
        packed = buffered.peek(2)[:2] == _GZIP_MAGIC
    if packed:
        return cast("BinaryIO", stack.enter_context(gzip.GzipFile(fileobj=buffered)))
    if name.endswith(".gz"):
        raise PfsmError(f"{name}: not gzip data though its name ends in .gz; rename it or copy it again")
    return buffered


def _standard_input(stack: contextlib.ExitStack) -> io.BufferedReader:
    if sys.stdin is None:
        raise PfsmError("standard input: is closed; give a file")
    binary = getattr(sys.stdin, "buffer", None)
    if binary is None:  # a stand-in for standard input that has only text
        binary = io.BytesIO(sys.stdin.read().encode("utf-8", "surrogateescape"))
    if isinstance(binary, io.BufferedReader):
        return binary
    reader = io.BufferedReader(binary)
    stack.callback(reader.detach)  # whoever owns standard input closes it
    return reader


def _decoded(content: bytes, name: str, number: int) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PfsmError(
            f"{name}:{number}: not UTF-8 (byte 0x{content[error.start]:02x} at position {error.start + 1}); "
            "convert the file to UTF-8"
        ) from None
