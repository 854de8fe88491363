"""Numbers and keys of files that would come to nothing finite, or hide one another: one line, status 2."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pfsm
from pfsm.commands.show import _print_about
from pfsm.data.summary import distribution
from pfsm.data.table import finite_number, header_names
from pfsm.errors import PfsmError
from pfsm.io.containers import are_lists
from pfsm.metrics.registry import get_metric
from pfsm.model.file import model_from_dict
from pfsm_training.yaml_file import read_yaml_mapping
from tests.command_runs import Cli, Write
from tests.model_cases import model

NO_SCALE = "it must be auto, or a mean and an sd"
FAULTS: list[tuple[dict[str, dict[str, object]], str]] = [
    ({"settings": {"max_jump": 10**18}}, "max_jump is 1000000000000000000, it must be a whole number from 0 to 1000"),
    ({"settings": {"features": {"chrf": {"mean": 10**400, "sd": 1}}}}, NO_SCALE),
    ({"settings": {"features": {"chrf": {"mean": 0, "sd": 5e-324}}}}, NO_SCALE),
    ({"scale": {"mean": 1.7e308, "sd": 1.7e308}}, "mean is 1.7e+308, it must be a number from -1e+100 to 1e+100"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "said"), FAULTS)
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
    assert sum(distribution(np.array([1.0, np.nextafter(1.0, 2.0)])).counts) == 2


def test_a_header_of_many_columns() -> None:
    with pytest.raises(PfsmError, match="twice"):
        header_names([*(f"c{k}" for k in range(40_000)), "c5"], "t.tsv")


def test_a_blank_line_of_a_further_file_is_no_reference(cli: Cli, write: Write) -> None:
    write("a.txt", "the cat sat\nthe dog ran\n")
    write("b.txt", "a cat sat\n \n")
    write("h.txt", "a cat sat\n\n")
    write("t.tsv", "reference\treference_2\thypothesis\nthe cat sat\ta cat sat\ta cat sat\nthe dog ran\t\t\n")
    for scorer in (("-m", "en-small"), ("--metric", "bleu"), ("--metric", "chrf++"), ("--metric", "meteor")):
        files = cli("score", "a.txt", "b.txt", "-i", "h.txt", "-b", *scorer).out
        assert files == cli("score", "--table", "t.tsv", "-b", *scorer).out
    for metric in (pfsm.load("en-small", threads=1), get_metric("bleu")):
        found = [metric.corpus_score(["a cat", ""], [["b", "c"], ["d", gone]]) for gone in (" ", None)]
        assert float(found[0].score) == float(found[1].score)


def test_files_are_what_they_are(cli: Cli, write: Write) -> None:
    for role, name in (("ref", "a"), ("tst", "b")):
        segments = f'<doc docid="d" sysid="s"><seg id="1">{name} cat sat</seg><seg id="2">it ran</seg></doc>'
        write(f"{name}.sgm", f'<{role}set setid="t" srclang="de" trglang="en">\n{segments}\n</{role}set>\n')
        write(f"{name}.txt", f"{name} cat sat\nit ran\n")
        write(f"{name}.jsonl", f'{{"text": "{name} cat sat"}}\n{{"text": "it ran"}}\n')
    write("whole", '\n{\n "a": [1]\n}\n')
    write("list.json", '"a cat sat"\n"it ran"\n')
    write("wide.txt", "a cat sat\nit ran\n".encode("utf-16-le"))
    write("tags.xml", '\n<seg id="1">a cat sat</seg>\n')
    write("s.txt", "1\n2\n")
    for command in ("score", "compare"):
        more = ("b2.txt",) if command == "compare" else ()
        write("b2.txt", "a dog\nit ran\n")
        plain = cli(command, "a.txt", "-i", "b.txt", *more, "--metric", "bleu").out
        marked = cli(command, "a.sgm", "-i", "b.sgm", *more, "--metric", "bleu").out
        assert plain.replace("b.txt", "") == marked.replace("b.sgm", "")
        for name in ("a.jsonl", "whole", "list.json", "wide.txt", "tags.xml"):
            fault = cli(command, name, "-i", "b.txt", *more, "--metric", "bleu").fault
            assert re.fullmatch(
                f"{name}(:[12])?: (JSON, not|not UTF-8 but UTF-16 or|a segment outside).*", fault
            )
            judged = ("b.txt", "--references", name, "--scores", "s.txt", "--from", "parallel", "-o", "o.tsv")
            assert cli("data", "convert", *judged).fault == fault


RECORD: dict[str, Any] = {
    "data": [{"name": "f", "rows": 5}], "judgments": 5, "lambda": 5.0, "lambda_choice": "given", "objective": "x",
    "pearson": 0.5, "pearson_interval": [0.1, 0.9], "cross_validated": {"pearson": 0.4, "interval": [0.1, 0.2]},
    "start": "a", "starts": {"objectives": {"a": 1.0}, "other_minima": {"b": {"objective_above": 0.1}}},
    "lambda_tried": {"5": 0.5}, "lambda_intervals": {"5": [0.1, 0.2]}, "lambda_at_edge": "smallest",
    "lambda_gain": {"over": 6.0, "difference": 0.1, "interval": [0.1, 0.2]}, "instances": {"Insert": 5},
    "init": {"name": "en", "pearson": 0.4, "interval": [0.1, 0.2], "gain": {"difference": 0.1, "interval": [0.0, 0.1]}},
    "weights": {"column": "n"}, "encoder": {"passes": 3, "held_out": {"3": 0.5}},
}  # fmt: skip
ODD = ("x", [1], {"a": {"b": "c"}}, 10**400)


def damaged_records(record: Any, whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The record with each of its fields, at any depth, replaced by each odd value."""
    for key, value in list(record.items() if isinstance(record, dict) else enumerate(record)):
        if isinstance(value, dict | list):
            yield from damaged_records(value, whole)
        for odd in ODD:
            record[key] = odd
            yield copy.deepcopy(whole)
        record[key] = value


def test_show_takes_any_record_or_says_what_is_wrong_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    document, whole, faults = model().to_dict(), copy.deepcopy(RECORD), []
    for record in [RECORD, *damaged_records(whole, whole)]:
        try:
            found = model_from_dict({**document, "training": record}, "m.json")
        except PfsmError as error:
            faults.append(str(error))
            continue
        _print_about(found)
        assert max(map(len, capsys.readouterr().out.splitlines())) < 1000
        found._repr_html_()
    assert faults
    assert all(fault.startswith("m.json: training") and len(fault) < 300 for fault in faults)


def test_what_is_quoted_has_an_end(cli: Cli, write: Write) -> None:
    write("m.json", json.dumps({**model().to_dict(), "format": "x" * 5000}))
    assert len(cli("show", "m.json").fault) < 400
    assert finite_number("1e101") is finite_number("1e999") is finite_number("nan") is None


def test_one_thirty_is_no_number(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("a: 1:30\nb: 1:30.5\nc: 90\nd: 1.5\n")
    assert read_yaml_mapping(tmp_path / "x.yaml", ("a",)) == {"a": "1:30", "b": "1:30.5", "c": 90, "d": 1.5}
