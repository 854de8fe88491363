"""The format of a file, the options that it uses, and the writing of records."""

import io
from pathlib import Path

import pytest

from pfsm.data.formats import (
    Judgment,
    Reading,
    collect,
    guess_format,
    read_format,
    write_tsv,
)
from pfsm.errors import PfsmError
from tests.data.formats.reading import reading, write


@pytest.mark.parametrize(
    ("first_line", "expected"),
    [
        ("reference\thypothesis\tscore", "tsv"),
        ("source_lang\treference\tbetter\tworse", "tsv"),
        ("src,mt,ref,score", "comet"),
        ('"src","mt","ref","score"', "comet"),
        (
            "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank",
            "wmt-ranking",
        ),
        ("SYS SID RAW.SCR Z.SCR N ", "wmt-da"),
        ("system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity", "mqm"),
        ("index\toriginal\ttranslation\tscores\tmean\tz_scores\tz_mean\tmodel_scores", "mlqe-pe"),
        ("<?xml version='1.0'?>", "nist"),
        ('<refset setid="x">', "nist"),
    ],
)
def test_formats_that_can_be_seen(first_line: str, expected: str, tmp_path: Path) -> None:
    assert guess_format(write(tmp_path, "x", f"{first_line}\n")) == expected


def test_folders_that_can_be_seen(tmp_path: Path) -> None:
    write(tmp_path, "a/human-scores/x", "")
    write(tmp_path, "b/deep/dev.pe", "")
    write(tmp_path, "c/dev.roen.df.short.tsv", "")
    write(tmp_path, "d/x", "")
    names = [guess_format(tmp_path / name) for name in "abc"]
    assert names == ["mt-metrics-eval", "mlqe-pe", "mlqe-pe"]
    for path in (
        str(tmp_path / "d"),
        "-",
        write(tmp_path, "plain", "some words\n"),
        write(tmp_path, "empty", ""),
    ):
        with pytest.raises(
            PfsmError, match=r": the format cannot be detected; name it with --from \(tsv, comet, "
        ):
            guess_format(path)
    with pytest.raises(PfsmError, match="no such file"):
        guess_format(tmp_path / "none")


def test_options_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "x.tsv", "reference\thypothesis\tscore\nr\th\t1\n")
    with pytest.raises(
        PfsmError, match=r"^--sid-order does not apply to tsv, which uses --score-column, --source-lang"
    ):
        reading(path, sid_order="file")
    with pytest.raises(PfsmError, match=r"^no format 'xls'; the formats are tsv, comet, "):
        reading(path, "xls")
    with pytest.raises(PfsmError, match=r"^no files of judgments"):
        read_format([])


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
