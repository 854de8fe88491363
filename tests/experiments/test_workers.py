"""Tasks in processes of their own: outcomes, failures, processes that die; and what of the code decides a cell."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from pfsm import PfsmError
from pfsm_experiments import read_experiment
from pfsm_experiments import task as task_module
from pfsm_experiments.data import DataFolder
from pfsm_experiments.plan import make_plan
from pfsm_experiments.spec import RowSpec
from pfsm_experiments.task import Task, files_digest, make_task, run_tasks, sources_digest
from tests.experiments.experiment_cases import table, write_experiment


@pytest.fixture
def tasks(tmp_path: Path, data: Path) -> list[Task]:
    made = [
        {"name": "chrF", "metric": "chrf"},
        {"name": "ratio", "metric": "length_ratio"},
        {"name": "BLEU", "metric": "bleu"},
    ]
    experiment = read_experiment(write_experiment(tmp_path, table(rows=made)))
    plan = make_plan(experiment, DataFolder(data))
    return [make_task(cell, plan, "score") for cell in plan.cells]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_task_that_cannot_be_done(tasks: list[Task]) -> None:
    bad = replace(tasks[1], row=replace(tasks[1].row, metric="blue"), where="x.yaml: row 'bad' (fold 1)")
    with pytest.raises(PfsmError, match=r"^x.yaml: row 'bad' \(fold 1\): unknown metric 'blue'"):
        list(run_tasks([tasks[0], bad, tasks[2]], jobs=1))


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_a_process_that_is_killed(tasks: list[Task], monkeypatch: pytest.MonkeyPatch) -> None:
    from multiprocessing.context import SpawnProcess

    started: list[int] = []
    start = SpawnProcess.start

    def start_and_kill(process: SpawnProcess) -> None:
        start(process)
        assert process.pid is not None
        started.append(process.pid)
        os.kill(process.pid, signal.SIGKILL)

    monkeypatch.setattr(SpawnProcess, "start", start_and_kill)
    with pytest.raises(
        PfsmError, match=r"table.yaml: row 'chrF': its process was killed.*finished cells are kept"
    ):
        list(run_tasks(tasks, jobs=1))
    assert started
    assert not any(map(alive, started))


def test_cells_are_kept_by_the_code_that_decides_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decides = ["one/code.py", "one/resources/words.txt", "two/code.py"]
    does_not = ["one/commands/score.py", "one/page/page.py", "one/readme.md"]
    for name in (*decides, *does_not):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a = 1\n")
    seen = [files_digest([tmp_path / "one", tmp_path / "two"])]
    for name in (*does_not, *decides):
        (tmp_path / name).write_text("a = 2\n")
        seen.append(files_digest([tmp_path / "one", tmp_path / "two"]))
    assert len(set(seen[:4])) == 1
    assert len(set(seen[3:])) == 4
    row = RowSpec("chrF", metric="chrf")
    assert task_module.row_versions(row)["sources"] == sources_digest()
    monkeypatch.setattr(task_module, "sources_digest", lambda: "other")
    assert task_module.row_versions(row)["sources"] == "other"
