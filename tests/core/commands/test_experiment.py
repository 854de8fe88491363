"""``pfsm experiment`` as a command: what it prints, what it refuses."""

import subprocess
import sys
from pathlib import Path

import pytest

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


def test_what_is_refused(cli: Cli, write: Write, tmp_path: Path) -> None:
    def fault(*arguments: str) -> str:
        return cli("experiment", *arguments).fault

    assert fault("c.yaml", "--data", "nowhere", "-o", "out") == "nowhere: no such folder of data"
    write("file", "")
    assert "a folder is needed" in fault("c.yaml", "--data", "d", "-o", "file")
    write("d/test.tsv", "reference\thypothesis\tscore\na\tb\tn/a\n")
    assert fault("c.yaml", "--data", "d", "-o", "out").startswith("d/test.tsv:2: score is 'n/a'")
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
