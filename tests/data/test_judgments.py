"""Absolute judgments: read, chosen, joined, and put in an order that files and rows do not change.

Preferences: read with their votes, chosen, joined.

Fingerprints of references, against sha256 of what their normal form should be.
"""

import hashlib
import os
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.data import (
    DataSource,
    Judgments,
    Preferences,
    digest,
    digests,
    is_preferences,
    overlap,
    preferences_from_table,
    read_judgments,
    read_preferences,
    read_table,
)
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


def test_reading_preferences(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "segment_id\treference\tbetter\tworse\tvotes\n1\tr\tb\tw\t2\n1\tr\tw\tb\t0\n2\ts\tc\td\t0.5\n",
    )
    preferences = read_preferences(path)
    assert preferences.references == ("r", "r", "s")
    assert preferences.better == ("b", "w", "c")
    assert preferences.worse == ("w", "b", "d")
    np.testing.assert_array_equal(preferences.votes, [2.0, 0.0, 0.5])
    assert preferences.columns == {"segment_id": ("1", "1", "2")}
    assert preferences.sources == (read_table(path).source,)
    assert len(preferences) == 3


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("reference\tbetter\tworse", True),
        ("better\tworse", True),
        ("reference\tbetter", False),
        ("reference\thypothesis\tscore", False),
    ],
)
def test_is_preferences(header: str, expected: bool, tmp_path: Path) -> None:
    assert is_preferences(read_table(write(tmp_path, f"{header}\n"))) is expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("better\tworse\nb\tw\n", ": no column 'reference'; the columns are 'better', 'worse'"),
        ("reference\tworse\nb\tw\n", ": no column 'better'; the columns are 'reference', 'worse'"),
        ("reference\tbetter\nb\tw\n", ": no column 'worse'; the columns are 'reference', 'better'"),
        (
            "ref\tmt\tscore\nr\th\t1\n",
            ": no column 'better'; the columns are 'ref', 'mt', 'score'; this is a file of absolute scores",
        ),
        ("reference\tbetter\tworse\n", ": no rows below the header"),
        (
            "reference\tbetter\tworse\tvotes\nr\tb\tw\t1\nr\tb\tw\t-1\n",
            ":3: votes is '-1', a finite number of 0 or more is needed",
        ),
        (
            "reference\tbetter\tworse\tvotes\nr\tb\tw\tinf\n",
            ":2: votes is 'inf', a finite number of 0 or more is needed",
        ),
        (
            "reference\tbetter\tworse\tvotes\nr\tb\tw\t\n",
            ":2: votes is '', a finite number of 0 or more is needed",
        ),
    ],
)
def test_what_is_refused_preferences(content: str, expected: str, tmp_path: Path) -> None:
    path = write(tmp_path, content)
    with pytest.raises(PfsmError) as caught:
        preferences_from_table(read_table(path))
    assert str(caught.value) == f"{path}{expected}"


def test_select_and_join(tmp_path: Path) -> None:
    first = read_preferences(write(tmp_path, "reference\tbetter\tworse\tvotes\nr\tb\tw\t2\nq\tc\td\t3\n"))
    second = read_preferences(write(tmp_path, "reference\tbetter\tworse\tlang\ns\te\tf\tcs\n", "y.tsv"))
    joined = Preferences.join([first, second])
    assert joined.references == ("r", "q", "s")
    assert joined.better == ("b", "c", "e")
    assert joined.worse == ("w", "d", "f")
    np.testing.assert_array_equal(joined.votes, [2.0, 3.0, 1.0])
    assert joined.columns == {"lang": ("", "", "cs")}
    assert joined.sources == first.sources + second.sources
    chosen = joined.select(np.array([2, 1]))
    assert (chosen.references, chosen.better, chosen.worse) == (("s", "q"), ("e", "c"), ("f", "d"))
    np.testing.assert_array_equal(chosen.votes, [1.0, 3.0])
    assert chosen.columns == {"lang": ("cs", "")}
    assert chosen.sources == joined.sources
    with pytest.raises(PfsmError, match="no preferences: give at least one file of them"):
        Preferences.join([])


@needs_data
def test_real_rows_and_votes() -> None:
    paths = sorted(Path(REAL or "", "wmt12-rr").glob("*.tsv.gz"))
    preferences = Preferences.join([read_preferences(path) for path in paths])
    assert len(preferences) == 38885  # the collection's README
    assert sorted(set(preferences.columns["source_lang"])) == ["cs", "de", "es", "fr"]
    assert np.all(preferences.votes >= 1)
    # A pair that raters disagreed on stands in both directions, each row telling the other's votes.
    against = np.array([float(field) for field in preferences.columns["votes_against"]])
    keys = list(
        zip(
            preferences.columns["source_lang"],
            preferences.columns["segment_id"],
            preferences.columns["better_system"],
            preferences.columns["worse_system"],
            strict=True,
        )
    )
    votes = dict(zip(keys, preferences.votes.tolist(), strict=True))
    assert len(votes) == len(keys)
    for (language, segment, better, worse), opposed in zip(keys, against.tolist(), strict=True):
        assert votes.get((language, segment, worse, better), 0.0) == opposed


def test_the_published_value() -> None:
    # FIPS 180-2, appendix B.1: SHA-256 of "abc" begins ba7816bf 8f01cfea.
    assert digest("abc") == "ba7816bf8f"


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("", b""),
        (" \t\u3000\n", b""),
        ("  two\u00a0 words\r", b"two words"),
        ("cafe\u0301", b"caf\xc3\xa9"),
        ("caf\u00e9", b"caf\xc3\xa9"),
        ("\u212b", b"\xc3\x85"),  # the Angstrom sign is a letter in NFC
        ("\ufb01", b"\xef\xac\x81"),  # the ligature stays in NFC
        ("Case", b"Case"),
    ],
)
def test_the_normal_form(text: str, normal: bytes) -> None:
    assert digest(text) == hashlib.sha256(normal).hexdigest()[:10]


def test_digests_are_sorted_and_unique() -> None:
    texts = ["b", "abc", " abc", "a", "b"]
    listed = digests(texts).split(" ")
    assert listed == sorted(listed)
    assert set(listed) == {hashlib.sha256(text).hexdigest()[:10] for text in (b"a", b"b", b"abc")}
    assert digests([]) == ""
    assert digests(iter(texts)) == digests(reversed(texts))


@settings(deadline=None)
@given(st.sets(st.integers(0, 40)), st.sets(st.integers(0, 40)))
def test_overlap_is_the_size_of_the_intersection(texts: set[int], others: set[int]) -> None:
    known = digests(f"sentence {number}" for number in others)
    assert overlap([f" sentence\t{number}" for number in texts], known) == len(texts & others)


@settings(deadline=None)
@given(st.text())
def test_any_text_has_ten_hexadecimal_digits(text: str) -> None:
    value = digest(text)
    assert len(value) == 10
    assert int(value, 16) >= 0
    assert overlap([text], value) == 1
