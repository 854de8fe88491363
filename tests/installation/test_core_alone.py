"""The core without the packages that it finds by entry points: a copy of the checkout without their folders.

Scoring, training, evaluation, comparison and explanation in text pass their tests there; pages and commands of the
packages that are gone are refused in one line, before any work is done.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DELETED = ("studio",)
FOLDERS = ("pfsm", "pfsm_installation", "training", "tests")
# The checkout is installed in place, so that Python would find the deleted packages after all.
ONLY_THE_COPY = """\
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "Editable" not in getattr(one, "__name__", "")]
"""
PASSED = (
    *(
        "commands/test_score.py",
        "commands/test_train.py",
        "commands/test_evaluate.py",
        "commands/test_compare.py",
    ),
    *("model/test_explain.py", "model/test_shipped.py"),
)
REFUSED = {
    "compare r.txt -i r.txt r.txt -m missing.json --html page.html": "--html needs the studio, which this",
    "explain r.txt -i r.txt -m missing.json --html page.html": "--html needs the studio, which this",
    "train missing.tsv -o m.json --report page.html": "--report needs the studio, which this",
    "serve": "error: argument COMMAND: unknown: 'serve'",
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    for name in FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__", "resources", *DELETED)
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    (folder / "pfsm" / "resources").symlink_to(ROOT / "pfsm" / "resources")
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "sitecustomize.py").write_text(ONLY_THE_COPY, encoding="utf-8")
    return folder


def called(copy: Path, *command: str) -> subprocess.CompletedProcess[str]:
    # Kernels stay where they are, so that nothing is compiled again.
    path = os.pathsep.join(map(str, (copy, copy / "training", ROOT / "kernels")))
    return subprocess.run(
        [sys.executable, "-m", *command],
        env={**os.environ, "PYTHONPATH": path},
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_needs_no_other_package_passes_its_tests(copy: Path) -> None:
    done = called(copy, "pytest", "-q", "-x", *(f"tests/{name}" for name in PASSED))
    assert done.returncode == 0, done.stdout


def test_what_is_gone_is_refused_in_one_line(copy: Path) -> None:
    (copy / "r.txt").write_text("a b\n", encoding="utf-8")
    for command, fault in REFUSED.items():
        done = called(copy, "pfsm", *command.split())
        assert (done.returncode, done.stdout) == (2, "")
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"pfsm: {fault}")
