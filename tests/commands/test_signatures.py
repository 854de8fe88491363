"""Commands whose output has a format of its own say on standard error what scored; mbr, if it is asked."""

from typing import Any

import pytest

import pfsm
from tests.command_runs import Cli, Write

SUBMIT = ("--metric-name", "m", "--language-pair", "de-en", "--testset", "t", "-o", "out")


@pytest.mark.parametrize(
    ("nrefs", "command"),
    [
        ("var", ("mbr", "-i", "hyp", "-n", "2")),
        (1, ("submit", "ref", "-i", "hyp", *SUBMIT)),
        (2, ("submit", "ref", "hyp", "-i", "hyp", "--together", *SUBMIT)),
    ],
)
def test_mbr_and_submit_name_what_scored(
    cli: Cli, write: Write, nrefs: Any, command: tuple[str, ...]
) -> None:
    write("ref", "a red bird\nbirds sing\n")
    write("hyp", "the red bird\nbirds sang\n")
    metric = pfsm.load("en-small")
    asked = ("--signature", "short") if command[0] == "mbr" else ()
    done = cli(*command, "-m", "en-small", *asked)
    short, long = metric.get_short_signature(nrefs), metric.get_signature(nrefs)
    assert (done.status, done.err) == (0, f"pfsm: scored by {short}\n")
    assert cli(*command, "-m", "en-small", "--signature", "long").err == f"pfsm: scored by en-small|{long}\n"


def test_a_second_model_of_probe_is_not_taken_for_a_file(cli: Cli) -> None:
    assert cli("probe", "--model", "en-small", "any").fault == (
        "any: is a model, a file of minimal pairs is needed; repeat the option: --model any"
    )
    assert "repeat the option: --metric ter" in cli("probe", "--metric", "bleu", "ter").fault
