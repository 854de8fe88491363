"""MLQE-PE: table and post-editing files, side by side."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.formats.judged_sets import SCORE, SEGMENT, lines
from tests.data.formats.reading import fault, judgments, reading, write

HEADER = "index\toriginal\ttranslation\tscores\tmean\tz_scores\tz_mean\tmodel_scores"
ROW = st.fixed_dictionaries(
    {
        "src": SEGMENT,
        "mt": SEGMENT,
        "pe": SEGMENT,
        "mean": SCORE,
        "z": SCORE,
        "hter": st.floats(0, 3),
        "raters": st.integers(1, 6),
    }
)


@settings(max_examples=40)
@given(st.lists(ROW, min_size=1, max_size=5), st.sampled_from(["", "da_raw", "da_z", "hter"]), st.booleans())
def test_round_trip(rows: list[dict[str, str | float | int]], column: str, header: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = [HEADER]
        for at, row in enumerate(rows):
            fields = [at, row["src"], row["mt"], [90] * int(row["raters"]), row["mean"], [0], row["z"], -0.5]
            table.append("\t".join(map(str, fields)))
        lines(folder / "da/ro-en-test/test20.roen.df.short.tsv", table)
        names = ["doc_id"] * header + [f"doc {at}" for at in range(len(rows))]
        lines(folder / "da/ro-en-test/test20.doc_ids", names)
        lines(folder / "da/ro-en-test/word-probas/mt.test20.roen", ["noise"])
        for kind in ("src", "mt", "pe", "hter"):
            lines(folder / f"pe/ro-en-test20/test20.{kind}", [str(row[kind]) for row in rows])
        found = judgments([str(folder / "da"), str(folder / "pe")], score_column=column)
    chosen = {"": "mean", "da_raw": "mean", "da_z": "z", "hter": "hter"}[column]
    for at, (row, each) in enumerate(zip(rows, found, strict=True)):
        assert each.score == (0.0 - float(row["hter"]) if chosen == "hter" else row[chosen])
        assert (each.references, each.hypothesis, each.source) == ((row["pe"],), row["mt"], row["src"])
        assert each.segment_id == f"mlqe-pe.test20.{at}"
        assert (each.source_lang, each.target_lang, each.document) == ("ro", "en", f"doc {at}")
        assert float(each.further["hter"]) == row["hter"]
        assert (each.further["n_raters"], each.further["nmt_logprob"]) == (str(row["raters"]), "-0.5")


def post_edits(folder: Path, **files: str) -> str:
    """Two sentences."""
    plain = {"pe": "p\nq\n", "mt": "m\nn\n", "src": "s\nt\n", "hter": "0.5\n0\n"}
    for kind, content in (plain | files).items():
        write(folder, f"x/dev.{kind}", content)
    return str(folder / "x")


def table(*rows: str) -> str:
    return "".join(f"{line}\n" for line in (HEADER, *rows))


def test_post_edits_alone_are_scored_by_their_edit_rate(tmp_path: Path) -> None:
    path = post_edits(tmp_path)
    found = judgments(path)
    assert [(each.score, each.further["hter"], each.segment_id) for each in found] == [
        (-0.5, "0.5", "mlqe-pe.dev.0"),
        (0.0, "0", "mlqe-pe.dev.1"),
    ]
    assert str(found[1].score) == "0.0"
    assert fault(path, score_column="da_raw") == "x/dev.pe: no score 'da_raw'; there is hter"


def test_a_tokenised_copy_is_the_same_translation(tmp_path: Path) -> None:
    path = post_edits(tmp_path, mt="a &quot; b , c\nd\n")
    write(tmp_path, "x/dev.tsv", table('0\ts\ta "b, c\t[1]\t1\t[0]\t0\t0', "1\tt\td!\t[1]\t1\t[0]\t0\t0"))
    read = reading(path)
    assert [getattr(each, "hypothesis", "") for each in read.records] == ["a &quot; b , c", "d"]
    assert read.notes == {"translations that differ between table and *.mt": 1}
    post_edits(tmp_path, mt="x\ny\n")
    assert fault(path).startswith("x/dev.tsv: 2 translations differ from those of x/dev.mt; give files of")


GOOD = "0\ts\tm\t[1]\t1\t[0]\t0\t0"


@pytest.mark.parametrize(
    ("kind", "content", "expected"),
    [
        ("tsv", table(GOOD, "1\tt\tn\t[]\tx\t[]\t0\t0"), "x/dev.tsv:3: mean is 'x', a finite number is needed"),
        ("tsv", table(GOOD), "x/dev.tsv: 1 rows, but x/dev.pe has 2 lines; give files of the same split"),
        ("hter", "0.5\n-1\n", "x/dev.hter:2: '-1', an edit rate of 0 or more is needed"),
        ("doc_ids", "d\n" * 4, "x/dev.doc_ids: 4 lines, but x/dev.pe has 2 lines; line i of both must be segment i"),
    ],
)  # fmt: skip
def test_malformed_files(kind: str, content: str, expected: str, tmp_path: Path) -> None:
    assert fault(post_edits(tmp_path, **{kind: content})) == expected


def test_files_that_are_missing_or_too_many(tmp_path: Path) -> None:
    path = post_edits(tmp_path)
    write(tmp_path, "x/train.pe", "p\n")
    assert fault(path) == "x/train.pe: a second *.pe after x/dev.pe; give one language pair and split"
    rate = write(tmp_path, "alone/dev.hter", "0\n")
    assert fault(rate, "mlqe-pe").startswith("dev.hter: no post-edits (*.pe), which serve as references")
