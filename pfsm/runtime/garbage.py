"""Python's search for unreachable objects, in a process that starts, runs one command and ends.

Python looks through its objects after every few hundred new ones, now and then through all of them, and once more when
the process ends. What a command imports are some hundred thousand objects that stay until the end, when their memory
goes back at once. Of the processor time of a command on few lines these searches are a fifth.
"""

import atexit
import gc
from collections.abc import Mapping
from typing import Any

# More than a command makes while it starts, numba's included.
OBJECTS_OF_A_START = 300_000


def search_late() -> None:
    """Puts off the first search until a command has started, and leaves out the one at the end of the process.

    From the first search on, everything is as usual.
    """
    usual = gc.get_threshold()

    def as_usual(phase: str, info: Mapping[str, Any]) -> None:  # noqa: ARG001 - as Python calls it
        gc.callbacks.remove(as_usual)
        gc.set_threshold(*usual)

    gc.set_threshold(OBJECTS_OF_A_START, *usual[1:])
    gc.callbacks.append(as_usual)
    # The search at the end passes over what is frozen.
    atexit.register(gc.freeze)
