"""Threads, and pauses of the search for garbage."""

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from pfsm.runtime.process import gc_paused
from pfsm.runtime.threads import at_most, default_threads, each, in_order


def said_by(program: str) -> str:
    """What a program prints in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=300
    ).stdout


def test_at_most() -> None:
    usual = default_threads()
    with at_most(7), at_most(None):
        assert default_threads() == 7
        with at_most(2):
            assert default_threads() == 2
        assert default_threads() == 7
    assert default_threads() == usual


@pytest.mark.parametrize("threads", [1, 4])
def test_results_keep_the_order_of_the_items_and_an_error_stops_all(threads: int) -> None:
    for way in (each, in_order):
        assert list(way(abs, iter(range(-50, 0)), threads)) == [*range(50, 0, -1)]
        with pytest.raises(ZeroDivisionError):
            list(way(lambda item: 1 // (5 - item), iter(range(1000)), threads))


def test_work_shared_out_within_work_is_stopped_with_it() -> None:
    begun, told, made = threading.Event(), threading.Event(), []

    def items() -> Iterator[int]:
        for item in range(1000):
            made.append(item)
            yield item

    def inner(_: int) -> None:
        begun.set()
        told.wait(60)

    def outer(item: int) -> None:
        if item == 1:
            each(inner, items(), 2)
        begun.wait(60)
        threading.Timer(0.3, told.set).start()  # when the failure of the first item has long been noticed
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        each(outer, range(2), 2)
    assert len(made) <= 4


@pytest.mark.parametrize("threads", [1, 3])
def test_few_items_are_made_before_their_results_are_taken(threads: int) -> None:
    made = []

    def items() -> Iterator[int]:
        for item in range(1000):
            made.append(item)
            yield item

    results = in_order(abs, items(), threads)
    for item in range(20):
        assert next(results) == item
        assert len(made) <= item + 1 + threads


# A ring refers to itself alone, and says when a search finds it.
PROGRAM = """
import gc
from pfsm.runtime.process import defer_gc

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
    assert said_by(PROGRAM).splitlines() == ["searches 0", "found early", "usual True []", "end"]


def test_searches_go_on_after_the_last_of_several_threads() -> None:
    gc.enable()  # a thread of another test may have paused it
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
