"""Absolute judgments: read, chosen, joined, and put in an order that files and rows do not change."""

import os
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.data import DataSource, Judgments, read_judgments, read_table
from pfsm.errors import PfsmError

REAL = os.environ.get("PFSM_DATA")
needs_data = pytest.mark.skipif(REAL is None, reason="PFSM_DATA is not set")


def write(folder: Path, content: str, name: str = "x.tsv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8", newline="")
    return path


def fault(path: Path, score_column: str = "score") -> str:
    with pytest.raises(PfsmError) as caught:
        read_judgments(path, score_column)
    text = str(caught.value)
    assert "\n" not in text
    return text.removeprefix(str(path))


def rows_of(judgments: Judgments) -> list[tuple[object, ...]]:
    """Everything a judgment consists of, one tuple a row, for comparison."""
    names = list(judgments.columns)
    return [
        (reference, hypothesis, score, tuple(zip(names, others, strict=True)))
        for reference, hypothesis, score, *others in zip(
            judgments.references,
            judgments.hypotheses,
            judgments.scores.tolist(),
            *judgments.columns.values(),
            strict=True,
        )
    ]


def make(name: str, rows: list[tuple[str, str, float]], **columns: list[str]) -> Judgments:
    references, hypotheses, scores = zip(*rows, strict=True) if rows else ((), (), ())
    return Judgments(
        tuple(references),
        tuple(hypotheses),
        np.array(scores, dtype=np.float64),
        {column: tuple(fields) for column, fields in columns.items()},
        (DataSource(name, len(rows), name * 8),),
    )


def test_reading(tmp_path: Path) -> None:
    path = write(tmp_path, "system\treference\thypothesis\tscore\tda_z\nA\tr\th\t0.5\t-1\nB\t\t\t-2\t3\n")
    judgments = read_judgments(path)
    assert judgments.references == ("r", "")
    assert judgments.hypotheses == ("h", "")
    np.testing.assert_array_equal(judgments.scores, [0.5, -2.0])
    assert judgments.scores.dtype == np.float64
    assert judgments.columns == {"system": ("A", "B"), "da_z": ("-1", "3")}
    assert judgments.sources == (read_table(path).source,)
    assert judgments.sources[0].name == "x.tsv"
    assert judgments.sources[0].rows == len(judgments) == 2


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("ref\tmt\tDA\nr\th\t1\n", ": no column 'score'; the columns are 'ref', 'mt', 'DA'"),
        ("hypothesis\tscore\nh\t1\n", ": no column 'reference'; the columns are 'hypothesis', 'score'"),
        ("reference\tscore\nh\t1\n", ": no column 'hypothesis'; the columns are 'reference', 'score'"),
        (
            "reference\tbetter\tworse\nr\tb\tw\n",
            (
                ": no column 'hypothesis'; the columns are 'reference', 'better', 'worse'; this is a file of "
                "preferences (better, worse), which `pfsm evaluate` reads"
            ),
        ),
        ("reference\thypothesis\tscore\n", ": no rows below the header"),
        (
            "reference\thypothesis\tscore\nr\th\t1\nr\th\tn/a\n",
            ":3: score is 'n/a', a finite number is needed",
        ),
        ("reference\thypothesis\tscore\nr\th\t\n", ":2: score is '', a finite number is needed"),
        ("reference\thypothesis\tscore\nr\th\tnan\n", ":2: score is 'nan', a finite number is needed"),
        ("reference\thypothesis\tscore\nr\th\t-inf\n", ":2: score is '-inf', a finite number is needed"),
        ("reference\thypothesis\tscore\nr\th\n", ":2: 2 fields, the header has 3 fields"),
    ],
)
def test_what_is_refused(content: str, expected: str, tmp_path: Path) -> None:
    assert fault(write(tmp_path, content)) == expected


