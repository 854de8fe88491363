"""Numbers and keys of files that would come to nothing finite, or hide one another: one line, status 2."""

import json

import numpy as np
import pytest

from pfsm.data.summary import distribution
from pfsm.data.table import header_names
from pfsm.errors import PfsmError
from pfsm.io.array_checks import are_lists
from tests.command_runs import Cli, Write
from tests.model_cases import model


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"settings": {"max_jump": 10**18}},
            "max_jump is 1000000000000000000, it must be a whole number from 0 to 1000",
        ),
        (
            {"settings": {"features": {"chrf": {"mean": 10**400, "sd": 1}}}},
            "it must be auto, or a mean and an sd",
        ),
        (
            {"settings": {"features": {"chrf": {"mean": 0, "sd": 5e-324}}}},
            "it must be auto, or a mean and an sd",
        ),
        ({"scale": {"mean": 1.7e308, "sd": 1.7e308}}, "both must be at most 1e+100"),
    ],
)
def test_models(cli: Cli, write: Write, change: dict[str, dict[str, object]], said: str) -> None:
    document = model().to_dict()
    for key, values in change.items():
        document[key] |= values
    write("m.json", json.dumps(document))
    write("a.txt", "a b\n")
    for command in (
        ("score", "a.txt", "-i", "a.txt", "-m"),
        ("explain", "a.txt", "-i", "a.txt", "-m"),
        ("show",),
    ):
        fault = cli(*command, "m.json").fault
        assert fault.startswith("m.json: ")
        assert said in fault
        assert len(fault) < 400


def test_a_key_that_is_there_twice(cli: Cli, write: Write) -> None:
    text = json.dumps(model().to_dict())
    write("m.json", text.replace('"alpha":', '"alpha": 7, "alpha":', 1))
    assert "m.json: has the key 'alpha' twice" in cli("show", "m.json").fault


def test_offsets_do_not_wrap() -> None:
    wrapped = np.array([0, 2147483647, -2147483648, 2], dtype=np.int32)
    assert not are_lists(wrapped, 3, np.array([0, 1], dtype=np.int32), 5)


def test_scores_of_any_size() -> None:
    with pytest.raises(PfsmError, match="too large"):
        distribution(np.array([-1e200, 1e308]))
    near = distribution(np.array([1.0, np.nextafter(1.0, 2.0)]))
    assert sum(near.counts) == 2


def test_a_header_of_many_columns() -> None:
    names = [f"c{k}" for k in range(40_000)]
    assert header_names(names, "t.tsv") == names
    with pytest.raises(PfsmError, match="twice"):
        header_names([*names, "c5"], "t.tsv")


def test_a_blank_line_of_a_further_file_is_no_reference(cli: Cli, write: Write) -> None:
    write("a.txt", "the cat sat\nthe dog ran\n")
    write("b.txt", "a cat sat\n \n")
    write("h.txt", "a cat sat\n\n")
    write("t.tsv", "reference\treference_2\thypothesis\nthe cat sat\ta cat sat\ta cat sat\nthe dog ran\t\t\n")
    for scorer in (("-m", "en-small"), ("--metric", "bleu"), ("--metric", "chrf++"), ("--metric", "meteor")):
        files = cli("score", "a.txt", "b.txt", "-i", "h.txt", "-b", *scorer).out
        assert files == cli("score", "--table", "t.tsv", "-b", *scorer).out
