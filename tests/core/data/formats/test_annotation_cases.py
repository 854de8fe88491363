"""Each reader of annotations does in each case what the others do: the same judgments, written in every format."""

import csv
import io
import json
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.core.data.formats.reading import fault, judgments, reading, write


class Rating(NamedTuple):
    """What a rater said of a translation of a segment; a score that is no number is missing."""

    at: int
    system: str
    text: str | None
    rater: str
    score: float | str | None


Files = tuple[list[str], dict[str, Any]]
REFERENCES = ("the cat", "a bird")


def _lines(ratings: list[Rating], own: bool) -> list[dict[str, Any]]:
    return [
        {"segment": str(one.at), "src": f"s{one.at}", "tgt": one.text, "system": one.system, "annotator": one.rater,
         "score": one.score, **({"ref": REFERENCES[one.at]} if own else {})}
        for one in ratings
    ]  # fmt: skip


def jsonl(folder: Path, ratings: list[Rating]) -> Files:
    content = "".join(json.dumps(one) + "\n" for one in _lines(ratings, True))
    return [write(folder, "x.jsonl", content)], {}


def among(folder: Path, ratings: list[Rating]) -> Files:
    """References are the translations of systems."""
    rows = [Rating(at, "refA", text, "", None) for at, text in enumerate(REFERENCES)] + ratings
    content = "".join(json.dumps(one) + "\n" for one in _lines(rows, False))
    return [write(folder, "x.jsonl", content)], {}


def table(folder: Path, ratings: list[Rating]) -> Files:
    out = io.StringIO()
    writer = csv.DictWriter(out, ["segment", "src", "tgt", "system", "annotator", "score", "ref"])
    writer.writeheader()
    writer.writerows(_lines(ratings, True))
    return [write(folder, "x.csv", out.getvalue())], {}


def frame(folder: Path, ratings: list[Rating]) -> Files:
    rows = [
        {**one, "score": nan if isinstance(one["score"], str) else one["score"]}
        for one in _lines(ratings, True)
    ]
    parquet.write_table(pa.Table.from_pylist(rows), folder / "x.parquet")
    return [str(folder / "x.parquet")], {}


def wmt(folder: Path, ratings: list[Rating], numbered: bool = False) -> Files:
    objects = []
    for at, reference in enumerate(REFERENCES):
        ours = [one for one in ratings if one.at == at]
        scores: dict[str, Any] = {}
        for one in ours:
            given = scores.setdefault(one.system, {} if numbered else [])
            if numbered:
                number = len(given) // 3
                given |= {
                    f"human{number}": one.score,
                    f"annotator{number}": one.rater,
                    f"errors{number}": None,
                }
            else:
                given.append({"score": one.score, "annotator": one.rater})
        texts = {"refA": reference, **{one.system: one.text for one in ours}}
        objects.append({"src_text": f"s{at}", "tgt_text": texts, "doc_id": f"d_#_{at}", "scores": scores})
    return [write(folder, "x.jsonl", "".join(json.dumps(one) + "\n" for one in objects))], {}


def wmt_numbered(folder: Path, ratings: list[Rating]) -> Files:
    return wmt(folder, ratings, True)


def pearmut(folder: Path, ratings: list[Rating]) -> Files:
    log = [
        {"item": [{"item_id": str(one.at), "src": f"s{one.at}", "ref": REFERENCES[one.at],
                   "tgt": {one.system: one.text}}],
         "annotation": [{one.system: {"score": one.score}}], "user_id": one.rater, "item_i": one.at}
        for one in ratings
    ]  # fmt: skip
    return [write(folder, "x.jsonl", "".join(json.dumps(one) + "\n" for one in log))], {}


def _appraise(folder: Path, ratings: list[Rating], pairwise: bool = False) -> str:
    documents = "" if pairwise else ",d,False"
    rows = (
        f"{one.rater},{one.system},{one.at + 1},TGT,eng,deu,{one.score}{documents},1.0,2.0\n"
        for one in ratings
    )
    return write(folder, "scores.csv", "".join(rows))


