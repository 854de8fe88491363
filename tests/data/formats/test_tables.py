"""The TSV of pfsm and COMET's CSV: the same table as the reader of whole files gives, and back."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.data.formats import Judgment, Preference, Reading, read_format, write_tsv
from pfsm.data.formats.records import layout
from tests.data.formats.judged_sets import NAME, SCORE, SEGMENT
from tests.data.formats.reading import fault, reading, write

PLACES = ("test_set", "source_lang", "target_lang", "document", "segment_id", "rater", "source")
FURTHER = st.dictionaries(NAME.map(lambda name: f"further_{name}"), SEGMENT, max_size=2)


def of_references(count: int) -> st.SearchStrategy[tuple[str, ...]]:
    """References of which those after the first are not empty at the end."""
    return st.lists(SEGMENT, min_size=1, max_size=count).map(
        lambda texts: (
            texts[0],
            *texts[1:][: max((at + 1 for at, text in enumerate(texts[1:]) if text), default=0)],
        )
    )


@st.composite
def records(
    draw: st.DrawFn, kind: type[Judgment] | type[Preference]
) -> tuple[Reading, list[Judgment | Preference]]:
    """A reading of random records, and the records."""
    names = sorted(draw(FURTHER))
    made: list[Judgment | Preference] = []
    for number in range(draw(st.integers(1, 5))):
        common = {place: draw(SEGMENT) for place in PLACES}
        further = {name: draw(SEGMENT) for name in names}
        references = draw(of_references(3))
        if kind is Judgment:
            made.append(
                Judgment(
                    references=references, hypothesis=draw(SEGMENT), score=draw(SCORE), system=draw(NAME),
                    further=further, line=number + 2, **common,
                )
            )  # fmt: skip
        else:
            counts = [draw(st.integers(0, 9).map(float) | st.floats(0, 9)) for _ in range(3)]
            made.append(
                Preference(
                    references=references, better=draw(SEGMENT), worse=draw(SEGMENT), better_system=draw(NAME),
                    worse_system=draw(NAME), votes=counts[0], votes_against=counts[1], ties=counts[2],
                    further=further, line=number + 2, **common,
                )
            )  # fmt: skip
    present = [*PLACES, "system", "better_system", "worse_system", "votes_against", "ties"]
    most = max(len(record.references) for record in made)
    return Reading(kind, layout(kind, present, most, names), iter(made)), made


@settings(max_examples=60)
@given(st.data(), st.sampled_from([Judgment, Preference]), st.sampled_from(["x.tsv", "x.tsv.gz"]))
def test_records_survive_the_tsv(
    data: st.DataObject, kind: type[Judgment] | type[Preference], name: str
) -> None:
    read, made = data.draw(records(kind))
    columns = tuple(read.columns)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name.removesuffix(".gz")
        with path.open("w", encoding="utf-8", newline="\n") as file:
            written = write_tsv(read, file)
        assert (written.rows, written.mended) == (len(made), 0)
        again = read_format([path])
        assert tuple(again.columns) == columns
        back = list(again.records)
        assert back == made


def test_another_score_column_and_constants(tmp_path: Path) -> None:
    path = write(tmp_path, "x.tsv", "reference\thypothesis\tscore\tda_z\tsource_lang\nr\th\t70\t0.5\tcs\n")
    read = reading(path, score_column="da_z", source_lang="xx", target_lang="en", test_set="t")
    [found] = read.records
    assert isinstance(found, Judgment)
    assert found.score == 0.5
    assert found.further == {"da_z": "0.5", "score_before": "70"}
    assert (found.source_lang, found.target_lang, found.test_set) == ("cs", "en", "t")
    assert read.columns[-2:] == ("da_z", "score_before")


HEADER = "reference\thypothesis\tscore\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", ": empty file, a header row is needed"),
        ("reference\tscore\nr\t1\n", ": no column 'hypothesis'; the columns are 'reference', 'score'"),
        (f"{HEADER}r\th\t1\nr\th\tn/a\n", ":3: score is 'n/a', a finite number is needed"),
        (f"{HEADER}r\th\t1\nr\th\n", ":3: 2 fields, the header has 3 fields"),
        (f"{HEADER}r\th\t1\n\n\nr\th\t1\n", ":3: empty line between rows; delete it"),
        (
            "reference\tbetter\tworse\tvotes\nr\tb\tw\t-1\n",
            ":2: votes is '-1', a finite number of 0 or more is needed",
        ),
    ],
)
def test_malformed_tables(content: str, expected: str, tmp_path: Path) -> None:
    assert fault(write(tmp_path, "x.tsv", content), "tsv") == f"x.tsv{expected}"
