"""What a command writes to a terminal, read from the terminal's other end."""

import os
import select
import time

# `python -m pfsm`, with Ctrl-C heard even where the tests run in the background, which ignores it.
START = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("pfsm", run_name="__main__", alter_sys=True)
"""
# Generous: the machine may be busy with other work.
LONGEST_WAIT = 300.0


def read(terminal: int, until: bytes | None) -> bytes:
    """What comes through the terminal, up to some words or to its end."""
    seen, deadline = b"", time.monotonic() + LONGEST_WAIT
    while until is None or until not in seen:
        assert select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))[0], seen
        try:
            part = os.read(terminal, 4096)
        except OSError:  # how Linux says that the other end is closed
            part = b""
        if not part:
            break
        seen += part
    return seen
