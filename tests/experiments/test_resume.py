"""Ctrl-C in the middle, resumption, and the same bytes whatever the number of processes."""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pfsm_experiments import run_experiment
from tests.experiments.experiment_cases import run_here, table, tree, write_data, write_experiment
from tests.terminals import LONGEST_WAIT, START, read

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and terminals are POSIX's")
# One small cell, and one that is at work for longer than the test needs to press Ctrl-C.
SLOW = [{"name": "chrF", "metric": "chrf"}, {"name": "slow", "train": {"lambda": "auto", "max_jump": 9}}]
# Nothing here depends on how lambda is chosen.
ROWS = [{**row, **({"train": {"lambda": 20}} if row["name"] == "pFSM" else {})} for row in table()["rows"]]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """An experiment that ran undisturbed in two processes: its file, its data, its output."""
    folder = tmp_path_factory.mktemp("finished")
    config = write_experiment(folder, table(rows=ROWS, pictures=["svg", "pdf"], resamples=20))
    data = write_data(folder / "data")
    run_experiment(config, data, folder / "out", jobs=2)
    return config, data, folder / "out"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs tasks in this process, for tests of other things than processes."""
    monkeypatch.setattr("pfsm_experiments.run.run_tasks", run_here)


def test_what_is_written(finished: tuple[Path, Path, Path]) -> None:
    config, _, output = finished
    files = {name for name in tree(output) if not name.startswith("cells/")}
    plots = [f"plots/bars-{name}.{kind}" for name in ("1-pearson", "2-spearman") for kind in ("svg", "pdf")]
    models = ["models/pfsm.json", "models/near-en-small.json"]
    assert files == {"config.yaml", "results.json", "table.md", "table.tex", *plots, *models}
    assert (output / "config.yaml").read_bytes() == config.read_bytes()
    document = json.loads((output / "results.json").read_text(encoding="utf-8"))
    assert len(document["results"]) == 2 * 4 * 3
    assert all(entry["n"] in {30, 90} and len(entry["interval"]) == 2 for entry in document["results"])
    assert [entry["file"] for entry in document["data"]][:2] == ["test/cs-en.tsv", "test/de-en.tsv"]
    assert all(len(entry["sha256"]) == 64 for entry in document["data"])
    assert sorted(document["files"]) == sorted(name for name in files if "/" in name)
    assert not any(name.endswith(".tmp") for name in tree(output))
    drawn = (output / "plots" / "bars-1-pearson.pdf").read_bytes()
    assert drawn.startswith(b"%PDF-")
    assert b"Date" not in drawn


def test_the_same_bytes_in_this_process_elsewhere(
    finished: tuple[Path, Path, Path], tmp_path: Path, here: None
) -> None:
    config, data, output = finished
    shutil.copytree(data, tmp_path / "elsewhere")
    shutil.copy(config, tmp_path / "table.yaml")
    run_experiment(tmp_path / "table.yaml", tmp_path / "elsewhere", tmp_path / "out", jobs=1)
    ours, theirs = tree(tmp_path / "out"), tree(output)
    assert [name for name in theirs if ours.get(name) != theirs[name]] == []
    assert ours.keys() == theirs.keys()


def test_damaged_cells_are_computed_again_and_those_of_other_data(
    finished: tuple[Path, Path, Path], tmp_path: Path, here: None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "pfsm.experiment")
    config, data, output = finished
    shutil.copytree(output, tmp_path / "out")
    cells = sorted((tmp_path / "out" / "cells").iterdir())
    (cells[0] / "cell.json").unlink()
    (cells[1] / "scores.txt.gz").write_bytes(b"not gzip")
    (cells[2] / "cell.json").write_text('{"format": "pfsm-cell-1"}', encoding="utf-8")
    run_experiment(config, data, tmp_path / "out", jobs=1)
    assert tree(tmp_path / "out") == tree(output)
    shutil.copytree(data, tmp_path / "data")
    path = tmp_path / "data" / "train" / "cs-en.tsv"
    rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(rows[:-1]), encoding="utf-8")
    run_experiment(config, tmp_path / "data", tmp_path / "out", jobs=2)
    assert "cells: 0 of 2 cells, 1 finished earlier" in caplog.messages  # the metric's


def test_what_an_earlier_run_left_is_deleted(
    finished: tuple[Path, Path, Path], tmp_path: Path, here: None
) -> None:
    _, data, output = finished
    shutil.copytree(output, tmp_path / "out")
    (tmp_path / "out" / "plots" / "mine.svg").write_text("precious", encoding="utf-8")
    fewer = write_experiment(
        tmp_path, table(rows=ROWS[:2], statistics=["spearman"], pictures="svg", resamples=20)
    )
    run_experiment(fewer, data, tmp_path / "out")
    names = {name for name in tree(tmp_path / "out") if name.startswith(("plots/", "models/"))}
    assert "models/near-en-small.json" not in names
    assert "plots/bars-2-spearman.svg" not in names
    assert {"plots/mine.svg", "plots/bars-1-spearman.svg", "models/pfsm.json"} <= names


def test_ctrl_c_keeps_finished_cells_and_leaves_nothing_else(
    tmp_path: Path, data: Path, here: None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "pfsm.experiment")
    config = write_experiment(tmp_path, table(rows=SLOW))
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", START, "experiment", str(config)),
            *("--data", str(data), "--output", str(tmp_path / "out"), "--jobs", "2"),
        ],
        stdout=subprocess.PIPE,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        seen = read(ours, b"1/2 cells")
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: every process of the group hears it
        seen += read(ours, None)
        printed, _ = process.communicate(timeout=LONGEST_WAIT)
    finally:
        process.kill()
        os.close(ours)
    assert process.returncode == 130
    assert seen.rstrip().endswith(b"pfsm: interrupted")
    assert b"Traceback" not in seen
    assert printed == b""
    files = tree(tmp_path / "out")
    assert {name.split("/")[0] for name in files} == {"cells"}
    assert sorted(name.split("/")[-1] for name in files) == ["cell.json", "scores.txt.gz"]
    wait_for_the_last_of(process.pid)
    quick = write_experiment(tmp_path, table(rows=ROWS[:2]))
    run_experiment(quick, data, tmp_path / "out")
    assert "cells: 0 of 1 cells, 1 finished earlier" in caplog.messages


def wait_for_the_last_of(group: int) -> None:
    """Waits until a process group is empty; Python's helper process ends shortly after its parent."""
    deadline = time.monotonic() + LONGEST_WAIT
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        assert time.monotonic() < deadline, "a process is left"
        time.sleep(0.05)
