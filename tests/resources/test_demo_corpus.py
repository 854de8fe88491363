"""The demonstration corpus keeps the form and the rubric that its README states."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from importlib.resources import files
from statistics import mean

import pytest

HEADER = ["segment_id", "system", "source_lang", "reference", "hypothesis", "score", "errors"]
SYSTEMS = ["amber", "birch", "cedar", "dune"]
PARTS = {"train": range(1, 89), "test": range(89, 133)}
FREQUENT = ["dropped-word", "word-order", "wrong-sense", "inflection", "untranslated", "negation", "number"]


@dataclass(frozen=True)
class Row:
    segment: str
    system: str
    source_lang: str
    reference: str
    hypothesis: str
    grade: int
    errors: tuple[str, ...]


def demo_text(name: str) -> str:
    """The file as shipped: bytes, so that no newline is translated on the way."""
    return (files("pfsm.resources") / "demo" / name).read_bytes().decode("utf-8")


def lines_of(part: str) -> list[str]:
    text = demo_text(f"{part}.tsv")
    assert text.endswith("\n")
    return text[:-1].split("\n")


def rows_of(part: str) -> list[Row]:
    rows = []
    for line in lines_of(part)[1:]:
        segment, system, lang, reference, hypothesis, grade, errors = line.split("\t")
        assert re.fullmatch("[1-7]", grade), line
        rows.append(Row(segment, system, lang, reference, hypothesis, int(grade), tuple(errors.split("+"))))
    return rows


def all_rows() -> list[Row]:
    return [row for part in PARTS for row in rows_of(part)]


def label_caps() -> dict[str, int]:
    """Label -> highest grade, out of the README's table of error labels."""
    section = demo_text("README.md").split("## Error labels and their caps")[1].split("\n## ")[0]
    caps = re.findall(r"^\| `([a-z-]+)` \|.*\| ([1-7]) \|$", section, flags=re.MULTILINE)
    assert len(caps) == len(dict(caps))
    return {label: int(cap) for label, cap in caps}


@pytest.mark.parametrize("part", PARTS)
def test_header_and_field_count(part: str) -> None:
    lines = lines_of(part)
    assert lines[0].split("\t") == HEADER
    assert {line.count("\t") for line in lines} == {len(HEADER) - 1}


@pytest.mark.parametrize("part", PARTS)
def test_fields_are_clean(part: str) -> None:
    for line in lines_of(part):
        assert "\r" not in line
        for field in line.split("\t"):
            assert field
            assert field == " ".join(field.split()), "stray white space"


@pytest.mark.parametrize("part", PARTS)
def test_every_segment_has_its_four_systems(part: str) -> None:
    expected = [(f"demo-{n:03d}", system) for n in PARTS[part] for system in SYSTEMS]
    assert [(row.segment, row.system) for row in rows_of(part)] == expected


def test_size_and_source_language() -> None:
    rows = all_rows()
    assert len(rows) == 528
    assert {row.source_lang for row in rows} == {"demo"}


def test_one_reference_per_segment_and_none_shared() -> None:
    references = defaultdict(set)
    for row in all_rows():
        references[row.segment].add(row.reference)
    assert all(len(texts) == 1 for texts in references.values())
    assert len(set.union(*references.values())) == 132


def test_reference_lengths_are_those_the_readme_states() -> None:
    lengths = [len(row.reference.split()) for row in all_rows()]
    stated = re.search(
        r"References are (\d+) to (\d+) words long, (\d+) on average",
        demo_text("README.md").replace("\n", " "),
    )
    assert stated is not None
    assert [min(lengths), max(lengths), round(mean(lengths))] == [int(number) for number in stated.groups()]


def test_hypotheses_repeat_only_the_reference() -> None:
    seen = Counter((row.segment, row.hypothesis) for row in all_rows() if row.hypothesis != row.reference)
    assert max(seen.values()) == 1


def test_every_grade_is_at_least_a_twentieth_of_the_rows() -> None:
    grades = Counter(row.grade for row in all_rows())
    assert sorted(grades) == list(range(1, 8))
    assert min(grades.values()) >= 0.05 * 528


def test_labels_are_the_readme_s_and_all_are_used() -> None:
    used = {label for row in all_rows() for label in row.errors}
    assert used == set(label_caps())
    assert all(len(set(row.errors)) == len(row.errors) for row in all_rows())


def test_no_grade_exceeds_the_cap_of_a_label() -> None:
    caps = label_caps()
    above = [row for row in all_rows() if row.grade > min(caps[label] for label in row.errors)]
    assert above == []


def test_none_and_synonym_are_the_labels_of_faultless_rows() -> None:
    for row in all_rows():
        if "none" in row.errors:
            assert (row.grade, row.errors) == (7, ("none",)), row
        if row.grade == 7:
            assert row.errors in {("none",), ("synonym",)}, row
        if row.errors == ("synonym",):
            assert row.grade >= 6, row


def test_the_reference_itself_is_faultless() -> None:
    identical = [row for row in all_rows() if row.hypothesis == row.reference]
    assert identical
    assert {(row.grade, row.errors) for row in identical} == {(7, ("none",))}


def test_frequent_errors_have_ten_rows_each() -> None:
    counts = Counter(label for row in all_rows() for label in row.errors)
    assert {label: counts[label] for label in FREQUENT if counts[label] < 10} == {}


@pytest.mark.parametrize("part", PARTS)
def test_systems_rank_in_alphabetical_order(part: str) -> None:
    rows = rows_of(part)
    means = [mean(row.grade for row in rows if row.system == system) for system in SYSTEMS]
    assert means == sorted(means, reverse=True)
    assert len(set(means)) == len(means)


def test_rows_quoted_in_the_readme_are_rows_of_the_corpus() -> None:
    quoted = re.findall(
        r"^\| ([1-7]) \| `([a-z+-]+)` \| (.+) \|$", demo_text("README.md"), flags=re.MULTILINE
    )
    assert len(quoted) == 3
    rows = {(row.grade, "+".join(row.errors), row.hypothesis) for row in all_rows()}
    assert {(int(grade), errors, text) for grade, errors, text in quoted} <= rows
