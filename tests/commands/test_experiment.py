"""``pfsm experiment`` as a command: what it prints, what it refuses."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pfsm_installation import install_command
from tests.command_runs import Cli, Write
from tests.experiments.experiment_cases import run_here
from tests.judgment_cases import rows, tsv

CONFIG = """
title: Small
train: train.tsv
test: {name: held out, files: test.tsv}
rows:
  - {name: chrF, metric: chrf}
  - {name: pFSM, train: {lambda: 1}}
resamples: 20
"""


@pytest.fixture(autouse=True)
def files(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "d").mkdir()
    write("d/train.tsv", tsv(rows(30)))
    write("d/test.tsv", tsv(rows(20, seed=1)))
    write("c.yaml", CONFIG)
    monkeypatch.setattr("pfsm_experiments.run.run_tasks", run_here)


def test_tables_are_printed_and_files_written(cli: Cli, tmp_path: Path) -> None:
    lines = cli("experiment", "c.yaml", "--data", "d", "-o", "out", "--jobs", "1").lines
    assert lines[0] == "| Pearson's r, held out | all |"
    assert lines[-1] == "wrote out/table.md"
    document = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert [(entry["row"], entry["n"]) for entry in document["results"]] == [("chrF", 20), ("pFSM", 20)]
    assert f"{document['results'][0]['value']:.3f}".lstrip("0") in lines[2]


def test_fresh_computes_all_cells_again(cli: Cli, write: Write, tmp_path: Path) -> None:
    write("c.yaml", CONFIG.replace("  - {name: pFSM, train: {lambda: 1}}\n", ""))
    assert cli("experiment", "c.yaml", "--data", "d", "-o", "out").status == 0
    cell = min((tmp_path / "out" / "cells").glob("*/scores.txt.gz"))
    first = cell.stat().st_mtime_ns
    assert cli("experiment", "c.yaml", "--data", "d", "-o", "out").status == 0
    assert cell.stat().st_mtime_ns == first
    assert cli("experiment", "c.yaml", "--data", "d", "-o", "out", "--fresh").status == 0
    assert cell.stat().st_mtime_ns != first


def test_notes_on_overlapping_data_go_to_standard_error(cli: Cli, write: Write) -> None:
    write("c.yaml", CONFIG.replace("train: train.tsv", "train: '*.tsv'"))
    outcome = cli("experiment", "c.yaml", "--data", "d", "-o", "out")
    assert outcome.status == 0
    assert outcome.err.startswith("pfsm: note: pFSM: not tested on held out: ")


def test_what_is_refused(cli: Cli, write: Write, tmp_path: Path) -> None:
    def fault(*arguments: str) -> str:
        return cli("experiment", *arguments).fault

    assert fault("no.yaml", "--data", "d", "-o", "out") == "no.yaml: no such file"
    assert fault("c.yaml", "--data", "nowhere", "-o", "out") == "nowhere: no such folder of data"
    write("file", "")
    assert "a folder is needed" in fault("c.yaml", "--data", "d", "-o", "file")
    assert "cannot be created" in fault("c.yaml", "--data", "d", "-o", "file/below")
    write("bad.yaml", CONFIG + "statistic: pearson\n")
    assert fault("bad.yaml", "--data", "d", "-o", "out").startswith("bad.yaml: unknown key 'statistic'")
    write("d/test.tsv", "reference\thypothesis\tscore\na\tb\tn/a\n")
    assert fault("c.yaml", "--data", "d", "-o", "out").startswith("d/test.tsv:2: score is 'n/a'")
    assert not (tmp_path / "out").exists()


def test_a_cell_that_cannot_be_learned_from_is_named(cli: Cli, write: Write) -> None:
    write("d/train.tsv", tsv([(reference, hypothesis, "1") for reference, hypothesis, _ in rows(9)]))
    fault = cli("experiment", "c.yaml", "--data", "d", "-o", "out").fault
    assert fault.startswith("all 9 scores are 1")


def test_matplotlib_must_be_installed_for_pictures(
    cli: Cli, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("c.yaml", CONFIG + "pictures: svg\n")
    monkeypatch.setattr("pfsm_experiments.run.find_spec", lambda name: name != "matplotlib" or None)
    fault = cli("experiment", "c.yaml", "--data", "d", "-o", "out").fault
    assert fault.endswith(f"matplotlib, which is not installed; {install_command(['experiment'])}")


def test_torch_must_be_installed_where_a_row_trains(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("pfsm_experiments.run.find_spec", lambda name: name != "torch" or None)
    fault = cli("experiment", "c.yaml", "--data", "d", "-o", "out").fault
    assert fault == f"c.yaml: row 'pFSM' is trained, which needs PyTorch; {install_command(['experiment'])}"
    assert not (tmp_path / "out").exists()


def test_rows_that_are_not_trained_need_no_torch(write: Write, tmp_path: Path) -> None:
    write("c.yaml", CONFIG.replace("{name: pFSM, train: {lambda: 1}}", "{name: small, model: en-small}"))
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "from pfsm.cli import main\n"
        "sys.exit(main('experiment c.yaml --data d -o out --jobs 1'.split()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "wrote out/table.md"), done.stderr
