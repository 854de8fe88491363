"""Processes that work beside this one: they end with it, and take its plug-ins and resources along."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.runtime.workers import Workers, forked_results

forked_only = pytest.mark.skipif(sys.platform != "linux", reason="forks")
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


def squared(number: int) -> int:
    return number * number


def refused(number: int) -> int:
    if number == 3:
        raise PfsmError("too long")
    return number


def killed(number: int) -> int:
    os._exit(9)


@forked_only
def test_results_keep_the_order_of_the_jobs() -> None:
    children = multiprocessing.active_children()
    factor = 3  # a function of this place cannot be pickled
    assert [*forked_results(lambda number: factor * number, range(100), 3)] == [*range(0, 300, 3)]
    with Workers(2) as workers:
        assert [*workers.results(squared, range(10))] == [number * number for number in range(10)]
    assert {*multiprocessing.active_children()} <= {*children}


@pytest.mark.parametrize("forked", [pytest.param(True, marks=forked_only), False])
def test_a_fault_of_a_job_is_raised_and_none_is_left(forked: bool, capfd: pytest.CaptureFixture[str]) -> None:
    children = multiprocessing.active_children()
    with Workers(2, forked=forked) as workers, pytest.raises(PfsmError, match=r"^too long$"):
        list(workers.results(refused, range(10)))
    with Workers(2, forked=forked) as workers, pytest.raises(BrokenProcessPool):
        list(workers.results(killed, range(10)))
    assert {*multiprocessing.active_children()} <= {*children}
    assert capfd.readouterr().err == ""


@forked_only
def test_too_many_processes_are_refused_and_none_is_left() -> None:
    resource = pytest.importorskip("resource")
    before, children = resource.getrlimit(resource.RLIMIT_NOFILE), multiprocessing.active_children()
    resource.setrlimit(resource.RLIMIT_NOFILE, (len([*Path("/proc/self/fd").iterdir()]) + 16, before[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            list(forked_results(squared, range(40), 40))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert {*multiprocessing.active_children()} <= {*children}


def test_plug_ins_and_given_resources_reach_the_others(tmp_path: Path) -> None:
    program = tmp_path / "letters.py"
    program.write_text(LETTERS, encoding="utf-8")
    (tmp_path / "words.txt").write_text("a", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(program)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.stdout.split() == [str(tmp_path / "words.txt"), "2.0"] * 2


LETTERS = """
import numpy as np
from pfsm import register
from pfsm.io.named_resources import find, give
from pfsm.metrics import get_metric
from pfsm.metrics.base import SegmentMetric
from pfsm.runtime.workers import Workers, forked_results

@register.metric("letters")
class Letters(SegmentMetric):
    name = "letters"

    def score_pairs(self, hypotheses, references):
        return np.array([float(len(line)) for line in hypotheses])

def known(name):
    return find(name), float(get_metric("letters").score_pairs(["ab"], ["ab"])[0])

if __name__ == "__main__":
    give({"words": "words.txt"})
    with Workers(1) as workers:
        print(*next(workers.results(known, ["words"])))
    print(*next(forked_results(known, ["words"], 1)))
"""

PROGRAM = """
import sys
from pathlib import Path
from pfsm.runtime.workers import forked_results

def work(begun):
    Path(begun).write_text("")
    while True:
        sum(range(1000))

for _ in forked_results(work, sys.argv[1:], 2):
    pass
"""


@forked_only
@pytest.mark.parametrize("sign", ["SIGINT", "SIGKILL"])
def test_all_end_with_a_parent_that_is_killed(tmp_path: Path, sign: str) -> None:
    begun = [tmp_path / "one", tmp_path / "two"]
    parent = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, begun)],
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


CAN_FORK = """
import sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from pfsm.runtime.workers import can_fork

said = [can_fork()]
with ThreadPoolExecutor(1) as pool:
    said += [pool.submit(can_fork).result(), can_fork()]
threading.Thread(target=time.sleep, args=(1000,), name="pfsm-progress", daemon=True).start()
said.append(can_fork())
sys.modules["onnxruntime"] = sys
said.append(can_fork())
print(*said)
"""


@forked_only
def test_threads_of_others_keep_a_process_from_forking() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CAN_FORK], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    names = ("alone", "elsewhere", "beside", "ours", "network")
    said = zip(names, done.stdout.split(), strict=True)
    assert [name for name, may in said if may == "True"] == ["alone", "ours"]
