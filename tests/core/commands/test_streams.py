"""Standard output is UTF-8 where it carries data; no control character of a text or a name reaches a terminal."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.terminals import read

HOSTILE = "Der\x1b[31m Kaffee\x07 \x9b5n\r日本 ö\x00"


def _command(command: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "pfsm", *command]


def _run(*command: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        _command(command), cwd=cwd, env={**os.environ, **environment}, capture_output=True, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = ["Der Kaffee öffnet 日本.", "Der Kaffee öffnet 日本!", "Der Tee.", "Der Tee öffnet."]
    (tmp_path / "hyps.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    (tmp_path / "d.tsv").write_text(f"reference\thypothesis\tscore\n{lines[0]}\t{lines[2]}\t1\n", "utf-8")
    (tmp_path / "ref.txt").write_text(f"{lines[0]}\n{lines[2]}\n", "utf-8")
    (tmp_path / "other.txt").write_text("Der Kaffee.\nDer Tee öffnet.\n", "utf-8")
    return tmp_path


COMMANDS = [
    ("mbr", "-i", "hyps.txt", "-n", "2", "-m", "en-small", "--force"),
    ("explain", "ref.txt", "-i", "ref.txt", "-m", "en-small", "--force", "-f", "json"),
    ("data", "perturb", "d.tsv"),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_output_is_utf_8_whatever_the_locale(command: tuple[str, ...], folder: Path) -> None:
    expected = _run(*command, cwd=folder).stdout.decode("utf-8")
    assert "\\u" not in expected
    if command[-1] == "json":
        json.loads(expected)
    for environment in (
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ):
        assert _run(*command, cwd=folder, **environment).stdout.decode("utf-8") == expected


def _on_terminal(*command: str, cwd: Path, **environment: str) -> bytes:
    """What a terminal gets, standard output and standard error."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        _command(command), cwd=cwd, env={**os.environ, **environment}, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    found = read(ours, None)
    os.close(ours)
    process.wait()
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="names of files with control characters, and a terminal")
def test_no_escape_reaches_a_terminal(folder: Path) -> None:
    name = "a\x1b[31m\x9b\x07"
    (folder / name).write_text(f"{HOSTILE}\nDer Tee.\n", "utf-8", newline="")
    (folder / "b.tsv").write_text(
        f"reference\thypothesis\tscore\tsystem\n{HOSTILE[:-2]}\tTee\t1\ts\x1b[2J\nx\ty\t2\tz\n",
        "utf-8",
        newline="",
    )
    shown = rb"a\x1b[31m\x9b\x07"
    for command, quoted in (
        (("score", "ref.txt", "-i", name, "-m", "en-small", "--force", "-sl"), b""),
        (("compare", "ref.txt", "-i", name, "other.txt", "-m", "en-small", "--force"), shown),
        (("explain", "ref.txt", "-i", name, "-m", "en-small", "--force"), b"[31m"),
        (("score", "ref.txt", "-i", f"{name}x"), shown),
        (("score", "ref.txt", f"--{name}"), shown),
        (("data", "info", "b.tsv"), rb"s\x1b[2J"),
    ):
        found = _on_terminal(*command, cwd=folder, NO_COLOR="1")
        assert not {*found} & ({*range(32)} - {*b"\t\n\r"}), command
        assert b"\xc2\x9b" not in found
        assert quoted in found, command
    colored = _on_terminal(
        "compare", "ref.txt", "-i", name, "other.txt", "-m", "en-small", "--force", cwd=folder
    )
    assert b"\x1b[1m" in colored or b"\x1b[2m" in colored
    assert b"\x1b[31m\xc2\x9b" not in colored
