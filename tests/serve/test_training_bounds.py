"""Trainings of the workbench end when they need too much time or memory, and leave no process behind."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from pfsm.model.shipped import find_model
from pfsm.serve.limits import MEGABYTE, Limits

pytest.importorskip("starlette")

from pfsm.serve.model_pool import LoadedModel, ModelPool
from pfsm.serve.workbench.trainings import FAILED, Training, TrainingRequest, Trainings, resident
from tests.judgment_cases import rows, tsv

# Holds 100 MB in a process of its own, and as much in a child of it; says when.
HOLDING = """
import subprocess, sys
child = [sys.executable, "-c", "held = b'x' * 100_000_000; print('held', flush=True); input()"]
with subprocess.Popen(child, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
    process.stdout.readline()
    held = b"x" * 100_000_000
    print("held", flush=True)
    input()
    process.communicate(b"\\n")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="this system has no such file names")
def test_memory_of_a_session_is_that_of_all_its_processes() -> None:
    command = [sys.executable, "-c", HOLDING]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = resident(process.pid)
        process.communicate(b"\n")
    assert 200_000_000 < found < 300_000_000
    assert resident(process.pid) == 0


def ended(limits: Limits) -> Training:
    """A training with bounds, after its end."""
    pytest.importorskip("torch")

    async def run() -> Training:
        trainings = Trainings(ModelPool([LoadedModel("en-small", find_model("en-small"), "shipped")]), limits)
        training = await trainings.start(TrainingRequest("x", tsv(rows(60))))
        assert training.process is not None
        assert training.task is not None
        await training.task
        assert training.process.returncode not in {None, 0}
        await trainings.close()
        return training

    return asyncio.run(run())


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system has no such file names")
def test_a_training_that_needs_too_much_memory_ends() -> None:
    training = ended(Limits(memory=20 * MEGABYTE))
    assert training.state == FAILED
    assert training.lines[-1].startswith("ended: it needs more than 20 MB of memory")


def test_a_training_that_takes_too_long_ends() -> None:
    training = ended(Limits(training=0.2))
    assert training.state == FAILED
    assert training.lines[-1].startswith(
        "ended after 0.2 seconds; give a smaller table, or start the server with"
    )
