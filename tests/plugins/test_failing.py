"""Plug-ins that raise what they must not: one line that names them, and no traceback unless it is asked for."""

from pathlib import Path

import pytest

from pfsm.registry import fault_of_plugin
from tests.command_runs import Cli, Write
from tests.plugins.packages import installed

SOURCE = """
    import numpy as np
    from pfsm.metrics.base import SegmentMetric

    class Failing(SegmentMetric):
        name = "failing"
        def score_pairs(self, hypotheses, references):
            return self.look_up({}, hypotheses[0])
        def look_up(self, table, word):
            return table[word]

    class OnDisk(SegmentMetric):
        name = "on-disk"
        def score_pairs(self, hypotheses, references):
            raise OSError("no such device")

    class Sums(SegmentMetric):
        name = "sums"
        def score_pairs(self, hypotheses, references):
            return np.array([1.0, "two"], dtype=np.float64)
"""
POINTS = {"failing": "letters:Failing", "on-disk": "letters:OnDisk", "sums": "letters:Sums"}


@pytest.fixture(autouse=True)
def package(site: Path, write: Write) -> None:
    installed(site, "pfsm-letters", {"metric": POINTS}, {"letters": SOURCE})
    write("r", "one\n")
    write("h", "two\n")


def test_one_line_names_the_plugin(cli: Cli) -> None:
    for name, said in (
        ("failing", "KeyError: 'two'"),
        ("on-disk", "OSError: no such device"),
        ("sums", "ValueError: could not convert string to float: 'two'"),
    ):
        fault = cli("score", "r", "-i", "h", "--metric", name).fault
        assert fault.startswith(f"metric {name!r} of pfsm-letters 1.0 has failed ({said}; letters.py, line ")
        assert fault.endswith("; its author must mend it, --verbose shows where it was called from")


def test_the_traceback_on_request(cli: Cli) -> None:
    done = cli("score", "r", "-i", "h", "--metric", "failing", "--verbose")
    assert done.status == 2
    assert "Traceback (most recent call last)" in done.err
    assert done.err.splitlines()[-1].startswith("pfsm: metric 'failing' of pfsm-letters 1.0 has failed")


def test_faults_of_ours_are_not_blamed_on_plugins(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli("score", "r", "-i", "h", "--metric", "failing").status == 2

    def broken(*_: object) -> None:
        raise KeyError("ours")

    monkeypatch.setattr("pfsm.commands.score.read_parallel", broken)
    with pytest.raises(KeyError, match="ours") as caught:
        cli("score", "r", "-i", "h", "--metric", "chrf")
    assert fault_of_plugin(caught.value) is None
