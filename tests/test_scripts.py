"""Planted faults still have their places, what runs at night its tests, and no test is skipped that should run."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.skips import EVERYTHING, NO_BROWSER, is_allowed

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


def test_planted_faults_have_a_place_and_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    planted = importlib.import_module("planted_faults")
    for fault in planted.PLANTED:
        assert planted.place(fault).is_file()
        assert (SCRIPTS.parent / fault.tests.partition("::")[0]).is_file(), fault.tests


def test_the_tests_that_the_makefile_names_are_there() -> None:
    named = re.findall(r"\btests/[\w/.]+", (SCRIPTS.parent / "Makefile").read_text(encoding="utf-8"))
    assert len(named) > 5
    assert [name for name in named if not (SCRIPTS.parent / name.rstrip(".")).exists()] == []


CHECKOUT = Path(__file__).resolve().parent.parent
FILE = """
import pytest

def test_it():
    pytest.skip({reason!r})
"""


def test_skips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of all tests fails where one is skipped that should run."""
    reason = "no Chromium here"
    (tmp_path / "test_one.py").write_text(FILE.format(reason=reason), encoding="utf-8")
    monkeypatch.delenv(NO_BROWSER, raising=False)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.skips", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=CHECKOUT, env={**os.environ, EVERYTHING: "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"test_one.py::test_it: {reason}" in done.stdout
    monkeypatch.setenv(NO_BROWSER, "1")
    assert is_allowed(reason)
