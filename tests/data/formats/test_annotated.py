"""Annotations as JSON, in small files of the documented shapes; what is marked is checked as text."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from pfsm.data.formats import Judgment, guess_format
from pfsm.data.formats.registry import read_judged
from tests.command_runs import Cli, Write
from tests.data.formats.reading import fault, judgments, write

TEXT = "Ein 😀 e\u0301s\nשלום 中文."
"""An emoji of two UTF-16 units, a combining mark, a line end, right-to-left and Chinese text."""


def lines(folder: Path, name: str, *objects: Any) -> str:
    """A file of JSON lines."""
    return write(folder, name, "".join(f"{json.dumps(one)}\n" for one in objects))


def marked(one: Judgment) -> list[tuple[Any, ...]]:
    """What is marked, with severity and rater."""
    spans = json.loads(one.further["errors"])
    return [(one.hypothesis[start:end], severity, rater) for start, end, severity, _, rater in spans]


def mark(text: str, severity: str | None = "major", utf16: bool = False) -> dict[str, Any]:
    """The mark of ESA on a piece of `TEXT`: its first and last character."""
    start = TEXT.index(text)

    def place(at: int) -> int:
        before = TEXT[:at].replace("\n", "")
        return len(before.encode("utf-16-le")) // 2 if utf16 else at

    return {"start_i": place(start), "end_i": place(start + len(text)) - 1, "severity": severity}


def test_wmt_of_both_years(tmp_path: Path) -> None:
    texts = {"src_text": "s", "tgt_text": {"A": TEXT, "refA": "r", "B": "b"}}
    missing = {"start_i": "missing", "end_i": "missing", "severity": "minor"}
    rated = [
        {"score": 50, "annotator": "x", "errors": [mark("שלום"), missing]},
        {"score": 71, "annotator": "y", "errors": [mark("中", "undecided")]},
    ]
    numbered = {
        f"{name}{at}": one[name if name != "human" else "score"]
        for at, one in enumerate(rated, 1)
        for name in ("human", "annotator", "errors")
    }
    old = {
        **texts,
        "doc_id": "doc_#_3",
        "scores": {"A": rated, "refA": [{"score": 1, "annotator": "x", "errors": []}]},
    }
    new = {**texts, "doc_id": "cs-de_DE_#_news_#_doc_#_3", "scores": {"A": numbered, "B": {}}}
    control = {**new, "scores": {"A": [{"human": 5, "annotator": "x", "errors": []}]}}
    for one, document in ((old, "doc"), (new, "doc")):
        path = lines(tmp_path, "x.jsonl", one)
        assert guess_format(path) == "wmt-jsonl"
        [found] = judgments(path)
        assert (found.system, found.hypothesis, found.references, found.score) == ("A", TEXT, ("r",), 60.5)
        assert (found.document, found.source, found.further["n_raters"]) == (document, "s", "2")
        assert marked(found) == [("שלום", "major", "x"), ("", "minor", "x"), ("中", "neutral", "y")]
        assert [(each.rater, each.score) for each in judgments(path, per_rater=True)] == [
            ("x", 50),
            ("y", 71),
        ]
        [found] = judgments(path, reference_systems=("B",))[:1]
        assert found.references == ("b",)
    [found] = judgments(lines(tmp_path, "x.jsonl", control))
    assert (found.source_lang, found.target_lang, found.further["domain"], found.score) == (
        "cs",
        "de",
        "news",
        5,
    )
    path = lines(tmp_path, "x.jsonl", {**old, "tgt_text": {"A": TEXT}, "scores": {"A": rated}})
    assert fault(path).startswith(
        "x.jsonl: no references; name the systems that are references with --reference-"
    )


def test_pearmut_counts_utf16_and_no_line_ends(tmp_path: Path) -> None:
    item = {"item_id": "en-de-0", "src": "s", "ref": "r", "tgt": {"A": TEXT, "B": "b"}}
    end = len(TEXT.replace("\n", "").encode("utf-16-le")) // 2
    spans = [mark(piece, "minor", utf16=True) for piece in ("😀", "e\u0301s", "שלום", "中文.")]
    spans += [
        {"start_i": end, "end_i": end, "severity": "major", "category": None},
        mark("Ein", None, utf16=True),
    ]
    rating = {"A": {"score": 70, "error_spans": spans}, "B": {"score": None, "error_spans": []}}
    log = {"annotation": [rating, None], "item": [item, item], "user_id": "u", "item_i": 0, "actions": []}
    again = {**log, "annotation": [{"A": {"score": 80, "error_spans": spans}}, None]}
    path = lines(tmp_path, "log.jsonl", log, {**log, "item_i": "welcome_0"}, again)
    assert guess_format(path) == "pearmut"
    [found] = judgments(path)
    assert (found.segment_id, found.system, found.references, found.score) == ("en-de-0", "A", ("r",), 80)
    assert marked(found) == [
        *((piece, "minor", "u") for piece in ("😀", "e\u0301s", "שלום", "中文.")),
        ("", "major", "u"),
        ("Ein", "neutral", "u"),
    ]


def test_one_translation_a_line(tmp_path: Path) -> None:
    esa = {"langs": "en-de", "line_id": 4, "src": "s", "tgt": TEXT, "ref": "r", "doc_id": "d", "system": "A"}
    rated = [
        {**esa, "esa_score": 10 * at, "annotator": name, "esa_spans": [mark("文")]}
        for at, name in enumerate("xy")
    ]
    path = lines(tmp_path, "x.jsonl", *rated)
    assert guess_format(path) == "jsonl"
    [found] = judgments(path)
    assert (found.segment_id, found.document, found.source_lang, found.target_lang) == ("4", "d", "en", "de")
    assert (found.score, marked(found)) == (5, [("文", "major", "x"), ("文", "major", "y")])
    ours = {
        "reference": "r",
        "references": ["r", "q"],
        "hypothesis": "abc",
        "score": 1,
        "z": -0.5,
        "errors": [[1, 2, "Minor"]],
    }
    both = judgments(lines(tmp_path, "x.jsonl", ours, ours), score_column="z")
    assert [(each.score, each.references, marked(each)) for each in both] == [
        (-0.5, ("r", "q"), [("b", "minor", "")])
    ] * 2
    errors = [{"text": "bc", "confidence": 0.5, "severity": "critical", "start": 1, "end": 3}]
    comet = {"out/A.txt": [{"src": "s", "mt": "abc", "ref": "r", "COMET": 0.25, "errors": errors}]}
    path = write(tmp_path, "x.json", json.dumps(comet, indent=4))
    assert guess_format(path) == "jsonl"
    [found] = judgments(path)
    assert (found.system, found.score, marked(found)) == ("A", 0.25, [("bc", "critical", "")])


GOOD = {"reference": "r", "hypothesis": "abc", "score": 1}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"errors": {}}, "errors is '{}', a list of marks is needed"),
        (
            {"errors": [[0, 1]]},
            "errors, mark 1 is '[0, 1]', [start, end, severity, …] or an object is needed",
        ),
        (
            {"errors": [[0, 1, "minor"], [0, 4, "minor"]]},
            "errors, mark 2: end is '4', a whole number from 0 to 3",
        ),
        ({"errors": [[True, 1, "minor"]]}, "errors, mark 1: start is 'True', a whole number"),
        ({"errors": [[2, 1, "minor"]]}, "errors, mark 1: start 2 lies behind end 1"),
        (
            {"errors": [{"start_i": 2, "end_i": 9, "severity": "minor"}]},
            "errors, mark 1: end_i is '9', a whole number",
        ),
        (
            {"errors": [[0, 1, "bad"]]},
            "errors, mark 1: severity is 'bad', one of neutral, minor, major, critical is needed",
        ),
        ({"score": float("nan")}, "score is 'nan', a finite number is needed"),
        ({"hypothesis": "\ud800"}, "hypothesis is '\\ud800', text is needed"),
        ({"lp": "en"}, "lp is 'en', a language pair such as cs-en is needed"),
    ],
)
def test_refused(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = lines(tmp_path, "x.jsonl", GOOD, GOOD | change)
    assert fault(path, "jsonl").startswith(f"x.jsonl:2: {said}")


def test_other_content_is_refused(tmp_path: Path) -> None:
    for name, needed in (("wmt-jsonl", "no scores and tgt_text"), ("pearmut", "no annotation and item")):
        assert fault(lines(tmp_path, "x", GOOD), name).startswith(f"x:1: {needed}")
    assert fault(write(tmp_path, "x", "{}\n[1]\n"), "jsonl").startswith("x:1: score is 'None'")
    assert fault(write(tmp_path, "x", "\n" + "[" * 100_000), "jsonl").startswith("x:2: '[[[[")
    assert fault(write(tmp_path, "x", "[1]\n"), "jsonl") == "x:1: line is '[1]', an object is needed"
    assert fault(lines(tmp_path, "x", {"scores": {"A": []}, "tgt_text": {}, "doc_id": "d"}), "wmt-jsonl") == (
        "x:1: scores of 'A', which tgt_text does not have"
    )


ROWS: list[dict[str, Any]] = [
    {"src": "s", "tgt": "a bird", "ref": "the bird", "esa_score": 80, "system": "A", "esa_spans":
     [{"start_i": 0, "end_i": 0, "severity": "minor"}], "annotator": "x", "doc_id": "d", "segment": 1},
    {"src": "t", "tgt": "birds", "ref": "a bird", "esa_score": 20.5, "system": "B", "esa_spans": [],
     "annotator": "x", "doc_id": "d", "segment": 2},
]  # fmt: skip


def test_rows_of_csv_and_parquet_are_those_of_json_lines(tmp_path: Path) -> None:
    """Annotation tools write a table: marks are JSON in a cell, or a list of Parquet."""
    lines = write(tmp_path, "x.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS))
    with (tmp_path / "x.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [*ROWS[0], "empty"])
        table.writeheader()
        table.writerows({**row, "esa_spans": json.dumps(row["esa_spans"]), "empty": ""} for row in ROWS)
    parquet.write_table(pa.Table.from_pylist(ROWS), tmp_path / "x.parquet")
    expected = judgments(lines)
    for name in ("x.csv", "x.parquet"):
        assert judgments(str(tmp_path / name)) == expected
        direct = read_judged(tmp_path / name)
        assert (direct.columns["score"], direct.columns["errors"]) == (
            ["80", "20.5"],
            ['[[0, 1, "minor", "", "x"]]', "[]"],
        )
    broken = write(tmp_path, "broken.parquet", "PAR1")
    assert fault(broken).startswith("broken.parquet: damaged, not Parquet, or no engine for it (")
    spoilt = write(tmp_path, "y.csv", "tgt,ref,esa_score,esa_spans\na,b,1,[\n")
    assert fault(spoilt) == "y.csv:2: esa_spans is '[', a JSON list of marks is needed"


def test_commands_read_annotations_as_they_are(cli: Cli, write: Write) -> None:
    rows = [{**row, "tgt": f"{row['tgt']} {number}"} for number in range(4) for row in ROWS]
    table = "".join(f"{row['ref']}\t{row['tgt']}\t{row['esa_score']}\n" for row in rows)
    write("x.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    write("x.tsv", f"reference\thypothesis\tscore\n{table}")
    options = "--metric", "chrf", "--confidence-n", "10", "-f", "json"
    found = [cli("evaluate", name, *options).document["correlation"] for name in ("x.jsonl", "x.tsv")]
    assert found[0] == found[1]
    assert (
        cli("evaluate", "x.jsonl", *options, "--score-column", "esa_score").document["correlation"]
        == found[1]
    )
