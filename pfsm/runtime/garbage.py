"""Python's search for unreachable objects: when it waits.

Python looks through its objects after every few hundred new ones, now and then through all of them, and once more when
the process ends. What a command imports are some hundred thousand objects that stay until the end, when their memory
goes back at once. Of the processor time of a command on few lines these searches are a fifth. Where text is read,
nearly all that is made is remembered or goes by itself; there they are a sixth of the time and more.
"""

import atexit
import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

# More than a command makes while it starts, numba's included.
OBJECTS_OF_A_START = 300_000


def defer_gc() -> None:
    """Puts off the first search until a command has started, and leaves out the one at the end of the process.

    Later searches come as usual, but pass over what was there at the first one.
    """
    usual = gc.get_threshold()

    def as_usual(phase: str, info: Mapping[str, Any]) -> None:  # noqa: ARG001 - as Python calls it
        if phase == "stop":
            gc.callbacks.remove(as_usual)
            gc.set_threshold(*usual)
            gc.freeze()

    gc.set_threshold(OBJECTS_OF_A_START, *usual[1:])
    gc.callbacks.append(as_usual)
    # The search at the end passes over what is frozen.
    atexit.register(gc.freeze)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Puts off searches while a bounded amount of objects is made.

    With several threads at work, the first that is done may allow them early.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
