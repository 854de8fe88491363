"""Plug-ins in processes that others start: workers of experiments, and clusters."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
import yaml

from pfsm import registry
from pfsm.distributed.cluster import Cluster, open_cluster
from pfsm.distributed.job import Job, score_job
from pfsm.distributed.pools import Report
from pfsm.distributed.scorers import spec_of
from pfsm.errors import PfsmError
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from pfsm_training.data.distributed import ClusterEncoder
from pfsm_training.data.training_text import TrainingText
from tests.judgment_cases import rows, tsv
from tests.plugins.packages import SAME_LENGTH, installed, uninstalled
from tests.training.small_data import invented

ROOT = Path(__file__).resolve().parents[2]
# Where compiled kernels are kept: a process without them compiles for minutes.
COMPILED = {key: value for key, value in os.environ.items() if key == "NUMBA_CACHE_DIR"}
MATCHER = {"matcher": {"same-length": "same_length:SameLength"}}
REGISTERING = SAME_LENGTH.replace(
    "    class Same", '    import pfsm\n    @pfsm.register.matcher("same-length")\n    class Same'
)
CONFIG = {
    "title": "x", "train": "data.tsv", "scheme": "k-fold", "folds": 2, "statistics": ["pearson"], "resamples": 10,
    "rows": [{"name": "lengths", "train": {"matchers": ["word", "same-length"], "lambda": 1}}],
}  # fmt: skip
RUN = """
    if __name__ == "__main__":
        import sys
        from pfsm.cli import main
        sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Data and an experiment."""
    (tmp_path / "data.tsv").write_text(tsv(rows(24)), encoding="utf-8")
    (tmp_path / "x.yaml").write_text(yaml.safe_dump(CONFIG), encoding="utf-8")
    return tmp_path


def run(folder: Path, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a script beside the data as a user does."""
    (folder / "script.py").write_text(dedent(script), encoding="utf-8")
    path = ":".join(map(str, (ROOT, ROOT / "kernels", ROOT / "training", folder / "site")))
    command = [sys.executable, "script.py", *arguments]
    variables = {"PYTHONPATH": path, "HOME": str(folder), "PATH": "", **COMPILED}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


def test_workers_of_experiments_know_what_the_script_registers(folder: Path) -> None:
    done = run(
        folder,
        dedent(REGISTERING) + dedent(RUN),
        "experiment",
        "x.yaml",
        "--data",
        ".",
        "-o",
        "out",
        "--jobs",
        "2",
    )
    assert done.returncode == 0, done.stderr
    assert any(
        "module script " in path.read_text(encoding="utf-8") for path in (folder / "out").rglob("*.json")
    )


@pytest.fixture
def cluster(site: Path) -> Iterator[Cluster]:
    """One worker, started when the folder of packages is on the path."""
    with open_cluster("local:1") as opened:
        yield opened


SETTINGS = {"matchers": ["word", "same-length"]}
WEIGHTS = {"Insert": -1.0, "Delete": -1.0, "S_word": 1.0, "S_same-length": 0.5}


def scored(cluster: Cluster, folder: Path, name: str) -> float:
    metric = Metric(Model("x", settings_from_dict(SETTINGS, "x"), WEIGHTS), 1)
    job = Job(str(folder / "data.tsv"), str(folder / name), spec_of(metric), "tsv")
    return score_job(job, Report(cluster)).mean


def test_clusters(cluster: Cluster, folder: Path, site: Path) -> None:
    (site / "my_matchers.py").write_text(dedent(REGISTERING), encoding="utf-8")
    import my_matchers  # type: ignore[import-not-found] # noqa: F401

    metric = Metric(Model("x", settings_from_dict(SETTINGS, "x"), WEIGHTS), 1)
    expected = metric.score_pairs([row[1] for row in rows(24)], [row[0] for row in rows(24)])
    np.testing.assert_allclose(scored(cluster, folder, "out"), expected.mean(), rtol=1e-15)


def test_a_worker_with_another_version(cluster: Cluster, folder: Path, site: Path) -> None:
    installed(site, "pfsm-lengths", MATCHER, {"same_length": SAME_LENGTH})
    settings = settings_from_dict(SETTINGS, "x")
    encode = ClusterEncoder(cluster, Report(cluster), 16)
    text = TrainingText(invented(0, 5), None, settings)
    # The worker reads what is installed now, and keeps to it.
    assert encode(text).instances()
    uninstalled(site, "pfsm-lengths")
    installed(site, "pfsm-lengths", MATCHER, {}, "1.1")
    registry.reread()
    with pytest.raises(PfsmError, match=r"has other resources: .*lengths@1\.0\), here .*lengths@1\.1\)$"):
        encode(text).instances()
