"""Tables of paraphrases, and files in METEOR's format: every pair is found, and no other."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.errors import PfsmError
from pfsm.lexicons.container import lexicon_bytes
from pfsm.lexicons.paraphrase_formats import pruned, read_paraphrases
from pfsm.lexicons.paraphrases import ParaphraseTable, Phrase, compile_paraphrases
from tests.lexicons.lexicon_cases import paraphrases

WORDS = ["a", "b", "c", "é"]
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(tuple)
tables = st.dictionaries(st.tuples(phrases, phrases), st.floats(1e-9, 1.0), max_size=30)


def walk(table: ParaphraseTable) -> Iterator[tuple[Phrase, int]]:
    """Every phrase of the trie with its node, by following the children down from the words."""
    n_words = table.child_offsets.size - 1 - table.child_words.size
    words = [
        word for place, word in sorted(zip(table.words(WORDS).tolist(), WORDS, strict=True)) if place >= 0
    ]
    stack: list[tuple[Phrase, int]] = [((word,), number) for number, word in enumerate(words)]
    while stack:
        phrase, node = stack.pop()
        yield phrase, node
        children = range(table.child_offsets[node], table.child_offsets[node + 1])
        assert sorted(table.child_words[child] for child in children) == [
            table.child_words[child] for child in children
        ]
        stack += [((*phrase, words[table.child_words[child]]), n_words + child) for child in children]


@settings(deadline=None)
@given(tables)
def test_the_arrays_hold_the_table(given: dict[tuple[Phrase, Phrase], float]) -> None:
    table = ParaphraseTable(compile_paraphrases("t", given, "free", []))
    phrase_of = {node: phrase for phrase, node in walk(table)}
    assert sorted(phrase_of) == list(range(table.target_offsets.size - 1))
    assert len(set(phrase_of.values())) == len(phrase_of)
    found: dict[tuple[Phrase, Phrase], np.float32] = {}
    for node, phrase in phrase_of.items():
        places = range(table.target_offsets[node], table.target_offsets[node + 1])
        assert sorted(table.targets[place] for place in places) == [table.targets[place] for place in places]
        assert table.is_source[node] == (len(places) > 0)
        found |= {
            (phrase, phrase_of[int(table.targets[place])]): table.probabilities[place] for place in places
        }
    assert set(found) == set(given)
    for pair, value in found.items():
        assert value == np.float32(given[pair])
    assert {phrase_of[node] for node in np.flatnonzero(table.is_target).tolist()} == {
        other for _, other in given
    }


def test_the_order_does_not_matter() -> None:
    one = paraphrases({("a", "b"): 0.5, ("b c", "a"): 0.1})
    other = paraphrases({("b c", "a"): 0.1, ("a", "b"): 0.5})
    assert lexicon_bytes(one) == lexicon_bytes(other)
    assert dict(one.counts) == {"pairs": 2, "phrases": 3, "words": 3}
    assert one.details["longest"] == 2


ENTRIES = [("of course", "naturally", 0.25), ("kids", "children", 1.0)]
METEOR = "0.25\nof course\nnaturally\n1.0\nkids\nchildren\n"


def written(folder: Path, content: str, name: str = "table") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    return path


@pytest.mark.parametrize("name", ["table", "table.gz"])
def test_entries(tmp_path: Path, name: str) -> None:
    for content in (METEOR, METEOR.replace("\n", "\r\n")):
        assert list(read_paraphrases(written(tmp_path, content, name))) == ENTRIES


@pytest.mark.parametrize("value", ["high", "nan", "-1"])
def test_lines_that_are_not_such(tmp_path: Path, value: str) -> None:
    with pytest.raises(PfsmError, match=f"table:7: probability is '{value}'"):
        list(read_paraphrases(written(tmp_path, f"{METEOR}{value}\na\nb\n")))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    whole = gzip.compress(METEOR.encode() * 1000)
    (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "latin").write_bytes(b"0.5\nna\xefve\nnaive\n")
    for name, message in (
        ("cut.gz", "the gzip data is damaged"),
        ("latin", "not UTF-8"),
        ("none", "cannot be read"),
    ):
        with pytest.raises(PfsmError, match=message):
            list(read_paraphrases(tmp_path / name))


@pytest.mark.parametrize(
    ("entry", "kept"),
    [
        (("Of Course", "naturally", 0.5), {(("of", "course"), ("naturally",)): 0.5}),
        (("a b c", "d", 0.5), {}),
        ((" a  b ", "d", 0.5), {(("a", "b"), ("d",)): 0.5}),
        (("same", "Same", 0.5), {}),
        (("a ,", "b", 0.5), {}),
        (("a", "b", 0.0099), {}),
        (("a", "b", 0.01), {(("a",), ("b",)): 0.01}),
        (("a", "b", 227.9), {(("a",), ("b",)): 1.0}),
        (("7", "seven", 0.5), {(("7",), ("seven",)): 0.5}),
    ],
)
def test_which_entries_are_kept(entry: tuple[str, str, float], kept: dict[object, float]) -> None:
    assert pruned([entry]) == (kept, 1)
