"""A line for which a metric would take minutes is refused in one line, whoever asks."""

from pathlib import Path

import pytest

import pfsm
from pfsm.errors import PfsmError
from pfsm.metrics import get_metric
from tests.command_runs import Cli, Write


@pytest.mark.parametrize("name", ["wer", "ter", "meteor-base", "en-small"])
def test_a_line_of_200_000_words_is_refused(name: str) -> None:
    line = "a b " * 100_000
    metric = pfsm.load(name) if name == "en-small" else get_metric(name)
    for hypotheses, references in ([line], ["a"]), (["a"], [line]):
        with pytest.raises(PfsmError, match=r"a line has about 200,001 words, it may have \d+,000"):
            metric.score_segments(hypotheses, [references])


@pytest.mark.parametrize("name", ["terp-base", "meteor-base"])
def test_words_repeated_until_their_matches_fill_the_memory(name: str) -> None:
    with pytest.raises(PfsmError, match=r"repeated so often that two lines have more than .* matches; break"):
        get_metric(name).score_segments(["big " * 6_000], [["large " * 6_000]])
    assert get_metric(name).score_segments(["big " * 60], [["large " * 60]]) == pytest.approx(
        get_metric(name).score_segments(["big"], [["large"]])
    )


def test_commands_say_so_in_one_line(cli: Cli, write: Write, tmp_path: Path) -> None:
    write("long.txt", "a b " * 100_000 + "\n")
    for options in ("-m", "en-small"), ("--metric", "ter"):
        assert "a line has about 200,001 words" in cli("score", "long.txt", "-i", "long.txt", *options).fault
