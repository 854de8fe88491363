"""Ends the workers and the scheduler of a cluster at random, stops and slows workers; ``score --table`` has to go on.

    python scripts/fault_cluster.py                     # every way, five times
    python scripts/fault_cluster.py killed --trials 50 --seed 1

Ways are

* ``killed``: a worker is killed, one to three times; others start instead, as nannies do. The command ends well.
* ``hung``: a worker is stopped and stays so; it is given up after half a minute. The command ends well.
* ``slow``: a worker is stopped nine tenths of the time. The command ends well.
* ``scheduler``: the scheduler is killed. The command says so in a line, and ends; with another one it goes on.
* ``alone``: all workers are killed and none starts. The command says so in a line within 30 seconds.

The moment is a random number of finished partitions. In the end the outputs have to be those of one machine, byte by
byte, and nothing may be left beside them. The exit status is 1 if any of this does not hold. Needs POSIX's signals.
"""

import argparse
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
import dask  # noqa: E402
from distributed import LocalCluster  # noqa: E402
from fault_jobs import partitions  # noqa: E402

from pfsm.cli import main as pfsm  # noqa: E402

N_FILES, LATEST = 60, 50
OUTPUT = "scores"
UNTIL_GIVEN_UP = "30s"
PATIENCE = 30.0
WORKER = """
import asyncio, sys
from distributed import Worker
async def work():
    async with Worker(sys.argv[1], nthreads=1) as worker:
        await worker.finished()
asyncio.run(work())
"""


class TrialError(Exception):
    """What should not have happened."""


def cluster(workers: int) -> LocalCluster:
    """A cluster of processes; those that die start again."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
    )


def score(address: str) -> tuple[int, str]:
    """Runs the command; its exit status, and what it says."""
    err = io.StringIO()
    arguments = ["score", "--table", "in", "-o", OUTPUT, "--metric", "chrf"]
    with redirect_stderr(err), redirect_stdout(io.StringIO()):
        try:
            status = pfsm([*arguments, *(["--scheduler", address] if address else [])])
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
    return status, err.getvalue()


def outputs() -> dict[str, bytes]:
    """The partitions that are there; the summary beside them tells of times."""
    return {str(path): path.read_bytes() for path in sorted(Path(OUTPUT).rglob("*.parquet"))}


@contextmanager
def meanwhile(number: int, act: Callable[[], None]) -> Iterator[None]:
    """Lets something happen when so many partitions are finished."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.002):
            if len(list(Path(OUTPUT).rglob("*.parquet"))) >= number:
                act()
                return

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def processes(of: LocalCluster) -> list[int]:
    """The processes of workers that live."""
    return [worker.pid for worker in of.workers.values() if worker.pid]


def check(expected: dict[str, bytes], ended: tuple[int, str]) -> None:
    """A command that has ended well, and left nothing behind after the same command once more.

    Raises:
        TrialError: It has not.
    """
    status, said = ended
    if status or "Traceback" in said:
        raise TrialError(f"status {status}: {said.strip()[-300:]}")
    if outputs() != expected:
        raise TrialError("other bytes")
    again = score("")
    left = [str(path) for path in Path(OUTPUT).rglob(".pfsm-*")]
    if again[0] or left or outputs() != expected:
        raise TrialError(f"the same command again: status {again[0]}, leaves {left}")


def one_line(ended: tuple[int, str], words: str) -> None:
    """A command that could not go on, and says why.

    Raises:
        TrialError: It says something else.
    """
    status, said = ended
    if status != 2 or words not in said.splitlines()[-1] or "Traceback" in said:
        raise TrialError(f"status {status}: {said.strip()[-300:]}")


def killed(draw: random.Random, expected: dict[str, bytes], shared: LocalCluster) -> str:
    """A worker is killed, up to three times."""
    times = draw.randint(1, 3)

    def act() -> None:
        for _ in range(times):
            if living := processes(shared):
                with suppress(ProcessLookupError):
                    os.kill(draw.choice(living), signal.SIGKILL)
            time.sleep(draw.random())

    with meanwhile(draw.randint(0, LATEST), act):
        ended = score(shared.scheduler_address)
    check(expected, ended)
    return f"{times} kills"


