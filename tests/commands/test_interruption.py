"""Ctrl-C: status 130, no traceback, no half-written file. And the progress that is shown meanwhile."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows, tsv
from tests.terminals import LONGEST_WAIT, START, read

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and terminals are POSIX's")


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
