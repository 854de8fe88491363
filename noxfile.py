"""Tests with the oldest dependencies that pyproject.toml allows, and with other versions of Python (``make versions``).

A Python that is not at hand is skipped. PyTorch stays at the version of constraints.txt, in its build without CUDA;
where the index has none for that Python, the tests that train are left out.
"""

import re
from pathlib import Path

import nox
from nox.command import CommandFailed

nox.options.default_venv_backend = "uv"
nox.options.error_on_missing_interpreters = False
# A part of the suite that touches every dependency, in a few minutes with cold kernels.
TESTS = (
    "tests/core/io",
    "tests/core/text",
    "tests/core/data",
    "tests/core/lattice",
    "tests/core/matchers",
    "tests/core/commands/test_score.py",
)
TRAINING = (
    "tests/training/test_train.py",
    "tests/training/test_losses.py",
    "tests/core/commands/test_experiment.py",
)
NEED_TORCH = "tests/core/matchers/test_embedding.py::TestRarity::test_through_training_and_back"


@nox.session(python="3.11")
def oldest(session: nox.Session) -> None:
    """The oldest direct dependencies."""
    _test(session, "lowest-direct")


@nox.session(python=["3.12", "3.13"])
def newest(session: nox.Session) -> None:
    """The newest dependencies with a newer Python."""
    _test(session, "highest")


def _test(session: nox.Session, resolution: str) -> None:
    folder = Path(session.create_tmp())
    constraints = Path("constraints.txt").read_text(encoding="utf-8")
    torch = re.search(r"^torch==\S+$", constraints, re.MULTILINE)
    assert torch is not None
    (folder / "torch.txt").write_text(f"{torch.group()}+cpu\n", encoding="utf-8")
    options = ("--resolution", resolution, "--override", str(folder / "torch.txt"))
    tests = (*TESTS, *TRAINING)
    try:
        session.run("uv", "pip", "install", *options, "--editable", ".[dev,train]", external=True)
    except CommandFailed:
        session.warn("no PyTorch without CUDA for this Python: tests that train do not run")
        session.run("uv", "pip", "install", "--resolution", resolution, "--editable", ".[dev]", external=True)
        tests = (*TESTS, f"--deselect={NEED_TORCH}")
    session.env["NUMBA_CACHE_DIR"] = str(folder / "kernels")
    session.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *(session.posargs or tests))