def appraise(folder: Path, ratings: list[Rating]) -> Files:
    texts = [*ratings, *(Rating(at, "refA", text, "", None) for at, text in enumerate(REFERENCES))]
    items = [
        {"targetID": one.system, "documentID": "d", "itemID": one.at + 1, "sourceText": f"s{one.at}",
         "targetText": one.text or ""} for one in texts
    ]  # fmt: skip
    spoilt = [{**one, "itemType": "BAD", "targetText": "bad"} for one in items]
    batches = write(folder, "batches.json", json.dumps([{"items": [*items, *spoilt]}]))
    return [_appraise(folder, ratings)], {"system_outputs": (batches,)}


def appraise_pairwise(folder: Path, ratings: list[Rating]) -> Files:
    items = [
        {"itemID": one.at + 1, "sourceText": f"s{one.at}", "targets": [
            {"targetID": one.system, "targetText": one.text or ""},
            {"targetID": "refA", "targetText": REFERENCES[one.at]}]}
        for one in ratings
    ]  # fmt: skip
    batches = write(folder, "batches.json", json.dumps([{"items": items}]))
    return [_appraise(folder, ratings, True)], {"system_outputs": (batches,)}


def appraise_lines(folder: Path, ratings: list[Rating]) -> Files:
    outputs: dict[str, list[str]] = {}
    for one in ratings:
        for system in one.system.split("+"):
            outputs.setdefault(system, ["x"] * len(REFERENCES))[one.at] = one.text or ""
    named = tuple(f"{name}={write(folder, name, text(lines))}" for name, lines in outputs.items())
    references = (write(folder, "ref.txt", text(REFERENCES)),)
    return [_appraise(folder, ratings)], {"system_outputs": named, "references": references}


def text(lines: Any) -> str:
    return "".join(f"{line}\n" for line in lines)


