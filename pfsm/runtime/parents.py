"""Processes that end with the one that started them, however that one ends."""

import os
import threading
from multiprocessing import connection, parent_process

# What a shell reports of a program that SIGTERM ended.
ORPHANED = 143


def end_with_parent() -> None:
    """From now on this process, started by `multiprocessing`, ends as soon as its parent is gone.

    A parent that is killed can tell nobody. Its children would go on to compute what nobody waits for. They end between
    two instructions of Python; files are written to temporary ones and renamed, so none is left half written.
    """
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent.sentinel,), name="pfsm-parent", daemon=True).start()


def _watch(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(ORPHANED)
