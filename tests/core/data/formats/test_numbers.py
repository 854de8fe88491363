"""Every numeric field of every format: a finite number of few digits and usual size, or one line that refuses it."""

import io
from contextlib import suppress
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.data.formats import write_tsv
from pfsm.errors import PfsmError
from pfsm.evaluation.spans import marks_from_json
from tests.command_runs import Cli
from tests.core.data.formats.reading import reading, write
from tests.core.data.formats.test_damage import GOOD, TEXTS

FIELDS: list[tuple[str, str, str, str]] = [
    ("tsv", "x.tsv", "a\tb\t1", "a\tb\t@"),
    ("comet", "x.csv", "1,cs-en", "@,cs-en"),
    ("wmt-ranking", "x.csv", "A,1,", "A,@,"),
    ("wmt-ranking", "x.csv", "cs,en,1", "cs,en,@"),
    ("wmt-da", "x", "A 1 50", "A @ 50"),
    ("wmt-da", "x", "A 1 50 0.1 1", "A 1 @ 0.1 1"),
    ("wmt-da", "x", "50 0.1 1", "50 @ 1"),
    ("wmt-da", "x", "50 0.1 1", "50 0.1 @"),
    ("appraise", "x", "eng,50", "eng,@"),
    ("appraise", "x", "A,1,", "A,@,"),
    ("appraise", "x", '""end_i"":0', '""end_i"":@'),
    ("mqm", "x", "A\td\t1", "A\td\t@"),
    ("wmt-jsonl", "x", '"human1":5', '"human1":@'),
    ("wmt-jsonl", "x", '"end_i":1', '"end_i":@'),
    ("pearmut", "x", '"score":5', '"score":@'),
    ("pearmut", "x", '"start_i":0', '"start_i":@'),
    ("jsonl", "x", '"score":5', '"score":@'),
    ("csv", "x.csv", "abc;r;5", "abc;r;@"),
    ("jsonl", "x", "[[0,", "[[@,"),
    ("mt-metrics-eval", "t/human-scores/cs-en.mqm.seg.score", "A 1", "A @"),
    ("mt-metrics-eval", "t/human-scores/cs-en.mqm.sys.score", "A 1", "A @"),
    ("nist", "s", "d 1 5", "d 1 @"),
    ("mlqe-pe", "p/dev.hter", "1", "@"),
    ("mlqe-pe", "p/dev.tsv", "[1]\t1\t0\n1", "[1]\t1\t@\n1"),
    ("parallel", "x", "1", "@"),
]  # fmt: skip
NUMBERS = st.one_of(
    st.sampled_from(
        ["nan", "NaN", "inf", "-Infinity", "1e999", "1e101", "-1e200", "1e-250", "5e-324", "9" * 5000, "0" * 5000,
         "0." + "1" * 5000, "1_000", "0x10", "1e", "18446744073709551616", "true", "", " ", "-1", "1.5", "٣", "None"]
    ),
    st.floats().map(repr),
    st.integers(-(10**300), 10**300).map(str),
)  # fmt: skip


@pytest.mark.parametrize(("name", "file", "old", "new"), FIELDS)
def test_a_number_or_one_line(name: str, file: str, old: str, new: str, tmp_path: Path) -> None:
    contents, inputs, options = GOOD[name]
    for path, content in {**TEXTS, **contents}.items():
        write(tmp_path, path, content)
    named = {
        key: value if key == "sid_order" else
        tuple(str(tmp_path / each) for each in value) if isinstance(value, tuple) else str(tmp_path / value)
        for key, value in options.items()
    }  # fmt: skip
    assert old in contents[file]

    @settings(max_examples=40)
    @given(NUMBERS)
    def read(number: str) -> None:
        write(tmp_path, file, contents[file].replace(old, new.replace("@", number), 1))
        out, refusal = io.StringIO(), ""
        try:
            write_tsv(reading([str(tmp_path / each) for each in inputs], name, **named), out)
        except PfsmError as error:
            refusal = str(error)
        assert "\n" not in refusal
        assert len(refusal) < 1000
        table = [line.split("\t") for line in out.getvalue().splitlines()]
        for row in table[1:]:
            fields = dict(zip(table[0], row, strict=True))
            for column in {"score", "votes", "da_raw", "da_z", "n_raters", "system_score"} & {*fields}:
                value = float(fields[column] or 0)
                assert isfinite(value)
                assert value == 0.0 or 1e-100 <= abs(value) <= 1e100

    read()


def test_points() -> None:
    marks = '[{{"start": 0, "end": 1, "severity": "minor", "points": {}}}]'

    @given(NUMBERS)
    def read(number: str) -> None:
        points = 0.0
        with suppress(PfsmError):
            points = marks_from_json(marks.format(number), "abc", "x:1")[0].points
        assert isfinite(points)

    read()
    assert marks_from_json(marks.format(2**64), "abc", "x:1")[0].points == 2.0**64


@pytest.mark.parametrize("number", ["9" * 5000, "1e-250", "nan", "1e200", "-1", "true"])
def test_numbers_of_commands(number: str, cli: Cli, tmp_path: Path) -> None:
    """Numbers of raters, weights of candidates, weights of errors."""
    row = '\tr\tab\t[[0, 1, "major"]]\n'
    table = write(tmp_path, "a.tsv", f"n_raters\treference\thypothesis\terrors\n{number}{row}1{row}")
    two = write(tmp_path, "w", f"1\n{number}\n")
    texts = write(tmp_path, "t", "a\nb\n")
    lines = write(tmp_path, "x.jsonl", f'{{"candidates": ["a", "b"], "weights": [1, {number}]}}\n')
    mqm = write(tmp_path, "m.tsv", "".join(GOOD["mqm"][0].values()))
    for command in (
        ("evaluate", table, "--spans", "-m", "en-small"),
        ("mbr", "-i", texts, "-n", "2", "--weights", two, "--metric", "chrf"),
        ("mbr", "-i", lines, "--metric", "chrf"),
        ("data", "convert", mqm, "--weights", f"Major:{number}", "--references", texts, "-o", str(tmp_path / "o")),
    ):  # fmt: skip
        if command[0] == "data" and number == "-1":  # a weight below 0 is a bonus
            continue
        found = cli(*command)
        assert found.status == 2
        assert found.err.count("\n") == 1
