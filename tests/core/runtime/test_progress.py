"""How far work has come: what is logged, the time left, plain lines, bars."""

import io
import logging
import subprocess
import sys

import pytest

from pfsm.runtime.bars import shown_progress
from pfsm.runtime.terminal import Stage


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("verbose", "terminal"), [(False, True), (True, False), (False, False)])
def test_what_is_shown_where(
    verbose: bool, terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = Terminal() if terminal else io.StringIO()
    logger = logging.getLogger("pfsm")
    before = logger.level, logger.propagate, list(logger.handlers)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        with shown_progress(verbose=verbose), Stage("score", "scoring", 10, "pairs") as stage:
            stage.advance(4, "the first file")
            logging.getLogger("pfsm.kernels").info("compiling")
            stage.advance(6)
    assert (logger.level, logger.propagate, logger.handlers) == before
    shown = stream.getvalue()
    assert capsys.readouterr().out == ""
    if terminal:
        assert "\npfsm: compiling\n" in shown.replace("\r", "\n")
        assert "scoring: 100%|" in shown
        assert "10/10 pairs" in shown
        assert shown.endswith("\n")
    elif verbose:
        assert shown.splitlines()[:2] == ["pfsm: scoring: 0 of 10 pairs", "pfsm: compiling"]
        assert shown.splitlines()[-1].startswith("pfsm: scoring: 10 of 10 pairs, the first file, ")
    else:
        assert shown == ""


def test_python_is_silent_unless_it_listens() -> None:
    code = """
import sys, pfsm
assert "logging" not in sys.modules, "import pfsm stays light"
import logging
metric = pfsm.load("en-small")
assert "tqdm" not in sys.modules
if sys.argv[1:]:
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
metric.score_pairs(["a cat"] * 5000, ["a dog"] * 5000)
assert "tqdm" not in sys.modules
"""
    silent, told = (
        subprocess.run([sys.executable, "-c", code, *more], capture_output=True, text=True, check=True)
        for more in ((), ("listen",))
    )
    assert (silent.stdout, silent.stderr) == ("", "")
    lines = [line for line in told.stderr.splitlines() if "kernels" not in line]
    assert lines[0] == "pfsm.score scoring: 0 of 5,000 pairs"
    assert lines[1].startswith("pfsm.score scoring: 5,000 of 5,000 pairs, ")
    assert len(lines) == 2
