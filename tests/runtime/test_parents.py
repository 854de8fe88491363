"""Children of a process that is killed end, whatever they are at."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

LONGEST_WAIT = 60.0
# A child that would compute for ever; it says when it has begun.
PROGRAM = """
import multiprocessing, time
from pathlib import Path

def work(begun):
    from pfsm.runtime.forked import end_with_parent
    end_with_parent()
    Path(begun).write_text("")
    while True:
        sum(range(1000))

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    context.Process(target=work, args=(%r,), daemon=True).start()
    time.sleep(1000)
"""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
@pytest.mark.parametrize("sign", ["SIGTERM", "SIGKILL"])
def test_a_child_ends_with_a_parent_that_is_killed(tmp_path: Path, sign: str) -> None:
    begun = tmp_path / "begun"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM % str(begun), encoding="utf-8")
    parent = subprocess.Popen(
        [sys.executable, str(program)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
    )
    try:
        until(begun.exists)
        parent.send_signal(getattr(signal, sign))
        parent.wait(LONGEST_WAIT)
        until(lambda: not is_there(parent.pid))
    finally:
        if is_there(parent.pid):
            os.killpg(parent.pid, signal.SIGKILL)


def is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONGEST_WAIT
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
