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
from tests.command_runs import Cli
from tests.core.data.formats.reading import fault, judgments, write

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
        apart = [(each.rater, each.score) for each in judgments(path, per_rater=True)]
        assert apart == [("x", 50), ("y", 71)]
        [found] = judgments(path, reference_systems=("B",))[:1]
        assert found.references == ("b",)
    [found] = judgments(lines(tmp_path, "x.jsonl", control))
    assert (found.source_lang, found.target_lang, found.score) == ("cs", "de", 5)
    assert found.further["domain"] == "news"
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


def log(user: str, *sources: str, item_i: int = 0, score: float = 70) -> dict[str, Any]:
    """What a user did with a document of Pearmut."""
    items = [{"src": source, "ref": f"r{source}", "tgt": {"A": f"a{source}"}} for source in sources]
    marks = [{"A": {"score": score, "error_spans": []}} for _ in sources]
    return {"annotation": marks, "item": items, "user_id": user, "item_i": item_i, "actions": []}


def test_pearmut_downloads_resets_forms_and_numbers_of_documents(cli: Cli, tmp_path: Path) -> None:
    """Document 0 of two users may be two documents, and one document their numbers 0 and 1."""
    own = [log("u", "s", "t"), log("u", "x", item_i=1), log("v", "x", score=80), log("v", "y", item_i=1)]
    both = lines(tmp_path, "log.jsonl", *own)
    wanted = [("0.1", "s", 70, "0"), ("0.2", "t", 70, "0"), ("1.1", "x", 75, "1"), ("1.2.1", "y", 70, "1.2")]
    assert [(one.segment_id, one.source, one.score, one.document) for one in judgments(both)] == wanted
    reset = [{"user_id": user, "item_i": 0, "annotation": "__RESET__"} for user in "uw"]
    form = {**log("u"), "item": [{"text": "Age?", "form": "number"}], "annotation": ["7"]}
    again = lines(tmp_path, "again.jsonl", log("u", "z", score=1), own[2], own[3], *reset, form, *own[:2])
    assert {(one.source, one.score) for one in judgments(again)} == {(*one[1:3],) for one in wanted}
    download = write(tmp_path, "annotations.json", json.dumps({"one": own[:1], "two": own[:1], "none": []}))
    assert guess_format(download) == "pearmut"
    assert [one.test_set for one in judgments(download)] == ["one", "one", "two", "two"]
    for path, notes in ((download, 0), (again, 2)):
        told = cli("score", "--table", path, "--metric", "chrf", "--strict").err
        assert [line.startswith("pfsm: note: ") for line in told.splitlines()] == [True] * notes
    assert cli("score", "--table", again, "--metric", "chrf", "--strict", "--quiet").err == ""


def test_references_among_the_systems_of_lines(tmp_path: Path) -> None:
    """As in the ESA of WMT24, whose human translations were rated like the others."""
    bare = {name: value for name, value in ROWS[0].items() if name != "ref"}
    both = [(at, name) for at in (1, 2) for name in ("refA", "A", "B")]
    rows = [{**bare, "segment": at, "system": name, "tgt": f"{name} {at}"} for at, name in both]
    for path in (lines(tmp_path, "x.jsonl", *rows[::-1]), table(tmp_path, "x.csv", rows)):
        found = {(one.hypothesis, *one.references) for one in judgments(path)}
        assert found == {(f"{name} {at}", f"refA {at}") for at in (1, 2) for name in "AB"}
        [one, *_] = judgments(path, reference_systems=("B", "refA"))
        assert (one.system, *one.references) == ("A", f"B {one.segment_id}", f"refA {one.segment_id}")
    alone = [{name: row[name] for name in ("tgt", "system", "esa_score")} for row in rows]
    assert "--reference-systems" in fault(lines(tmp_path, "x.jsonl", *alone))  # of which segment is refA?
    owned = lines(tmp_path, "x.jsonl", *({**row, "ref": "own"} for row in rows))
    assert {one.references for one in judgments(owned)} == {("own",)}
    assert judgments(owned, reference_systems=("refA",))[0].references == ("own", "refA 1")


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
    ours = {"reference": "r", "references": ["r", "q"], "hypothesis": "abc", "score": 1, "z": -0.5}
    ours |= {"errors": [[1, 2, "Minor"]]}
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


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"errors": {}}, "errors is '{}', a list of marks is needed"),
    ({"errors": [[0, 1]]}, "errors, mark 1 is '[0, 1]', [start, end, severity, …] or an object is needed"),
    ({"errors": [[0, 1, "minor"], [0, 4, "minor"]]}, "errors, mark 2: end is '4', a whole number from 0 to 3"),
    ({"errors": [[True, 1, "minor"]]}, "errors, mark 1: start is 'True', a whole number"),
    ({"errors": [[2, 1, "minor"]]}, "errors, mark 1: start 2 lies behind end 1"),
    ({"errors": [{"start_i": 2, "end_i": 9, "severity": "minor"}]}, "errors, mark 1: end_i is '9', a whole number"),
    ({"errors": [[0, 1, "bad"]]}, "errors, mark 1: severity is 'bad', one of neutral, minor, major, critical is"),
    ({"score": float("inf")}, "score is 'inf', a finite number is needed"),
    ({"hypothesis": "\ud800"}, "half of a surrogate pair, which is not text"),
    ({"lp": "en"}, "lp is 'en', a language pair such as cs-en is needed"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "said"), FAULTS)
