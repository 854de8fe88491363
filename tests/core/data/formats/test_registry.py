"""The format of a file and its options, names of systems and languages, tables read and written."""

import io
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.data.formats import Judgment, Preference, Reading, collect, guess_format, read_format, write_tsv
from pfsm.data.formats.records import layout
from pfsm.data.formats.rows import language_code, pair_in_name
from pfsm.data.formats.texts import document_names, system_name
from pfsm.data.segments import segments_of
from pfsm.errors import PfsmError
from tests.core.data.formats.judged_sets import NAME, SCORE, SEGMENT
from tests.core.data.formats.reading import reading, write


def test_folders_that_can_be_seen(tmp_path: Path) -> None:
    write(tmp_path, "a/human-scores/x", "")
    write(tmp_path, "b/deep/dev.pe", "")
    write(tmp_path, "c/dev.roen.df.short.tsv", "")
    write(tmp_path, "d/x", "")
    names = [guess_format(tmp_path / name) for name in "abc"]
    assert names == ["mt-metrics-eval", "mlqe-pe", "mlqe-pe"]
    for path in (str(tmp_path / "d"), "-", write(tmp_path, "plain", "some words\n")):
        with pytest.raises(PfsmError, match=r": the format cannot be detected; name it with --from \(tsv, "):
            guess_format(path)


def test_options_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "x.tsv", "reference\thypothesis\tscore\nr\th\t1\n")
    with pytest.raises(
        PfsmError, match=r"^--sid-order does not apply to tsv, which uses --score-column, --source-lang"
    ):
        reading(path, sid_order="file")
    with pytest.raises(PfsmError, match=r"^no format 'xls'; the formats are tsv, comet, "):
        reading(path, "xls")


def test_what_a_tsv_cannot_hold_becomes_a_space_and_is_counted() -> None:
    record = Judgment(references=("a\tb",), hypothesis="c\r\nd", score=1.0, further={"x\ty": "e"})
    file = io.StringIO()
    written = write_tsv(Reading(Judgment, ("reference", "hypothesis", "score", "x\ty"), iter([record])), file)
    assert file.getvalue() == "reference\thypothesis\tscore\tx y\na b\tc  d\t1\te\n"
    assert (written.rows, written.mended) == (1, 2)


def test_collecting(tmp_path: Path) -> None:
    path = write(
        tmp_path, "x.tsv", "reference\treference_2\thypothesis\tscore\tsystem\nr\ts\th\t1\tA\nr\t\th\t2\tB\n"
    )
    table = collect(reading(path), [path, tmp_path, "-"])
    assert table.columns == {"system": ("A", "B"), "reference_2": ("s", "")}
    assert [(source.name, source.rows) for source in table.sources] == [("x.tsv", 2)]
    empty = write(tmp_path, "y.tsv", "reference\thypothesis\tscore\n")
    with pytest.raises(PfsmError, match=r"^no judgments in the files$"):
        collect(reading(empty))


@pytest.mark.parametrize(
    ("text", "pair", "name"),
    [
        ("newstest2012.cs-en.jhu-heiro.sgm", "cs-en", "jhu-heiro"),
        ("newstest2013.fr-en.MES:.2796", "fr-en", "MES:.2796"),
        ("newstest2016.online-A.0.cs-en", "cs-en", "online-A.0"),
        ("newstest2021.cs-en.hyp.Online-B.en", "-", "Online-B"),
        ("Online-B.txt.gz", "-", "Online-B"),
        ("a.de-fr.b", "cs-en", "a.de-fr.b"),
        ("uk-dan-moses", "-", "uk-dan-moses"),
    ],
)
def test_names_of_systems(text: str, pair: str, name: str) -> None:
    assert system_name(text, *pair.split("-")) == name


def test_languages() -> None:
    assert [language_code(name) for name in ("Czech", "cze", "ces", "cz", "cs", " EN ", "tlh", "")] == [
        "cs", "cs", "cs", "cs", "cs", "en", "tlh", "",
    ]  # fmt: skip
    assert pair_in_name("ad-seg-scores-cs-en.csv") == ("cs", "en")
    assert pair_in_name("a/newstest2020-deu-eng/x") == ("de", "en")
    assert pair_in_name("ad-seg-scores.csv") is None
    assert pair_in_name("cs-en/de-en") is None


