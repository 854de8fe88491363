"""Progress of commands: a bar on a terminal, lines where they are asked for, otherwise nothing; never in the output."""

import fcntl
import os
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.command_runs import Cli
from tests.commands.test_interruption import POSIX
from tests.judgment_cases import rows, tsv
from tests.terminals import LONGEST_WAIT, START, read

TRAIN = ("train", "d.tsv", "-o", "m.json", "--config", "words")
MBR = ("mbr", "-i", "c.txt", "-n", "2", "-m", "en-small")
PARSE = ("parse", "lines.txt", "-o", "p.conllu", "--no-cache")
SCORE = ("score", "ref.txt", "-i", "hyp.txt", "-m", "en-small")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = rows(60)
    (tmp_path / "d.tsv").write_text(tsv(made[:25]), encoding="utf-8")
    (tmp_path / "c.txt").write_text("".join(f"{row[0]}\n{row[1]}\n" for row in made), encoding="utf-8")
    (tmp_path / "lines.txt").write_text(
        "".join(f"{row[0]} {at}\n" for at, row in enumerate(made)), encoding="utf-8"
    )
    for name, side in (("ref.txt", 0), ("hyp.txt", 1)):
        text = "".join(f"{row[side]} {number}\n" for number in range(100) for row in made)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run_on_terminal(folder: Path, *arguments: str) -> tuple[bytes, str]:
    """Standard output, and what the terminal got."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", START, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    try:
        shown = read(ours, None).decode()
        printed, _ = process.communicate(timeout=LONGEST_WAIT)
    finally:
        process.kill()
        os.close(ours)
    assert process.returncode == 0, shown
    return printed, shown


@POSIX
@pytest.mark.parametrize(
    ("command", "bars"),
    [
        (TRAIN, ("matching: 100%|", "cross-validation: 100%|", "fold 5 of 5, lambda ", "objective ")),
        (MBR, ("choosing: 100%|", "60/60 sources")),
        (PARSE, ("parsing: 100%|", "60/60 lines")),
    ],
)
def test_bars_and_lines(folder: Path, cli: Cli, command: tuple[str, ...], bars: tuple[str, ...]) -> None:
    printed, shown = run_on_terminal(folder, *command)
    for bar in bars:
        assert bar in shown, shown
    verbose = cli(*command, "--verbose")
    assert (verbose.status, verbose.out) == (0, printed.decode())
    first = verbose.err.splitlines()
    assert all(line.startswith("pfsm: ") for line in first)
    for bar in bars:
        if bar.endswith("%|"):
            assert any(line.startswith(f"pfsm: {bar.partition(':')[0]}: ") for line in first), first


@POSIX
@pytest.mark.parametrize(("option", "said"), [("-b", True), ("--quiet", False)])
def test_the_first_compilation_is_announced_before_the_wait(
    folder: Path, option: str, said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal or not, and once: whoever waits should know for what."""
    monkeypatch.delenv("PFSM_NO_NOTICE")
    code = f"""
import runpy, sys
from numba.core import event
from pfsm_kernels.cache import NOTICE
class Seen(event.Listener):
    def on_start(self, event): sys.stderr.write("[compiling]\\n")
    def on_end(self, event): pass
event.register("numba:compile", Seen())
from numba.core.event import broadcast, Event, EventStatus
sys.argv = ["pfsm", *{SCORE!r}, {option!r}]
import pfsm.commands.score as score
before = score.open_scorers
def opened(options):
    broadcast(Event("numba:compile", EventStatus.START))
    return before(options)
score.open_scorers = opened
runpy.run_module("pfsm", run_name="__main__", alter_sys=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    lines = done.stderr.splitlines()
    assert lines[: 1 + said] == ["pfsm: compiling kernels, up to 30 s, once for each command"] * said + [
        "[compiling]"
    ]
    assert done.stderr.count("compiling kernels") == said
