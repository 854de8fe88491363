"""Trainings of the workbench end when they need too much time or memory."""

import asyncio
from pathlib import Path

import pytest

from pfsm.model.shipped import find_model
from pfsm.serve.limits import MEGABYTE, Limits

pytest.importorskip("starlette")

from pfsm.serve.model_pool import LoadedModel, ModelPool
from pfsm.serve.workbench.trainings import FAILED, Training, TrainingRequest, Trainings
from tests.judgment_cases import rows, tsv


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