def test_texts_may_be_lines_or_sgml(tmp_path: Path) -> None:
    sgml = (
        '<refset setid="t" trglang="en" srclang="cs"><doc docid="d" genre="news" sysid="ref">\n'
        "<seg>a</seg>\n<seg>b</seg>\n</doc></refset>\n"
    )
    path, plain = write(tmp_path, "x.sgm", sgml), write(tmp_path, "x", "a\nb\n")
    assert segments_of(path, "reference") == segments_of(plain, "reference") == ("a", "b")
    assert document_names(path) == (("news", "d"), ("news", "d"))
    assert document_names(write(tmp_path, "docs", "d 1\td 2\nx\n")) == (("d 1", "d 2"), ("", "x"))
    two = write(tmp_path, "y.sgm", sgml + sgml.replace('sysid="ref"', 'sysid="B"'))
    with pytest.raises(PfsmError, match=r"holds several references \(B, ref\); split it"):
        segments_of(two, "reference")


PLACES = ("test_set", "source_lang", "target_lang", "document", "segment_id", "rater", "source")
FURTHER = st.dictionaries(NAME.map(lambda name: f"further_{name}"), SEGMENT, max_size=2)


# Those after the first are not empty at the end.
REFERENCES = st.lists(SEGMENT, min_size=1, max_size=3).map(
    lambda texts: (texts[0], *texts[1:][: max((at for at, text in enumerate(texts) if text), default=0)])
)
COUNT = st.integers(0, 9).map(float) | st.floats(0.01, 9)


@st.composite
def records(
    draw: st.DrawFn, kind: type[Judgment] | type[Preference]
) -> tuple[Reading, list[Judgment | Preference]]:
    """A reading of random records, and the records."""
    names = sorted(draw(FURTHER))
    parts: dict[str, st.SearchStrategy[Any]] = {**dict.fromkeys(PLACES, SEGMENT), "references": REFERENCES}
    parts["further"] = st.fixed_dictionaries(dict.fromkeys(names, SEGMENT))
    if kind is Judgment:
        parts |= {"hypothesis": SEGMENT, "score": SCORE, "system": NAME}
    else:
        parts |= {"better": SEGMENT, "worse": SEGMENT, "better_system": NAME, "worse_system": NAME}
        parts |= {"votes": COUNT, "votes_against": COUNT, "ties": COUNT}
    fields = draw(st.lists(st.fixed_dictionaries(parts), min_size=1, max_size=5))
    made: list[Judgment | Preference] = [kind(line=at + 2, **one) for at, one in enumerate(fields)]
    present = [*PLACES, "system", "better_system", "worse_system", "votes_against", "ties"]
    most = max(len(record.references) for record in made)
    return Reading(kind, layout(kind, present, most, names), iter(made)), made


@settings(max_examples=60)
@given(st.data(), st.sampled_from([Judgment, Preference]))
def test_records_survive_the_tsv(data: st.DataObject, kind: type[Judgment] | type[Preference]) -> None:
    read, made = data.draw(records(kind))
    columns = tuple(read.columns)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.tsv"
        with path.open("w", encoding="utf-8", newline="\n") as file:
            written = write_tsv(read, file)
        assert (written.rows, written.mended) == (len(made), 0)
        again = read_format([path])
        assert tuple(again.columns) == columns
        assert list(again.records) == made


def test_another_score_column_and_constants(tmp_path: Path) -> None:
    path = write(tmp_path, "x.tsv", "reference\thypothesis\tscore\tda_z\tsource_lang\nr\th\t70\t0.5\tcs\n")
    read = reading(path, score_column="da_z", source_lang="Czech", target_lang="en", test_set="t")
    [found] = read.records
    assert isinstance(found, Judgment)
    assert found.score == 0.5
    assert found.further == {"da_z": "0.5", "score_before": "70"}
    assert (found.source_lang, found.target_lang, found.test_set) == ("cs", "en", "t")
    assert read.columns[-2:] == ("da_z", "score_before")
