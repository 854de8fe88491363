"""The demonstration corpus keeps the form and the rubric that its README states."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from importlib.resources import files
from statistics import mean

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


def test_the_form() -> None:
    for part, numbers in PARTS.items():
        lines = lines_of(part)
        assert lines[0].split("\t") == HEADER
        for line in lines:
            fields = line.split("\t")
            assert len(fields) == len(HEADER)
            assert all(field and field == " ".join(field.split()) for field in fields), "stray white space"
        expected = [(f"demo-{n:03d}", system) for n in numbers for system in SYSTEMS]
        assert [(row.segment, row.system) for row in rows_of(part)] == expected
    assert {row.source_lang for row in all_rows()} == {"demo"}


def test_references_and_hypotheses() -> None:
    references = defaultdict(set)
    for row in all_rows():
        references[row.segment].add(row.reference)
    assert all(len(texts) == 1 for texts in references.values())
    assert len(set.union(*references.values())) == 132
    lengths = [len(row.reference.split()) for row in all_rows()]
    readme = demo_text("README.md").replace("\n", " ")
    stated = re.search(r"References are (\d+) to (\d+) words long, (\d+) on average", readme)
    assert stated is not None
    assert [min(lengths), max(lengths), round(mean(lengths))] == [int(number) for number in stated.groups()]
    seen = Counter((row.segment, row.hypothesis) for row in all_rows() if row.hypothesis != row.reference)
    assert max(seen.values()) == 1


def test_grades_and_labels() -> None:
    grades = Counter(row.grade for row in all_rows())
    assert sorted(grades) == list(range(1, 8))
    assert min(grades.values()) >= 0.05 * 528
    counts, caps = Counter(label for row in all_rows() for label in row.errors), label_caps()
    assert set(counts) == set(caps)
    assert {label: counts[label] for label in FREQUENT if counts[label] < 10} == {}
    for row in all_rows():
        assert len(set(row.errors)) == len(row.errors), row
        assert row.grade <= min(caps[label] for label in row.errors), row
        assert ("none" not in row.errors) or (row.grade, row.errors) == (7, ("none",)), row
        assert row.grade < 7 or row.errors in {("none",), ("synonym",)}, row
        assert row.errors != ("synonym",) or row.grade >= 6, row
        assert row.hypothesis != row.reference or row.errors == ("none",), row


def test_systems_rank_in_alphabetical_order() -> None:
    for rows in map(rows_of, PARTS):
        means = [mean(row.grade for row in rows if row.system == system) for system in SYSTEMS]
        assert means == sorted(set(means), reverse=True)


def test_rows_quoted_in_the_readme_are_rows_of_the_corpus() -> None:
    pattern = r"^\| ([1-7]) \| `([a-z+-]+)` \| (.+) \|$"
    quoted = re.findall(pattern, demo_text("README.md"), flags=re.MULTILINE)
    assert len(quoted) == 3
    rows = {(row.grade, "+".join(row.errors), row.hypothesis) for row in all_rows()}
    assert {(int(grade), errors, text) for grade, errors, text in quoted} <= rows
