"""Tables of paraphrases, and METEOR's, TERp's and PPDB's files: every pair is found, and no other."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.errors import PfsmError
from pfsm.lexicons.compiling import compile_paraphrases
from pfsm.lexicons.container import lexicon_bytes
from pfsm.lexicons.paraphrase_formats import format_of, pruned, read_paraphrases
from pfsm.lexicons.paraphrases import ParaphraseTable, Phrase
from tests.core.lexicons.lexicon_cases import paraphrases

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
TERP = "0.25 <p>of course</p> <p>naturally</p>\n1 <p>kids</p><p>children</p>\n"
LOG = "1.3862943611198906"
PPDB_2 = (
    f"[RB] ||| of course ||| naturally ||| PPDB2.0Score=4.1 -logp(e1|e2)=9 -logp(e2|e1)={LOG} A=1 "
    "||| 0-0 ||| Equivalence\n"
    "[NNS] ||| kids ||| children ||| -logp(e2|e1)=0 ||| 0-0 ||| Equivalence\n"
)
PPDB_1 = (
    f"[RB] ||| of course ||| naturally ||| Abstract=0 p(e|f)={LOG} p(f|e)=9 ||| 0-0\n"
    "[NNS] ||| kids ||| children ||| p(e|f)=0 p(f|e)=9 ||| 0-0\n"
)


def written(folder: Path, content: str, name: str = "table") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "layout", "name"),
    [
        (METEOR, "meteor", "table"),
        (TERP, "terp", "table.gz"),
        (PPDB_2, "ppdb", "table"),
        (PPDB_1, "ppdb", "table.gz"),
    ],
)
def test_all_formats_give_the_same_entries(tmp_path: Path, content: str, layout: str, name: str) -> None:
    path = written(tmp_path, content, name)
    assert format_of(path) == layout
    for (one, other, value), expected in zip(read_paraphrases(path, layout), ENTRIES, strict=True):
        assert (one, other) == expected[:2]
        assert value == pytest.approx(expected[2], rel=1e-15)
    crlf = written(tmp_path, content.replace("\n", "\r\n"), name)
    assert [entry[:2] for entry in read_paraphrases(crlf, layout)] == [entry[:2] for entry in ENTRIES]


@pytest.mark.parametrize(
    ("content", "layout", "message"),
    [
        (METEOR + "high\na\nb\n", "meteor", "table:7: probability is 'high'"),
        ("nan\na\nb\n", "meteor", "table:1: probability is 'nan'"),
        (
            TERP + "0.5 a b\n",
            "terp",
            "table:3: not a line `PROBABILITY <p>phrase</p> <p>paraphrase</p>`: '0.5 a b'",
        ),
        (PPDB_2 + "[X] ||| a ||| b\n", "ppdb", r"table:3: not a line `LHS \|\|\| phrase"),
        (
            "[X] ||| a ||| b ||| A=1 ||| 0-0\n",
            "ppdb",
            r"table:1: no number under -logp\(e2\|e1\) or p\(e\|f\)",
        ),
    ],
)
def test_lines_that_are_not_such(tmp_path: Path, content: str, layout: str, message: str) -> None:
    with pytest.raises(PfsmError, match=message):
        list(read_paraphrases(written(tmp_path, content), layout))


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
            list(read_paraphrases(tmp_path / name, "meteor"))


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