READERS: dict[Callable[[Path, list[Rating]], Files], str] = {
    jsonl: "jsonl", among: "jsonl", table: "csv", frame: "parquet", wmt: "wmt-jsonl", wmt_numbered: "wmt-jsonl",
    pearmut: "pearmut", appraise: "appraise", appraise_pairwise: "appraise", appraise_lines: "appraise",
}  # fmt: skip
A, B = Rating(0, "A", "a cat", "x", 50.0), Rating(1, "B", "birds", "x", 70.0)
CASES: dict[str, tuple[list[Rating], list[tuple[Any, ...]]]] = {
    "plain": ([A, B], [("A", "a cat", 50.0), ("B", "birds", 70.0)]),
    "several raters": ([A, B, A._replace(rater="y", score=60.0)], [("A", "a cat", 55.0), ("B", "birds", 70.0)]),
    **{
        f"missing: {missing!r}": ([A, B, A._replace(rater="y", score=missing)],
                                  [("A", "a cat", 50.0), ("B", "birds", 70.0)])
        for missing in (None, "", "NaN", nan)
    },
    "none of a translation": ([A, B._replace(score=None)], [("A", "a cat", 50.0)]),
    "repeated": ([A, B, A._replace(score=60.0)], [("A", "a cat", 60.0), ("B", "birds", 70.0)]),
    "empty translation": ([A._replace(text=""), B], [("A", "", 50.0), ("B", "birds", 70.0)]),
    "null translation": ([A._replace(text=None), B], [("A", "", 50.0), ("B", "birds", 70.0)]),
    "reference as system": ([A, Rating(0, "refA", "the cat", "x", 99.0), B],
                            [("A", "a cat", 50.0), ("B", "birds", 70.0)]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("make", READERS, ids=lambda make: make.__name__)
def test_a_case(make: Callable[[Path, list[Rating]], Files], case: str, tmp_path: Path) -> None:
    ratings, expected = CASES[case]
    files, options = make(tmp_path, ratings)
    found = judgments(files, READERS[make], **options)
    assert [(one.system, one.hypothesis, one.score) for one in found] == expected
    assert {(one.source, one.references) for one in found} <= {
        (source, (reference,)) for at, reference in enumerate(REFERENCES) for source in (f"s{at}", "")
    }
    notes = reading(files, READERS[make], **options)
    list(notes.records)
    missing = any(one.score in {None, "", "NaN"} or one.score != one.score for one in ratings)
    assert any("without a score" in note for note in notes.notes) is missing


@pytest.mark.parametrize(
    "make", [appraise, appraise_pairwise, appraise_lines], ids=lambda make: make.__name__
)
@pytest.mark.parametrize("expanded", [False, True])
def test_joined_systems(make: Callable[..., Files], expanded: bool, tmp_path: Path) -> None:
    """An export may name each of the systems that one text is from, while the batches join them."""
    joined = [A._replace(system="A+C"), B]
    files, options = make(tmp_path, joined)
    if expanded:
        _appraise(tmp_path, [A, A._replace(system="C"), B], make is appraise_pairwise)
    found = judgments(files, "appraise", **options)
    assert [(one.system, one.hypothesis, one.score) for one in found] == [
        ("A", "a cat", 50.0), ("C", "a cat", 50.0), ("B", "birds", 70.0),
    ]  # fmt: skip


@pytest.mark.parametrize("make", [jsonl, wmt, pearmut, appraise], ids=lambda make: make.__name__)
def test_a_key_twice_is_refused(make: Callable[..., Files], tmp_path: Path) -> None:
    files, options = make(tmp_path, [A, B])
    path = Path(options["system_outputs"][0] if options else files[0])
    path.write_text(path.read_text(encoding="utf-8").replace("{", '{"k": 1, "k": 2, ', 1), encoding="utf-8")
    assert "twice in one object" in fault(files, READERS[make], **options)


BLANK: dict[str, Callable[[Path], Files]] = {
    "jsonl": lambda folder: jsonl(folder, [A]),
    "csv": lambda folder: table(folder, [A]),
    "parquet": lambda folder: frame(folder, [A]),
    "pearmut": lambda folder: pearmut(folder, [A]),
    "wmt-jsonl": lambda folder: wmt(folder, [A]),
}


@pytest.mark.parametrize("name", BLANK)
@pytest.mark.parametrize("blank", ["", " ", None])
def test_a_blank_reference_is_none(
    name: str, blank: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "REFERENCES", (blank, "a bird"))
    files, options = BLANK[name](tmp_path)
    assert "no references" in fault(files, name, **options)


JUDGED_LINES = {
    "mqm": "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    "A\td\t1\t1\tx\ts0\ta cat\tx\tMinor\nrefA\td\t1\t1\tx\ts0\tthe cat\tx\tMinor\n",
    "wmt-da": "SYS SID RAW.SCR Z.SCR N\nA 1 50 0 1\nrefA 1 90 1 1\n",
    "wmt-ranking": "srclang,trglang,srcIndex,judgeId,system1Id,system1rank,system2Id,system2rank\n"
    "cs,en,1,j,A,2,refA,1\ncs,en,1,j,A,1,B,2\n",
}


@pytest.mark.parametrize("name", JUDGED_LINES)
def test_a_reference_from_a_file_is_no_system(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, "x", JUDGED_LINES[name])
    options: dict[str, Any] = {"references": (write(tmp_path, "ref.txt", text(REFERENCES)),)}
    if name != "mqm":
        outputs = {"A": ["a cat", "x"], "B": ["cats", "x"], "refA": REFERENCES}
        options["system_outputs"] = tuple(
            f"{one}={write(tmp_path, one, text(lines))}" for one, lines in outputs.items()
        )
    read = reading(path, name, **options)
    found = [getattr(one, "system", None) or getattr(one, "better_system", None) for one in read.records]
    assert found == ["A"]
    assert read.notes["judgments of a reference itself left out"] == 1
