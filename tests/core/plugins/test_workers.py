"""Plug-ins in processes that others start: workers of experiments."""

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
import yaml

from tests.core.plugins.packages import SAME_LENGTH
from tests.judgment_cases import rows, tsv

ROOT = Path(__file__).resolve().parents[3]
# Where compiled kernels are kept: a process without them compiles for minutes.
COMPILED = {key: value for key, value in os.environ.items() if key == "NUMBA_CACHE_DIR"}
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
    path = ":".join(
        map(str, (ROOT, ROOT / "kernels", ROOT / "training", ROOT / "linguistics", folder / "site"))
    )
    command = [sys.executable, "script.py", *arguments]
    variables = {"PYTHONPATH": path, "HOME": str(folder), "PATH": "", **COMPILED}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


def test_workers_of_experiments_know_what_the_script_registers(folder: Path) -> None:
    arguments = ("experiment", "x.yaml", "--data", ".", "-o", "out", "--jobs", "2")
    done = run(folder, dedent(REGISTERING) + dedent(RUN), *arguments)
    assert done.returncode == 0, done.stderr
    assert any(
        "module script " in path.read_text(encoding="utf-8") for path in (folder / "out").rglob("*.json")
    )
