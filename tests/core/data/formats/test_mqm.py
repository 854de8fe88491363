"""Error annotations and direct assessments: weights, raters, spans, and what SID counts."""

import json
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.errors import PfsmWarning
from tests.core.data.formats.judged_sets import JudgedSet, judged_sets, numbers_in_documents, write_texts
from tests.core.data.formats.reading import fault, judgments, reading, write

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
PENALTIES = {
    ("Accuracy/Mistranslation", "Major"): 5.0,
    ("Fluency/Grammar", "minor"): 1.0,
    ("Fluency/Punctuation", "Minor"): 0.1,
    ("Fluency/Punctuation", "Major"): 5.0,
    ("Non-translation!", "Major"): 25.0,
    ("Style/Awkward", "Neutral"): 0.0,
    ("No-error", "No-error"): 0.0,
    ("no-error", "no-error"): 0.0,
}
"""Freitag et al. (2021), and the spellings that the files have."""
MARKS = st.sampled_from([("<v>", "</v>"), ("", "")])


def test_quotes_of_early_files_and_errors_without_a_weight(tmp_path: Path) -> None:
    references = (write(tmp_path, "ref", "r\n"),)
    path = write(tmp_path, "x.tsv", HEADER + row(target='"so ""<v>called</v>"" x"') + row("T", target='"'))
    with pytest.warns(PfsmWarning, match="--unquote"):
        quoted = [each.hypothesis for each in judgments(path, references=references)]
    assert quoted == ['"so ""called"" x"', '"']
    found = judgments(path, references=references, unquote=True)
    assert [each.hypothesis for each in found] == ['so "called" x', '"']
    [[start, end, *_]] = json.loads(found[0].further["errors"])
    assert found[0].hypothesis[start:end] == "called"
    for last, expected in (
        (row(severity="Huge"), "x.tsv:3: severity is 'Huge', which has no weight; give it one"),
        (row("T", 3, seg_id=9), "x.tsv:3: seg_id is '9', but ref has 1 line"),
    ):
        path = write(tmp_path, "x.tsv", HEADER + row() + last)
        assert fault(path, references=references).startswith(expected)
    path = write(tmp_path, "x.tsv", HEADER + row(severity="Huge") + row("T", severity="Major"))
    for weights, expected_scores in (("Huge:7", [-7.0, -5.0]), ("Huge:7, Major:2", [-7.0, -2.0])):
        found = judgments(path, references=references, weights=weights)
        assert [each.score for each in found] == expected_scores


@st.composite
def annotations(
    draw: st.DrawFn, judged: JudgedSet
) -> tuple[str, dict[tuple[str, int], dict[str, float]], dict[tuple[str, int], list[tuple[Any, ...]]]]:
    """A file about a set's translations, its rows in any order, and penalties and marks by system, segment, rater."""
    numbers = numbers_in_documents(judged)
    rows, penalties = [], defaultdict[tuple[str, int], dict[str, float]](dict)
    marks = defaultdict[tuple[str, int], list[tuple[Any, ...]]](list)
    for system, at in judged.scores:
        for rater in draw(st.lists(st.sampled_from(["rater1", "rater2", "rater3"]), min_size=1, unique=True)):
            errors = draw(st.lists(st.sampled_from(sorted(PENALTIES)), min_size=1, max_size=3))
            penalties[system, at][rater] = sum(PENALTIES[error] for error in errors)
            for category, severity in errors:
                texts = []
                for text in (judged.sources[at], judged.outputs[system][at]):
                    begin, end = draw(MARKS)
                    cut = draw(st.integers(0, len(text)))
                    texts.append(f"{text[:cut]}{begin}{text[cut:]}{end}")
                if begin and severity.lower() in ("neutral", "minor", "major"):
                    marks[system, at].append((cut, len(text), severity.lower(), category, rater))
                place = [system, judged.documents[at], str(numbers[at]), str(at + 1), rater]
                rows.append("\t".join([*place, *texts, category, severity]))
    order = draw(st.permutations(rows))
    return HEADER + "".join(f"{row}\n" for row in order), dict(penalties), marks


