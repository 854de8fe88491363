"""Pieces of lines, as ``tokenizer.json`` splits them.

The library that splits them is written in Rust: its panics are no `Exception`, and print a report of their own. A
damaged file that the library accepts can make it panic later. To a user this is one more way in which a file can be
wrong.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.io.files import decode, read_bytes
from pfsm.io.limits import DOCUMENT

_RUST = "pyo3_runtime"
_one_at_a_time = threading.Lock()


@contextlib.contextmanager
def _faults_explained(explain: Callable[[str], PfsmError]) -> Iterator[None]:
    """Makes an error of the one-line reason of every exception, panics too, but interruptions and a lack of memory."""
    try:
        yield
    except (PfsmError, MemoryError):
        raise
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__module__ == _RUST:
            raise explain(" ".join(str(error).split())) from None
        raise


@contextlib.contextmanager
def _reports_dropped() -> Iterator[None]:
    """Drops what is written to the descriptor of standard error, also by other threads: reports of panics go there."""
    with _one_at_a_time, contextlib.ExitStack() as stack:
        try:
            if sys.stderr is not None:
                sys.stderr.flush()
            kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        except (OSError, ValueError):  # there is none, or it is closed: nothing can be seen there
            yield
            return
        stack.callback(os.close, nothing)
        stack.callback(os.close, kept)
        os.dup2(nothing, 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)


TOKENIZER = "tokenizer.json"
# Letters of several scripts, a digit, a mark, a symbol.
_SAMPLE = "A lamp, ünder 12 \u0416\u4e00\u3000\U0001f600!"

Span = tuple[int, int]
Ids = NDArray[np.int64]


class PieceTokenizer:
    """The tokenizer of a network. It neither truncates nor pads.

    Args:
        path: The file ``tokenizer.json``.

    Raises:
        PfsmError: If it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tokenizer = _read(path)

    def pieces(self, text: str) -> tuple[Ids, list[Span]]:
        """Pieces without the marks of beginning and end, and the characters that each covers.

        Raises:
            PfsmError: If the tokenizer fails.
        """
        encoding = self._parted(text, add_special_tokens=False)
        return np.array(encoding.ids, dtype=np.int64), encoding.offsets

    @cached_property
    def marks(self) -> tuple[Ids, Ids]:
        """The marks that are put before and after a line, int64 [n] each."""
        with _reports_dropped():
            encoding = self._parted("a", add_special_tokens=True)
        ids, special = np.array(encoding.ids, dtype=np.int64), np.array(encoding.special_tokens_mask)
        own = np.flatnonzero(special == 0)
        if not own.size:
            raise PfsmError(f"{self._path}: gives no pieces for the letter a")
        return ids[: own[0]], ids[own[-1] + 1 :]

    def _parted(self, text: str, *, add_special_tokens: bool) -> Any:
        """The tokenizer's result for a line."""
        with _faults_explained(
            lambda why: PfsmError(f"{self._path}: cannot split a line ({why}); copy it again")
        ):
            return self._tokenizer.encode(text, add_special_tokens=add_special_tokens)


def _read(path: Path) -> Any:
    from tokenizers import Tokenizer  # noqa: PLC0415 - takes a while

    content = read_bytes(path, DOCUMENT)
    text = decode(content, str(path))
    unreadable = PfsmError(f"{path}: not a tokenizer file that the installed tokenizers can read")
    with _faults_explained(lambda _: unreadable), _reports_dropped():
        tokenizer = Tokenizer.from_str(text)
        # The file may ask for both.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        # A panic shows here if it can, not in the middle of a text. Words that it cannot split are another matter.
        with contextlib.suppress(Exception):
            tokenizer.encode(_SAMPLE, add_special_tokens=False)
    return tokenizer
