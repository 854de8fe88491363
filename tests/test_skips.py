"""A run of all tests fails where one is skipped that should run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.skips import EVERYTHING, NO_BROWSER

CHECKOUT = Path(__file__).resolve().parent.parent
FILE = """
import pytest

def test_it():
    pytest.skip({reason!r})
"""


@pytest.mark.parametrize(
    ("reason", "variables", "status"),
    [
        ("no Chromium here", {EVERYTHING: "1"}, 1),
        ("no Chromium here", {EVERYTHING: "1", NO_BROWSER: "1"}, 0),
    ],
)
def test_skips(reason: str, variables: dict[str, str], status: int, tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(FILE.format(reason=reason), encoding="utf-8")
    inherited = {name: value for name, value in os.environ.items() if name not in {EVERYTHING, NO_BROWSER}}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.skips", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=CHECKOUT, env={**inherited, **variables}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stdout + done.stderr
    assert (f"test_one.py::test_it: {reason}" in done.stdout) == bool(status)