def test_select() -> None:
    judgments = make("f", [("r0", "h0", 0), ("r1", "h1", 1), ("r2", "h2", 2)], system=["A", "B", "C"])
    rows = rows_of(judgments)
    chosen = judgments.select(np.array([2, 0, 2]))
    assert rows_of(chosen) == [rows[2], rows[0], rows[2]]
    assert chosen.sources == judgments.sources
    assert chosen.scores.dtype == np.float64
    nothing = judgments.select(np.array([], dtype=np.int64))
    assert (len(nothing), nothing.scores.shape, nothing.columns) == (0, (0,), {"system": ()})
    with pytest.raises(IndexError):
        judgments.select(np.array([3]))
    with pytest.raises(TypeError, match="rows must be integers, not bool"):
        judgments.select(np.array([True, False, True]))


def test_join_fills_columns_that_a_part_lacks() -> None:
    joined = Judgments.join(
        [
            make("f", [("r0", "h0", 0.0)], system=["A"], document=["d"]),
            make("g", [("r1", "h1", 1.0), ("r2", "h2", 2.0)], system=["B", "C"], rater=["x", "y"]),
        ]
    )
    assert joined.references == ("r0", "r1", "r2")
    assert joined.hypotheses == ("h0", "h1", "h2")
    np.testing.assert_array_equal(joined.scores, [0.0, 1.0, 2.0])
    assert joined.columns == {"system": ("A", "B", "C"), "document": ("d", "", ""), "rater": ("", "x", "y")}
    assert [source.name for source in joined.sources] == ["f", "g"]
    with pytest.raises(PfsmError, match="no judgments: give at least one file of them"):
        Judgments.join([])


def test_sorting_goes_by_reference_hypothesis_score_then_columns() -> None:
    judgments = make(
        "f",
        [("b", "a", 1), ("a", "b", 10), ("a", "b", 9), ("a", "a", 11), ("a", "b", 9), ("a", "b", 9)],
        z=["1", "2", "1", "4", "0", "1"],
        m=["1", "2", "y", "4", "y", "x"],
    )
    ordered = judgments.sorted()
    assert list(ordered.columns) == ["m", "z"]
    assert list(zip(ordered.references, ordered.hypotheses, ordered.scores.tolist(), strict=True)) == [
        ("a", "a", 11.0),
        ("a", "b", 9.0),
        ("a", "b", 9.0),
        ("a", "b", 9.0),
        ("a", "b", 10.0),
        ("b", "a", 1.0),
    ]
    assert ordered.columns["m"] == ("4", "x", "y", "y", "2", "1")
    assert ordered.columns["z"] == ("4", "1", "0", "1", "2", "1")


ROW = st.tuples(st.text("ab", max_size=2), st.text("ab", max_size=2), st.integers(-2, 2).map(float))


@settings(deadline=None)
@given(
    st.lists(st.tuples(ROW, st.text("xy", max_size=1)), max_size=8), st.lists(ROW, max_size=4), st.randoms()
)
def test_the_order_of_files_and_rows_makes_no_difference(
    with_system: list[tuple[tuple[str, str, float], str]],
    without: list[tuple[str, str, float]],
    chance: random.Random,
) -> None:
    first = make("f", [row for row, _ in with_system], system=[system for _, system in with_system])
    second = make("g", without, document=["d"] * len(without))
    shuffled = with_system.copy()
    chance.shuffle(shuffled)
    again = make("f", [row for row, _ in shuffled], system=[system for _, system in shuffled])
    one = Judgments.join([first, second]).sorted()
    other = Judgments.join([second, again]).sorted()
    assert rows_of(one) == rows_of(other)
    assert one.sources == other.sources
    assert list(one.columns) == list(other.columns) == ["document", "system"]
    assert len(one) == len(with_system) + len(without)


@needs_data
def test_real_rows_and_means() -> None:
    paths = sorted(Path(REAL or "", "wmt15-daseg").glob("*.tsv.gz"))
    judgments = Judgments.join([read_judgments(path) for path in paths])
    assert len(judgments) == 2000  # the collection's README
    assert [source.rows for source in judgments.sources] == [500] * 4
    assert sorted(set(judgments.columns["source_lang"])) == ["cs", "de", "fi", "ru"]
    # This set's `score` is the standardised mean that `da_z` holds as well.
    np.testing.assert_array_equal(judgments.scores, [float(field) for field in judgments.columns["da_z"]])
    backwards = Judgments.join([read_judgments(path) for path in reversed(paths)])
    assert rows_of(judgments.sorted()) == rows_of(backwards.sorted())
