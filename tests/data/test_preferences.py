"""Preferences: read with their votes, chosen, joined."""

import os
from pathlib import Path

import numpy as np
import pytest

from pfsm.data import Preferences, is_preferences, preferences_from_table, read_preferences, read_table
from pfsm.errors import PfsmError

REAL = os.environ.get("PFSM_DATA")
needs_data = pytest.mark.skipif(REAL is None, reason="PFSM_DATA is not set")


def write(folder: Path, content: str, name: str = "x.tsv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8", newline="")
    return path


def test_reading(tmp_path: Path) -> None:
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
def test_what_is_refused(content: str, expected: str, tmp_path: Path) -> None:
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