@settings(max_examples=60)
@given(st.data(), judged_sets(), st.booleans(), st.booleans())
def test_round_trip(data: st.DataObject, judged: JudgedSet, by_document: bool, per_rater: bool) -> None:
    content, penalties, marks = data.draw(annotations(judged))
    with tempfile.TemporaryDirectory() as folder:
        options = write_texts(Path(folder), judged)
        del options["system_outputs"]
        if not by_document:
            del options["documents"]
        path = write(Path(folder), "x.tsv", content)
        found = judgments(path, per_rater=per_rater, **options)
    expected: dict[tuple[str, int, str], float] = {}
    for (system, at), by_rater in penalties.items():
        if per_rater:
            expected |= {(system, at, rater): -penalty for rater, penalty in by_rater.items()}
        else:
            expected[system, at, ""] = -sum(by_rater.values()) / len(by_rater)
    got = {(each.system, int(each.segment_id) - 1, each.rater): each for each in found}
    assert got.keys() == expected.keys()
    assert len(got) == len(found)
    for (system, at, _), each in got.items():
        assert each.score == pytest.approx(expected[each.system, at, each.rater], abs=1e-12)
        assert str(each.score) != "-0.0"
        assert (each.hypothesis, each.source) == (judged.outputs[system][at], judged.sources[at])
        assert each.references == tuple(stream[at] for stream in judged.references)
        assert each.document == judged.documents[at]
        assert sorted(map(tuple, json.loads(each.further["errors"]))) == sorted(
            mark for mark in marks[system, at] if not per_rater or mark[-1] == each.rater
        )
        if not per_rater:
            assert each.further["n_raters"] == str(len(penalties[system, at]))


def row(system: str = "S", doc_id: int = 1, target: str = "t", severity: str = "Minor", **other: Any) -> str:
    """One error."""
    fields = {
        "system": system, "doc": "d", "doc_id": doc_id, "seg_id": doc_id, "rater": "r1", "source": "s",
        "target": target, "category": "Style/Awkward", "severity": severity,
    }  # fmt: skip
    return "\t".join(str(field) for field in (fields | other).values()) + "\n"


def test_references_among_the_systems(tmp_path: Path) -> None:
    path = write(tmp_path, "x.tsv", HEADER + row() + row("refA", target="<v>a</v>") + row("refB", target="b"))
    [found] = judgments(path, reference_systems=("refB", "refA"), test_set="ted", source_lang="en")
    assert (found.system, found.references, found.segment_id) == ("S", ("b", "a"), "ted.d.1")
    assert fault(path, reference_systems=("refC",)) == "no system 'refC'; the file has S, refA, refB"


def test_later_files_have_other_names_and_tests_of_raters(tmp_path: Path) -> None:
    header = (
        HEADER.replace("doc_id", "docSegId").replace("seg_id", "globalSegId").replace("\n", "\tmetadata\n")
    )
    rows = [row(), row(severity="HOTW-test", category="Missed"), row(target="t2", severity="Major")]
    content = header + "".join(each.replace("\n", "\t{}\n") for each in rows)
    path = write(tmp_path, "x.tsv", content)
    read = reading(path, references=(write(tmp_path, "ref", "r\n"),))
    [found] = read.records
    assert getattr(found, "score", None) == -6.0
    assert read.notes == {
        "tests of raters (HOTW-test) left out": 1,
        "rows whose target differs from the first one of their translation": 1,
    }


def test_segments_by_document_and_sources_that_differ(tmp_path: Path) -> None:
    path = write(tmp_path, "x.tsv", HEADER + row())
    options: dict[str, Any] = {"references": (write(tmp_path, "ref", "r\nq\n"),)}
    assert fault(
        path, **options, documents=write(tmp_path, "docs", "e\nd\n"), sources=write(tmp_path, "src", "x\ny\n")
    ) == (
        "x.tsv:2: the source differs from line 2 of src; find segments by document with --documents FILE, or "
        "give the right files"
    )
    assert fault(path, **options, documents=write(tmp_path, "docs", "e\nf\n")) == (
        "x.tsv:2: doc is 'd', which docs does not have"
    )


HEADER_DA = "SYS SID RAW.SCR Z.SCR N "


def da(judged: JudgedSet, by_document: bool) -> str:
    """The scores, as the task publishes them; z is the negative of raw."""
    number = list(range(1, len(judged) + 1))
    if by_document:
        names = sorted(set(judged.documents))
        in_order = [at for name in names for at, document in enumerate(judged.documents) if document == name]
        number = [in_order.index(at) + 1 for at in range(len(judged))]
    lines = [HEADER_DA]
    lines += [
        f"{system} {number[at]} {score!r} {-score!r} {at + 1} "
        for (system, at), score in judged.scores.items()
    ]
    return "".join(f"{line}\n" for line in lines)