def test_refused(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = lines(tmp_path, "x.jsonl", GOOD, GOOD | change)
    assert fault(path, "jsonl").startswith(f"x.jsonl:2: {said}")


def test_other_content_is_refused(tmp_path: Path) -> None:
    for name, needed in (("wmt-jsonl", "no scores and tgt_text"), ("pearmut", "no annotation and item")):
        assert fault(lines(tmp_path, "x", GOOD), name).startswith(f"x:1: {needed}")
    assert fault(write(tmp_path, "x", "{}\n{}\n"), "jsonl").startswith("x:1: hypothesis is None")
    assert fault(write(tmp_path, "x", "\n" + "[" * 100_000), "jsonl").startswith("x:2: '[[[[")
    assert fault(write(tmp_path, "x", "[1]\n"), "jsonl") == "x:1: line is '1', an object is needed"
    assert fault(lines(tmp_path, "x", {"scores": {"A": []}, "tgt_text": {}, "doc_id": "d"}), "wmt-jsonl") == (
        "x:1: scores of 'A', which tgt_text does not have"
    )


ROWS: list[dict[str, Any]] = [
    {"src": "s", "tgt": "a bird", "ref": "the bird", "esa_score": 80, "system": "A", "esa_spans":
     [{"start_i": 0, "end_i": 0, "severity": "minor"}], "annotator": "x", "doc_id": "d", "segment": 1},
    {"src": "t", "tgt": "birds", "ref": "a bird", "esa_score": 20.5, "system": "B", "esa_spans": [],
     "annotator": "x", "doc_id": "d", "segment": 2},
]  # fmt: skip


def table(folder: Path, name: str, rows: list[dict[str, Any]]) -> str:
    """The rows as CSV, their marks as JSON."""
    with (folder / name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0], "empty"])
        writer.writeheader()
        writer.writerows({**row, "esa_spans": json.dumps(row["esa_spans"]), "empty": ""} for row in rows)
    return str(folder / name)


