"""Fixtures of the experiment tests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pfsm_experiments import run_experiment
from pfsm_experiments.report.output import Results
from tests.experiments.experiment_cases import run_here, write_data, write_experiment

Run = Callable[..., Results]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The made-up data folder."""
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture
def run(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs an experiment in this process, without writing files."""
    monkeypatch.setattr("pfsm_experiments.run.run_tasks", run_here)
    monkeypatch.setattr("pfsm_experiments.run.write_output", lambda *_: None)

    def go(values: dict[str, Any], folder: Path = data) -> Results:
        return run_experiment(write_experiment(tmp_path, values), folder, tmp_path / "out")

    return go