@settings(max_examples=60)
@given(judged_sets(), st.booleans(), st.sampled_from(["", "da_raw", "da_z"]))
def test_round_trip_da(judged: JudgedSet, by_document: bool, column: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        options = write_texts(Path(folder), judged)
        path = write(Path(folder), "ad-seg-scores-cs-en.csv", da(judged, by_document))
        found = judgments(
            path, sid_order="document" if by_document else None, score_column=column, test_set="t", **options
        )
    assert len(found) == len(judged.scores)
    for ((system, at), score), each in zip(judged.scores.items(), found, strict=True):
        assert (each.system, each.segment_id, each.document) == (system, f"t.{at + 1}", judged.documents[at])
        assert each.score == (-score if column == "da_z" else score)
        assert each.further.keys() == {"da_raw", "da_z", "n_raters"}
        assert float(each.further["da_raw"]) == score
        assert float(each.further["da_z"]) == -score
        assert each.further["n_raters"] == str(at + 1)
        assert (each.hypothesis, each.source) == (judged.outputs[system][at], judged.sources[at])
        assert each.references == tuple(stream[at] for stream in judged.references)
        assert (each.source_lang, each.target_lang) == ("cs", "en")


def texts(folder: Path) -> dict[str, Any]:
    """Three segments of two documents, of one system."""
    write(folder, "out/newstest2021.is-en.hyp.Online-A.en", "a\nb\nc\n")
    write(folder, "out/newstest2021.de-en.hyp.Online-A.en", "another pair\n")
    write(folder, "out/.hidden", "")
    return {
        "references": (write(folder, "ref", "r\ns\nt\n"),),
        "system_outputs": (str(folder / "out"),),
        "documents": write(folder, "docs", "news second\nnews second\nnews first\n"),
    }


ROW = "Online-A.0 1 50 0.5 1 \n"


def test_2021_wants_to_know_what_sid_counts(tmp_path: Path) -> None:
    options = texts(tmp_path)
    for folder in ("newstest2021-toen", "wmt22", "generaltest2022"):
        path = write(tmp_path / folder, "ad-seg-scores-is-en.csv", f"{HEADER_DA}\n{ROW}")
        assert "SID counts segments by document; give --sid-order document" in fault(path, **options)
    [found] = judgments(path, sid_order="document", **options)
    assert (found.hypothesis, found.segment_id, found.system) == ("c", "3", "Online-A")
    [found] = judgments(path, sid_order="file", **options)
    assert (found.hypothesis, found.segment_id) == ("a", "1")
    earlier = write(tmp_path, "ad-seg-scores-is-en.csv", f"{HEADER_DA}\n{ROW}")
    assert judgments(earlier, **options)[0].hypothesis == "a"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", ": empty file, a header row is needed"),
        (f"{HEADER_DA}\n{ROW}Online-A 4 1 1 1\n", ":3: SID is '4', but ref has 3 lines"),
        (f"{HEADER_DA}\n{ROW}Online-A 0 1 1 1\n", ":3: SID is '0', a whole number from 1 is needed"),
        (f"{HEADER_DA}\n{ROW}Online-A 1 NA 1 1\n", ":3: RAW.SCR is 'NA', a finite number is needed"),
        (f"{HEADER_DA}\n{ROW}Online A 1 1 1 1\n", ":3: 6 fields, the header has 5 fields"),
    ],
)  # fmt: skip
def test_malformed_scores(content: str, expected: str, tmp_path: Path) -> None:
    message = fault(write(tmp_path, "x-is-en.csv", content), "wmt-da", **texts(tmp_path))
    assert message == f"x-is-en.csv{expected}"


def test_systems_without_or_with_two_outputs(tmp_path: Path) -> None:
    options = texts(tmp_path)
    path = write(tmp_path, "x-is-en.csv", f"{HEADER_DA}\n{ROW}human 1 1 1 1\n")
    assert len(judgments(path, skip_unknown_systems=True, **options)) == 1
    assert fault(path, **options).startswith("x-is-en.csv:3: no output of system 'human' was given, onl")
    again = {**options, "system_outputs": (*options["system_outputs"], f"Online-A={tmp_path}/ref")}
    assert fault(path, **again).startswith("ref: a second file of system 'Online-A' after out/newstest2021")