def hung(draw: random.Random, expected: dict[str, bytes], shared: LocalCluster) -> str:
    """A worker hangs."""
    stopped = draw.choice(processes(shared))
    try:
        with meanwhile(draw.randint(0, LATEST), lambda: os.kill(stopped, signal.SIGSTOP)):
            ended = score(shared.scheduler_address)
    finally:
        with suppress(ProcessLookupError):
            os.kill(stopped, signal.SIGCONT)
    check(expected, ended)
    return "1 hung"


def slow(draw: random.Random, expected: dict[str, bytes], shared: LocalCluster) -> str:
    """A worker has a tenth of its time."""
    worker, over = draw.choice(processes(shared)), threading.Event()

    def slow_down() -> None:
        with suppress(ProcessLookupError):
            while not over.is_set():
                os.kill(worker, signal.SIGSTOP)
                over.wait(0.18)
                os.kill(worker, signal.SIGCONT)
                over.wait(0.02)

    thread = threading.Thread(target=slow_down)
    thread.start()
    try:
        ended = score(shared.scheduler_address)
    finally:
        over.set()
        thread.join()
    check(expected, ended)
    return "1 slow"


def scheduler(draw: random.Random, expected: dict[str, bytes], shared: LocalCluster) -> str:
    """The scheduler is killed; another one goes on."""
    with subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        address = other.stdout.readline().strip()
        with meanwhile(draw.randint(0, LATEST), other.kill):
            ended = score(address)
        other.kill()
    done = len(outputs())
    if done < N_FILES:  # otherwise all was done before
        one_line(ended, "is gone")
    check(expected, score(shared.scheduler_address))
    return f"{done} partitions before"


def alone(draw: random.Random, expected: dict[str, bytes], shared: LocalCluster) -> str:
    """All workers are killed, and none starts again."""
    since = 0.0
    with cluster(0) as empty:
        address = empty.scheduler_address
        workers = [
            subprocess.Popen([sys.executable, "-c", WORKER, address], stderr=subprocess.DEVNULL)
            for _ in range(2)
        ]

        def act() -> None:
            nonlocal since
            for worker in workers:
                worker.kill()
            since = time.monotonic()

        try:
            empty.wait_for_workers(2)
            with meanwhile(draw.randint(0, LATEST), act):
                ended = score(address)
            seconds = time.monotonic() - since
        finally:
            act()
            for worker in workers:
                worker.wait()
    if len(outputs()) < N_FILES:  # otherwise all was done before
        one_line(ended, "no workers")
        if seconds > PATIENCE:
            raise TrialError(f"says only after {seconds:.0f} seconds that no worker is left")
    check(expected, score(shared.scheduler_address))
    return f"says so after {seconds:.1f} s"


WAYS: dict[str, Callable[[random.Random, dict[str, bytes], Any], str]] = {
    "killed": killed,
    "hung": hung,
    "slow": slow,
    "scheduler": scheduler,
    "alone": alone,
}


def serve() -> None:
    """A scheduler with workers, for as long as nobody ends it."""
    with cluster(2) as served:
        print(served.scheduler_address, flush=True)
        sys.stdin.read()


def main() -> None:
    """Tries, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ways", nargs="*", help=f"of {', '.join(WAYS)} (default: all)")
    parser.add_argument("--trials", type=int, default=5, metavar="N", help="of each way")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    wrong = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        dask.config.set({"distributed.scheduler.worker-ttl": UNTIL_GIVEN_UP}),
    ):
        os.chdir(folder)
        partitions(Path(folder), 1, N_FILES)
        score("")
        expected = outputs()
        print("| way | trial | seconds | what |\n|---|--:|--:|---|", flush=True)
        for way in options.ways or WAYS:
            for trial in range(options.trials):
                # A new one each time: a worker that was given up and lives on ends, and its nanny does not replace it.
                with cluster(2) as shared:
                    shutil.rmtree(OUTPUT)
                    begin = time.monotonic()
                    try:
                        what = WAYS[way](random.Random(f"{way} {options.seed} {trial}"), expected, shared)
                    except TrialError as found:
                        what, wrong = f"WRONG: {found}", wrong + 1
                    print(f"| {way} | {trial} | {time.monotonic() - begin:.1f} | {what} |", flush=True)
        os.chdir(ROOT)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
