"""Threads, pauses of the search for garbage, and forked processes, which end with whoever waits for them."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.runtime.process import gc_paused
from pfsm.runtime.threads import at_most, default_threads, each, in_order
from pfsm.runtime.workers import ForkedPool, ForkError


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


LONGEST_WAIT = 60.0


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


forked_only = pytest.mark.skipif(sys.platform != "linux", reason="forks")
PROGRAM_FORKED = """
import sys
from pathlib import Path
from pfsm.runtime.workers import ForkedPool

def work(begun):
    Path(begun).write_text("")
    while True:
        sum(range(1000))

pool = ForkedPool(work, 2)
for _ in pool.results([[name] for name in sys.argv[1:]]):
    pass
"""


def squared(number: int) -> int:
    return number * number


@forked_only
def test_every_job_is_done_once() -> None:
    pool = ForkedPool(squared, 3)
    numbers = iter(range(1000))
    for sizes in ((0, 0, 0), (0, 0, 7), (40, 1, 1)):  # by the same processes
        jobs = [[next(numbers) for _ in range(size)] for size in sizes]
        assert dict(pool.results(jobs)) == {number: number * number for own in jobs for number in own}
    pool.close()


class Odd(Exception):
    """Cannot be made from its arguments, so it cannot be sent to another process."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} {other}")


@forked_only
@pytest.mark.parametrize("fault", [PfsmError("too long"), Odd(1, 2), MemoryError(), KeyError(lambda: None)])
def test_a_fault_of_a_job_is_told_and_ends_all(fault: Exception, capfd: pytest.CaptureFixture[str]) -> None:
    def faulty(number: int) -> int:
        if number == 3:
            raise fault
        return number

    pool = ForkedPool(faulty, 2)
    with pytest.raises(ForkError, match=r"^a process has failed at a job$"):
        list(pool.results([[1, 2, 3, 4], [5, 6]]))
    assert len(pool) == 0
    assert capfd.readouterr().err == ""


@forked_only
def test_too_many_processes_are_refused_and_none_is_left() -> None:
    resource = pytest.importorskip("resource")
    before, children = resource.getrlimit(resource.RLIMIT_NOFILE), multiprocessing.active_children()
    resource.setrlimit(resource.RLIMIT_NOFILE, (len([*Path("/proc/self/fd").iterdir()]) + 8, before[1]))
    try:
        with pytest.raises(ForkError, match=r"^no process can be forked \(Too many open files\)$"):
            ForkedPool(squared, 40)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert set(multiprocessing.active_children()) == set(children)


@forked_only
@pytest.mark.parametrize("sign", ["SIGINT", "SIGKILL"])
def test_all_end_with_a_parent_that_is_killed(tmp_path: Path, sign: str) -> None:
    begun = [tmp_path / "one", tmp_path / "two"]
    parent = subprocess.Popen(
        [sys.executable, "-c", PROGRAM_FORKED, *map(str, begun)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
        stderr=subprocess.DEVNULL,
    )
    try:
        until(lambda: all(path.exists() for path in begun))
        # As a terminal does it: Ctrl-C goes to the children, too.
        os.killpg(parent.pid, signal.SIGINT) if sign == "SIGINT" else parent.kill()
        parent.wait(LONGEST_WAIT)
        until(lambda: not is_there(parent.pid))
    finally:
        if is_there(parent.pid):
            os.killpg(parent.pid, signal.SIGKILL)


MAY_FORK = """
import sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from pfsm.runtime.process import forks, may_fork

said = [may_fork()]
with forks():
    said.append(may_fork())
    with ThreadPoolExecutor(1) as pool:
        said += [pool.submit(may_fork).result(), may_fork()]
    threading.Thread(target=time.sleep, args=(1000,), name="pfsm-progress", daemon=True).start()
    said.append(may_fork())
    sys.modules["onnxruntime"] = sys
    said.append(may_fork())
print(*said)
"""


@forked_only
def test_a_command_may_fork_and_a_program_of_others_may_not() -> None:
    said = dict(
        zip(
            ("outside", "inside", "elsewhere", "beside", "ours", "network"),
            said_by(MAY_FORK).split(),
            strict=True,
        )
    )
    assert [name for name, may in said.items() if may == "True"] == ["inside", "ours"]


BUSY = """
import os, signal, threading, time
import pfsm
metric = pfsm.load("en-small", 1)
pairs = ["the cat sat on the mat"] * 20, ["a cat sat on a mat"] * 20
wanted = metric.score_pairs(*pairs).tolist()
stop = False
def work():
    while not stop:
        metric.score_pairs(*pairs)
other = threading.Thread(target=work, daemon=True)
other.start()
time.sleep(0.1)
ended = []
for _ in range(3):
    child = os.fork()
    if not child:
        signal.alarm(20)
        os._exit(0 if metric.score_pairs(*pairs).tolist() == wanted else 3)
    ended.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop = True
print(ended)
"""


@forked_only
def test_children_of_a_busy_process_score() -> None:
    assert said_by(BUSY) == "[0, 0, 0]\n"
