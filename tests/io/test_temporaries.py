"""Temporary files of killed processes go away with the next write; those of living ones stay."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pfsm.io import temporaries
from pfsm.io.files import atomic_write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="this system has no such locks")

WRITER = """
import os, signal, sys
from pfsm.io.files import atomic_write
with atomic_write(sys.argv[1]) as handle:
    handle.write("new\\n")
    handle.flush()
    print("writing", flush=True)
    sys.stdin.readline()
    if sys.argv[2] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def _nothing_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(temporaries, "_swept", set())


def writer(path: Path, end: str) -> "subprocess.Popen[str]":
    """A process in the middle of writing; a line on its standard input ends it."""
    command = [sys.executable, "-c", WRITER, str(path), end]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    return process


def test_the_next_write_removes_what_was_left(tmp_path: Path) -> None:
    with writer(tmp_path / "a.txt", "killed") as process:
        process.communicate("\n")
    assert process.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".pfsm-")
    with atomic_write(tmp_path / "a.txt") as handle:
        handle.write("new\n")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_what_a_living_process_writes_stays(tmp_path: Path) -> None:
    with writer(tmp_path / "a.txt", "ends") as process:
        (theirs,) = tmp_path.iterdir()
        with atomic_write(tmp_path / "a.txt") as handle:
            handle.write("ours\n")
        temporaries.sweep(tmp_path)
        assert theirs.exists()
        process.communicate("\n")
    assert process.returncode == 0
    assert (tmp_path / "a.txt").read_text() == "new\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
