import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem import PorterStemmer
from nltk.tokenize import TreebankWordTokenizer

from pfsm.text import EncodedLines, Vocabulary

nltk_tokens = TreebankWordTokenizer().tokenize
nltk_stem = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM).stem

LINES = [
    "The cats aren't here.",
    "",
    "the CAT's  Cat",
    '"Here," she said...',
    "  ",
    "42 % 3.5 ¿?",
    "the cats",
]


def decoded(vocabulary: Vocabulary, lines: EncodedLines) -> list[list[str]]:
    return [
        [vocabulary.types[token] for token in lines.ids[start:end]]
        for start, end in zip(lines.offsets, lines.offsets[1:], strict=False)
    ]


def same(ids: np.ndarray, keys: list[str]) -> None:
    """Equal ids exactly where keys are equal."""
    assert len(ids) == len(keys)
    pairs = set(zip(ids.tolist(), keys, strict=True))
    assert len(pairs) == len(set(keys)) == len(set(ids.tolist()))


def test_lines_keep_their_text_and_can_be_cut() -> None:
    vocabulary = Vocabulary()
    encoded = vocabulary.encode([*LINES, *LINES])
    assert list(encoded.lines) == [*LINES, *LINES]
    assert decoded(vocabulary, encoded) == [nltk_tokens(line) for line in [*LINES, *LINES]]
    for first, stop in ((0, 14), (2, 9), (5, 5), (14, 14)):
        part = encoded.part(first, stop)
        assert list(part.lines) == [*LINES, *LINES][first:stop]
        assert decoded(vocabulary, part) == [nltk_tokens(line) for line in part.lines]
        assert vocabulary.forms(part) == [token for line in part.lines for token in nltk_tokens(line)]
    chosen = encoded.select(np.array([6, 0, 6]))
    assert list(chosen.lines) == [LINES[6], LINES[0], LINES[6]]
    assert decoded(vocabulary, chosen) == [nltk_tokens(line) for line in chosen.lines]
    bare = EncodedLines.without_tokens(LINES)
    assert (len(bare), list(bare.lines), bare.ids.size) == (len(LINES), LINES, 0)
    assert list(bare.part(1, 3).lines) == LINES[1:3]


@pytest.mark.parametrize("lowercase", [True, False])
def test_word_and_stem_ids(lowercase: bool) -> None:
    vocabulary = Vocabulary(lowercase=lowercase)
    vocabulary.encode(LINES)
    types = vocabulary.types
    assert {"The", "the", "cats", "CAT", "Cat"} <= set(types)
    same(vocabulary.word_ids, [token.lower() if lowercase else token for token in types])
    same(vocabulary.stem_ids, [nltk_stem(token.lower()) for token in types])
    assert vocabulary.word_ids.dtype == vocabulary.stem_ids.dtype == np.int32


def test_types_that_come_later() -> None:
    """Arrays taken early stay as they were and are the beginning of the later ones, whatever the batches."""
    whole, parts = Vocabulary(), Vocabulary()
    whole.encode(LINES)
    taken = []
    for line in LINES:
        parts.encode([line])
        taken.append((parts.word_ids, parts.word_ids.tolist(), parts.stem_ids, parts.stem_ids.tolist()))
    assert parts.types == whole.types
    for words, words_then, stems, stems_then in taken:
        assert words.tolist() == words_then == whole.word_ids.tolist()[: words.size]
        assert stems.tolist() == stems_then == whole.stem_ids.tolist()[: stems.size]
    assert parts.is_punctuation.tolist() == whole.is_punctuation.tolist()


@settings(max_examples=200)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=30), max_size=5), st.booleans()
)
def test_any_text_encodes(lines: list[str], plain: bool) -> None:
    vocabulary = Vocabulary("plain" if plain else "penn", "english")
    encoded = vocabulary.encode(lines)
    assert encoded.offsets[-1] == encoded.ids.size
    assert decoded(vocabulary, encoded) == [vocabulary.tokens(line) for line in lines]
    same(vocabulary.word_ids, [token.lower() for token in vocabulary.types])
