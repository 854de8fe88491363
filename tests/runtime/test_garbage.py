"""When Python searches for unreachable objects."""

import gc
import os
import subprocess
import sys
import threading

from pfsm.runtime.garbage import gc_paused

# A ring refers to itself alone, and says when a search finds it.
PROGRAM = """
import gc
from pfsm.runtime.garbage import defer_gc

class Ring:
    def __init__(self, name):
        self.name, self.itself = name, self

    def __del__(self):
        print("found", self.name, flush=True)

usual = gc.get_threshold()
defer_gc()
searches = gc.get_stats()[0]["collections"]
Ring("early")
kept = [[] for _ in range(100_000)]
print("searches", gc.get_stats()[0]["collections"] - searches, flush=True)
more = [[] for _ in range(300_000)]
print("usual", gc.get_threshold() == usual, gc.callbacks, flush=True)
Ring("late")
print("end", flush=True)
"""


def test_the_first_search_is_late_and_there_is_none_at_the_end() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines() == ["searches 0", "found early", "usual True []", "end"]


def test_searches_wait_until_the_work_is_done() -> None:
    with gc_paused():
        assert not gc.isenabled()
        with gc_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_searches_go_on_after_the_last_of_several_threads() -> None:
    begun, done = threading.Event(), threading.Event()

    def work() -> None:
        with gc_paused():
            begun.set()
            done.wait(10)

    other = threading.Thread(target=work)
    with gc_paused():
        other.start()
        begun.wait(10)
    done.set()
    other.join(10)
    assert gc.isenabled()
