"""Error annotations: weights, raters, spans, and where references come from."""

import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.formats.judged_sets import JudgedSet, judged_sets, numbers_in_documents, write_texts
from tests.data.formats.reading import fault, judgments, reading, write

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


@pytest.mark.parametrize(
    ("errors", "score"),
    [
        ([("Terminology/Inappropriate for context", "Minor")], -1.0),
        ([("Style/Awkward", "Minor"), ("Terminology/Inappropriate for context", "Minor")], -2.0),
        ([("Fluency/Register", "Major")], -5.0),
        ([("No-error", "No-error")], 0.0),
    ],
)
def test_scores_as_published(errors: list[tuple[str, str]], score: float, tmp_path: Path) -> None:
    """Segments 1, 5, 1 and 2 of two systems in the published annotations and averages of TED talks, en-de."""
    rows = "".join(row(category=category, severity=severity) for category, severity in errors)
    path = write(tmp_path, "x.tsv", HEADER + rows)
    assert [each.score for each in judgments(path, references=(write(tmp_path, "ref", "r\n"),))] == [score]


@st.composite
def annotations(draw: st.DrawFn, judged: JudgedSet) -> tuple[str, dict[tuple[str, int], dict[str, float]]]:
    """A file about a set's translations, its rows in any order, and the penalties by system, segment, rater."""
    numbers = numbers_in_documents(judged)
    rows, penalties = [], defaultdict[tuple[str, int], dict[str, float]](dict)
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
                place = [system, judged.documents[at], str(numbers[at]), str(at + 1), rater]
                rows.append("\t".join([*place, *texts, category, severity]))
    order = draw(st.permutations(rows))
    return HEADER + "".join(f"{row}\n" for row in order), dict(penalties)


@settings(max_examples=60)
@given(st.data(), judged_sets(), st.booleans(), st.booleans())
def test_round_trip(data: st.DataObject, judged: JudgedSet, by_document: bool, per_rater: bool) -> None:
    content, penalties = data.draw(annotations(judged))
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
        if not per_rater:
            assert each.further == {"n_raters": str(len(penalties[system, at]))}


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


def test_quotes_of_early_files(tmp_path: Path) -> None:
    path = write(tmp_path, "x.tsv", HEADER + row(target='"so ""<v>called</v>"" x"') + row("T", target='"'))
    references = (write(tmp_path, "ref", "r\n"),)
    assert [each.hypothesis for each in judgments(path, references=references)] == ['"so ""called"" x"', '"']
    found = judgments(path, references=references, unquote=True)
    assert [each.hypothesis for each in found] == ['so "called" x', '"']


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            HEADER + row() + row(severity="Huge"),
            "x.tsv:3: severity is 'Huge', which has no weight; give it one with --weights",
        ),
        (HEADER + row() + row("T", 3, seg_id=9), "x.tsv:3: seg_id is '9', but ref has 2 lines"),
    ],
)
def test_malformed_annotations(content: str, expected: str, tmp_path: Path) -> None:
    references = (write(tmp_path, "ref", "r\nq\n"),)
    assert fault(write(tmp_path, "x.tsv", content), "mqm", references=references) == expected


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