def test_rows_of_csv_and_parquet_are_those_of_json_lines(tmp_path: Path) -> None:
    """Annotation tools write a table: marks are JSON in a cell, or a list of Parquet."""
    lines = write(tmp_path, "x.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS))
    table(tmp_path, "x.csv", ROWS)
    parquet.write_table(pa.Table.from_pylist(ROWS), tmp_path / "x.parquet")
    expected = judgments(lines)
    for name in ("x.csv", "x.parquet"):
        assert judgments(str(tmp_path / name)) == expected
        direct = read_judged(tmp_path / name)
        assert direct.columns["score"] == ["80", "20.5"]
        assert direct.columns["errors"] == ['[[0, 1, "minor", "", "x"]]', "[]"]
    broken = write(tmp_path, "broken.parquet", "PAR1")
    assert fault(broken).startswith("broken.parquet: damaged, not Parquet, or no engine for it (")
    spoilt = write(tmp_path, "y.csv", "tgt,ref,esa_score,esa_spans\na,b,1,[\n")
    assert fault(spoilt) == "y.csv:2: esa_spans is '[', a JSON list of marks is needed"


def annotations(folder: Path, raters: str = "x", reference: str = "ref") -> dict[str, str]:
    """The same judgments of two systems and three segments in several formats, by name."""
    segments = [
        {"A": f"small bird {at}", "B": f"a bird {at} sings", "refA": f"bird {at} sings"} for at in (0, 1, 2)
    ]
    scores = [{"A": 10.0 + 7 * at, "B": 60.0 - 9 * at} for at in range(3)]
    esa = [
        {"lp": "en-de", "doc_id": "d", "segment": at + 1, "src": f"s {at}", "tgt": one[name], reference: one["refA"],
         "system": name, "esa_score": scores[at][name], "annotator": rater, "esa_spans": []}
        for at, one in enumerate(segments) for name in "AB" for rater in raters
    ]  # fmt: skip
    wmt = [
        {"doc_id": f"en-de_#_news_#_d_#_{at}", "src_text": f"s {at}", "tgt_text": one, "scores": {
            name: [{"score": scores[at][name], "annotator": rater, "errors": []} for rater in raters] for name in "AB"}}
        for at, one in enumerate(segments)
    ]  # fmt: skip
    items = [
        {"item_id": f"i{at}", "src": f"s {at}", "ref": one["refA"], "tgt": {"A": one["A"], "B": one["B"]}}
        for at, one in enumerate(segments)
    ]
    marks = [{name: {"score": scores[at][name], "error_spans": []} for name in "AB"} for at in range(3)]
    logs = [{"user_id": rater, "item_i": "d", "item": items, "annotation": marks} for rater in raters]
    mqm = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n" + "".join(
        f"{name}\td\t{at + 1}\t{at + 1}\tx\ts {at}\t{text}\tStyle\t{'Major' if at == len(name) else 'Minor'}\n"
        for at, one in enumerate(segments) for name, text in one.items()
    )  # fmt: skip
    return {
        "esa": lines(folder, "esa.jsonl", *esa),
        "list": write(folder, "list.json", json.dumps(esa, indent=1)),
        "wmt": lines(folder, "wmt.jsonl", *wmt),
        "pearmut": write(folder, "log.json", json.dumps(logs, indent=1)),
        "mqm": write(folder, "mqm.tsv", mqm),
    }


def test_commands_read_annotations_as_they_are(cli: Cli, tmp_path: Path) -> None:
    """What they say of every format is what they say of a table with these rows."""
    options = ("--metric", "chrf", "--confidence-n", "10")
    files = annotations(tmp_path)
    rows = [json.loads(line) for line in Path(files["esa"]).read_text(encoding="utf-8").splitlines()]
    names = ("segment", "system", "lp", "ref", "tgt", "esa_score")
    cells = [[str(row[name]).removesuffix("-de") for name in names] for row in rows]
    table = write(
        tmp_path,
        "t.tsv",
        "segment_id\tsystem\tsource_lang\treference\thypothesis\tscore\n"
        + "".join("\t".join(row) + "\n" for row in cells),
    )
    wanted = cli("compare", table, *options).lines
    assert sum(line.startswith("chrf and people: ") for line in wanted) == 1
    for name, path in files.items():
        found = cli("compare", path, *options).lines
        assert found[:5] + found[-9:] == wanted[:5] + wanted[-9:]
        assert (found == wanted) is (name != "mqm")  # of MQM, other scores
    for command in (("evaluate",), ("score", "--table"), ("score", "-sl", "--table")):
        both = [cli(*command, path, *options).lines for path in (files["esa"], table)]
        assert [line.replace(files["esa"], table) for line in both[0]] == both[1]
    swapped = cli("compare", "--table", files["mqm"], "-i", "B", "A", *options).lines
    assert [line[0] for line in swapped[3:5]] == ["B", "A"]


