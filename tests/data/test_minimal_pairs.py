"""Minimal pairs: the shipped ones keep their rules, users' files are read, broken ones are refused."""

import re
from collections import Counter
from pathlib import Path

import pytest

from pfsm.data.minimal_pairs import KINDS, SHIPPED, MinimalPairs, read_minimal_pairs, shipped_minimal_pairs
from pfsm.errors import PfsmError


@pytest.fixture(scope="module")
def pairs() -> MinimalPairs:
    return shipped_minimal_pairs()


def test_every_kind_has_forty_pairs_of_three_different_sentences(pairs: MinimalPairs) -> None:
    assert SHIPPED == ("en",)
    counts = Counter(pairs.kinds)
    assert set(counts) == set(KINDS)
    assert min(counts.values()) >= 40
    assert len(set(pairs.references)) == len(pairs)
    for row in zip(pairs.references, pairs.better, pairs.worse, strict=True):
        assert len(set(row)) == 3
        assert all(re.fullmatch(r"\S+( \S+)*\.", sentence) and sentence[0].isupper() for sentence in row), row


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text('note\tworse\tkind\tbetter\treference\nx\tw "q"\tgender\tb\tr\n', encoding="utf-8")
    pairs = read_minimal_pairs(path)
    row = (*pairs.kinds, *pairs.references, *pairs.better, *pairs.worse)
    assert row == ("gender", "r", "b", 'w "q"')


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("reference\tbetter\tworse\na\tb\tc\n", "kind"),
        ("kind\treference\tbetter\tworse\n", "no rows|no data|empty"),
        (
            "kind\treference\tbetter\tworse\nx\ta\tb\tc\n \ta\tb\tc\n",
            "p.tsv:3: kind is empty, a name is needed",
        ),
    ],
)
def test_what_is_refused(content: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "p.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(PfsmError, match=expected):
        read_minimal_pairs(path)
