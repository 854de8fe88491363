"""Progress on terminals and in lines; Ctrl-C: status 130, no traceback, no half-written file."""

import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows, tsv
from tests.terminals import LONGEST_WAIT, START, read

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and terminals are POSIX's")
TRAIN = ("train", "d.tsv", "-o", "m.json", "--config", "words")
MBR = ("mbr", "-i", "c.txt", "-n", "2", "-m", "en-small")
SCORE = ("score", "ref.txt", "-i", "hyp.txt", "-m", "en-small")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = rows(60)
    (tmp_path / "d.tsv").write_text(tsv(made[:25]), encoding="utf-8")
    (tmp_path / "c.txt").write_text("".join(f"{row[0]}\n{row[1]}\n" for row in made), encoding="utf-8")
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
    for name in ("ref.txt", "hyp.txt"):
        few = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)[:60]
        (folder / name).write_text("".join(few), encoding="utf-8")
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


@POSIX
class TestInterruption:
    def start(self, folder: Path, *arguments: str) -> tuple[subprocess.Popen[bytes], int]:
        """A command whose errors go to a terminal, so that it reports progress; the terminal's other end."""
        ours, theirs = os.openpty()
        process = subprocess.Popen(
            [sys.executable, "-c", START, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=theirs
        )
        os.close(theirs)
        return process, ours

    def interrupt(self, folder: Path, output: str, until: bytes) -> None:
        (folder / "d.tsv").write_text(tsv(rows(1500)), encoding="utf-8")
        (folder / "c.yaml").write_text("lambda: auto\nmax_block: 2\n", encoding="utf-8")
        process, terminal = self.start(folder, "train", "d.tsv", "-o", output, "--config", "c.yaml")
        try:
            before = read(terminal, until)
            assert until in before
            process.send_signal(signal.SIGINT)
            after = read(terminal, None)
            printed, _ = process.communicate(timeout=LONGEST_WAIT)
        finally:
            process.kill()
            os.close(terminal)
        assert process.returncode == 130
        assert after.rstrip().endswith(b"pfsm: interrupted")
        assert b"Traceback" not in before + after
        assert printed == b""

    def test_ctrl_c_in_training_keeps_an_older_model(self, tmp_path: Path) -> None:
        (tmp_path / "m.json").write_text("precious", encoding="utf-8")
        self.interrupt(tmp_path, "m.json", b"cross-validation: ")
        assert (tmp_path / "m.json").read_text(encoding="utf-8") == "precious"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["c.yaml", "d.tsv", "m.json"]

    @pytest.mark.parametrize("error", [ImportError("cannot import name x"), PfsmError("not installed")])
    def test_ctrl_c_in_an_import_that_makes_an_error_of_it(
        self, error: Exception, cli: Cli, write: Write, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As in lazy imports of SciPy: no error is reported if Ctrl-C alone has caused it."""

        def press(*_: object, **__: object) -> None:
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                raise error from None

        monkeypatch.setattr("pfsm.commands.score.read_parallel", press)
        write("ref.txt", "a\n")
        outcome = cli("score", "ref.txt")
        assert (outcome.status, outcome.out, outcome.err) == (130, "", "\npfsm: interrupted\n")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def test_ctrl_c_where_nothing_can_be_raised(
        self, cli: Cli, write: Write, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In a `__del__`, where Python would print a traceback and continue."""

        class Held:
            def __del__(self) -> None:
                signal.raise_signal(signal.SIGINT)

        def drop(*_: object, **__: object) -> None:
            held = Held()
            del held
            time.sleep(10.0)
            pytest.fail("the interrupt was lost")

        monkeypatch.setattr("pfsm.commands.score.read_parallel", drop)
        write("ref.txt", "a\n")
        outcome = cli("score", "ref.txt")
        assert (outcome.status, outcome.out, outcome.err) == (130, "", "\npfsm: interrupted\n")
