"""The import contract of ``pyproject.toml`` holds, and notices what breaks it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (
    "pfsm",
    "pfsm_installation",
    "kernels/pfsm_kernels",
    "training/pfsm_training",
    "training/pfsm_experiments",
)
# An import that each contract forbids: the file that would have it, and the line.
BREAKS = {
    "layers": ("pfsm/matchers/number.py", "from pfsm.english.numbers import english_numbers"),
    "cycles": ("pfsm/io/limits.py", "from pfsm.io.files import read_lines"),
    "torch": ("pfsm/model/metric.py", "import torch"),
}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", program, "--config", str(folder / "pyproject.toml"), "--no-cache"]
    path = ":".join(str(folder / part) for part in (".", "kernels", "training"))
    environment = {"PYTHONPATH": path, "PATH": "", "HOME": str(folder)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python files of the packages, and the contract."""
    folder = tmp_path_factory.mktemp("tree")
    for package in PACKAGES:
        for source in (ROOT / package).rglob("*.py"):
            target = folder / source.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    (folder / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    return folder


def test_it_holds(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", BREAKS)
def test_breaking_it_is_noticed(copy: Path, name: str) -> None:
    file, line = BREAKS[name]
    source = copy / file
    before = source.read_bytes()
    source.write_bytes(before + f"\n{line}\n".encode())
    try:
        done = lint(copy)
    finally:
        source.write_bytes(before)
    assert done.returncode != 0
    assert "BROKEN" in done.stdout
