"""Judgments and preferences: read, chosen, joined, in an order that files and rows do not change; fingerprints."""

import hashlib
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.data import (
    DataSource,
    Judgments,
    Preferences,
    digest,
    digests,
    overlap,
    read_judgments,
    read_preferences,
    read_table,
)
from pfsm.errors import PfsmError


def write(folder: Path, content: str, name: str = "x.tsv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8", newline="")
    return path


def rows_of(judgments: Judgments) -> list[tuple[object, ...]]:
    """Everything a judgment consists of, one tuple a row, for comparison."""
    columns = [[(name, field) for field in fields] for name, fields in judgments.columns.items()]
    texts = judgments.references, judgments.hypotheses
    return list(zip(*texts, judgments.scores.tolist(), *columns, strict=True))


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
    assert (judgments.references, judgments.hypotheses) == (("r", ""), ("h", ""))
    assert judgments.scores.tolist() == [0.5, -2.0]
    assert judgments.columns == {"system": ("A", "B"), "da_z": ("-1", "3")}
    assert judgments.sources == (read_table(path).source,)


JUDGED, PREFERRED = "reference\thypothesis\tscore\n", "reference\tbetter\tworse\tvotes\n"
NO_HYPOTHESIS = (
    "no column 'hypothesis'; the columns are 'reference', 'better', 'worse', 'votes'; this is a file of p"
)


@pytest.mark.parametrize(
    ("read", "content", "expected"),
    [
        (read_judgments, "ref\tmt\tDA\nr\th\t1\n", " no column 'score'; the columns are 'ref', 'mt', 'DA'"),
        (read_judgments, f"{PREFERRED}r\tb\tw\t1\n", f" {NO_HYPOTHESIS}"),
        (read_judgments, JUDGED, " no rows below the header"),
        (read_judgments, f"{JUDGED}r\th\t1\nr\th\tn/a\n", "3: score is 'n/a', a finite number is needed"),
        (read_preferences, f"{JUDGED}r\th\t1\n", " no column 'better'; the columns are 'reference', 'hypo"),
        (read_preferences, PREFERRED, " no rows below the header"),
        (read_preferences, f"{PREFERRED}r\tb\tw\t-1\n", "2: votes is '-1', a finite number of 0 or more"),
    ],
)
def test_what_is_refused(read: Callable[[Path], object], content: str, expected: str, tmp_path: Path) -> None:
    path = write(tmp_path, content)
    with pytest.raises(PfsmError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:{expected}")


def test_select() -> None:
    judgments = make("f", [("r0", "h0", 0), ("r1", "h1", 1), ("r2", "h2", 2)], system=["A", "B", "C"])
    rows = rows_of(judgments)
    assert rows_of(judgments.select(np.array([2, 0, 2]))) == [rows[2], rows[0], rows[2]]
    with pytest.raises(TypeError, match="rows must be integers, not bool"):
        judgments.select(np.array([True, False, True]))
    with pytest.raises(PfsmError, match="no judgments: give at least one file of them"):
        Judgments.join([])


ROW = st.tuples(st.text("ab", max_size=2), st.text("ab", max_size=2), st.integers(-2, 2).map(float))


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


def test_preferences_read_chosen_and_joined(tmp_path: Path) -> None:
    first = read_preferences(write(tmp_path, "reference\tbetter\tworse\tvotes\nr\tb\tw\t2\nq\tc\td\t3\n"))
    second = read_preferences(write(tmp_path, "reference\tbetter\tworse\tlang\ns\te\tf\tcs\n", "y.tsv"))
    joined = Preferences.join([first, second])
    assert joined.references == ("r", "q", "s")
    assert (joined.better, joined.worse) == (("b", "c", "e"), ("w", "d", "f"))
    assert joined.votes.tolist() == [2.0, 3.0, 1.0]
    assert joined.columns == {"lang": ("", "", "cs")}
    assert joined.sources == first.sources + second.sources
    chosen = joined.select(np.array([2, 1]))
    assert (chosen.references, chosen.better, chosen.worse) == (("s", "q"), ("e", "c"), ("f", "d"))
    assert (chosen.votes.tolist(), chosen.columns) == ([1.0, 3.0], {"lang": ("cs", "")})


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        (" \t\u3000\n", b""),
        ("  two\u00a0 words\r", b"two words"),
        ("caf\u00e9", b"caf\xc3\xa9"),
        ("\u212b", b"\xc3\x85"),  # the Angstrom sign is a letter in NFC
    ],
)
def test_the_normal_form(text: str, normal: bytes) -> None:
    assert digest(text) == hashlib.sha256(normal).hexdigest()[:10]
    assert overlap([f" {text}\t", "other"], digests([text, "third"])) == 1