def test_appraise(tmp_path: Path) -> None:
    """Scores with texts by lines, and with the batches of the campaign."""
    marks = '"[{""start_i"":0,""end_i"":2,""severity"":""major"",""error_type"":""Style""}]"'
    rows = ("u1,A,1,TGT,70", "u1,A,1,TGT,80", "u2,A,1,TGT,60", "u1,A,2,BAD,1", "u1,A,2,CHK,50")
    starts = (row.rpartition(",") for row in rows)
    body = "".join(f"{start},ces,eng,{score},d#A,False,{marks},1.5,2.5\n" for start, _, score in starts)
    body += f"u1,A,2,TGT,ces,eng,99,d#A#incomplete,False,{marks},1.5,2.5\n"
    path = write(tmp_path, "scores.csv", body)
    assert guess_format(path) == "appraise"
    texts = {name: write(tmp_path, name, text) for name, text in (("ref", "r\nq\n"), ("A.txt", "abc\ndef\n"))}
    by_line: dict[str, Any] = {"references": (texts["ref"],), "system_outputs": (texts["A.txt"],)}
    found = judgments(path, **by_line)
    said = [(one.hypothesis, one.references, one.score, one.system, one.document) for one in found]
    assert said == [("abc", ("r",), 70, "A", "d"), ("def", ("q",), 50, "A", "d")]
    assert marked(found[0]) == [("abc", "major", "u1"), ("abc", "major", "u2")]
    items = [
        {"targetID": name, "documentID": f"d#{name}", "itemID": at, "sourceText": f"s{at}", "targetText": text}
        for name, given in (("A", ("abc", "def")), ("refA", ("r", "q"))) for at, text in enumerate(given, 1)
    ]  # fmt: skip
    batches = write(tmp_path, "batches.json", json.dumps([{"items": items}]))
    for name, file in texts.items():
        write(tmp_path, name, f"CANARY GUID 1\n{Path(file).read_text(encoding='utf-8')}")
    after = judgments(path, **by_line)
    assert [(one.hypothesis, one.references) for one in after] == [("abc", ("r",)), ("def", ("q",))]
    again = judgments(path, system_outputs=(batches,))
    texts_of = [(one.hypothesis, *one.references, one.source) for one in again]
    assert texts_of == [("abc", "r", "s1"), ("def", "q", "s2")]
    assert "--system-outputs batches.json" in fault(path)
    assert fault(write(tmp_path, "x.csv", body + "a,b\n"), **by_line, name="appraise").startswith(
        "x.csv:7: not ann"
    )
    assert fault(path, system_outputs=(texts["ref"] + ".json",)).startswith("ref.json: no such file")


def test_what_has_to_be_chosen_is_said_in_a_line(cli: Cli, tmp_path: Path) -> None:
    several = annotations(tmp_path / "raters", "xy")
    for name in ("esa", "wmt", "pearmut"):
        found = cli("score", "--table", several[name], "--metric", "chrf")
        assert (found.status, found.err.count("\n")) == (0, 1)
        assert found.err.startswith("pfsm: note: ")
        assert "6 translations of several raters: the mean is taken; `pfsm data convert --per-" in found.err
    none = annotations(tmp_path / "none", reference="other")
    none["mqm"] = write(tmp_path, "m.tsv", Path(none["mqm"]).read_text(encoding="utf-8").replace("refA", "C"))
    none["scores"] = lines(tmp_path, "s.jsonl", {**ROWS[0], "mqm_score": 1})
    for name, said in (
        ("mqm", "MQM without references: give --references FILE, or --reference-systems with those of A, B"),
        ("esa", "no references; name the systems that are references"),
        ("scores", "several scores (esa_score, mqm_score); choose one with --score-column"),
    ):
        told = cli("compare", none[name], "--metric", "chrf").fault
        assert said in told
        assert told.endswith(f"`pfsm data convert {none[name]} OPTIONS -o OUT.tsv` makes a table")
    pairs = lines(tmp_path, "p.jsonl", *({**row, "lp": f"en-{row['system'].lower()}b"} for row in ROWS))
    assert "`pfsm data convert" in cli("compare", pairs, "--metric", "chrf").fault
    assert [one.target_lang for one in judgments(pairs, target_lang="bb")] == ["bb"]
    for arguments, said in (
        (("x",), "x: no such file"), ((write(tmp_path, "r", "a\n"),), "two system outputs after -i, or --table"),
        (("--table", pairs, "-i", "A", "C"), "no system 'C'; the systems are A, B"),
        (("--table", several["esa"], "-i", "A", "B", "--documents", "x"), "leave REF, --segments, --documents out"),
    ):  # fmt: skip
        assert said in cli("compare", *arguments).fault
