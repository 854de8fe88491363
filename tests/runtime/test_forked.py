"""Forked processes do all jobs, tell what went wrong, and end with whoever waits for them."""

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.runtime.forked import ForkedPool, ForkError
from tests.runtime.test_threads import LONGEST_WAIT, is_there, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks")
PROGRAM = """
import sys
from pathlib import Path
from pfsm.runtime.forked import ForkedPool

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


@pytest.mark.parametrize("processes", [1, 3])
@pytest.mark.parametrize("sizes", [(), (0, 0, 7), (40, 1, 1)])
def test_every_job_is_done_once(processes: int, sizes: tuple[int, ...]) -> None:
    numbers = iter(range(1000))
    jobs = [[next(numbers) for _ in range(size)] for size in (*sizes, 0, 0, 0)[:processes]]
    pool = ForkedPool(squared, processes)
    for _ in range(2):  # and again by the same processes
        found = dict(pool.results(jobs))
        assert found == {number: number * number for own in jobs for number in own}
    pool.close()


def test_a_process_keeps_what_it_knows_and_changes_nothing_here() -> None:
    known: list[int] = []

    def remembered(number: int) -> tuple[int, int]:
        known.append(number)
        return os.getpid(), len(known)

    pool = ForkedPool(remembered, 1)
    found = [result for _ in range(3) for _, result in pool.results([[1, 2]])]
    assert [count for _, count in found] == [1, 2, 3, 4, 5, 6]
    assert len({process for process, _ in found}) == 1
    assert known == []
    pool.close()


class Odd(Exception):
    """Cannot be made from its arguments, so it cannot be sent to another process."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} {other}")


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


def test_too_many_processes_are_refused_and_none_is_left() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len([*Path("/proc/self/fd").iterdir()]) + 8, before[1]))
    try:
        with pytest.raises(ForkError, match=r"^no process can be forked \(Too many open files\)$"):
            ForkedPool(squared, 40)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert multiprocessing.active_children() == []


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
        os.killpg(parent.pid, signal.SIGINT) if sign == "SIGINT" else parent.send_signal(
            getattr(signal, sign)
        )
        parent.wait(LONGEST_WAIT)
        until(lambda: not is_there(parent.pid))
    finally:
        if is_there(parent.pid):
            os.killpg(parent.pid, signal.SIGKILL)


MAY_FORK = """
import sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from pfsm.runtime.forks import forks, may_fork

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


def test_a_command_may_fork_and_a_program_of_others_may_not() -> None:
    done = subprocess.run([sys.executable, "-c", MAY_FORK], capture_output=True, text=True, check=True)
    outside, inside, elsewhere, beside, beside_ours, with_network = (
        word == "True" for word in done.stdout.split()
    )
    assert inside
    assert beside_ours
    assert not any([outside, elsewhere, beside, with_network])
