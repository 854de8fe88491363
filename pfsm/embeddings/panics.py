"""Panics of libraries that are written in Rust: they are no `Exception`, and print a report of their own.

A damaged ``tokenizer.json`` that the library accepts can make it panic later. To a user this is one more way in which a
file can be wrong.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator

from pfsm.errors import PfsmError

_RUST = "pyo3_runtime"
_one_at_a_time = threading.Lock()


@contextlib.contextmanager
def faults_explained(explain: Callable[[str], PfsmError]) -> Iterator[None]:
    """Turns every exception of the block, panics too, into the error that ``explain`` makes of its one-line reason.

    Interruptions and a lack of memory pass.

    Raises:
        PfsmError: Inside the block something went wrong.
    """
    try:
        yield
    except (PfsmError, MemoryError):
        raise
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__module__ == _RUST:
            raise explain(" ".join(str(error).split())) from None
        raise


@contextlib.contextmanager
def reports_dropped() -> Iterator[None]:
    """Drops what is written to the descriptor of standard error in the block: a panic's report goes there, past Python.

    What other threads write there in the same moment is lost too. So the block should be short.
    """
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
