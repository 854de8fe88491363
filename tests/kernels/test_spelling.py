"""Similar words against RapidFuzz's Levenshtein distance, pair of words by pair of words."""

from fractions import Fraction

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from pfsm_kernels.strings.spelling import LONGEST, similar_words

Sentences = list[list[str]]
# Few letters, so that words are alike; one beyond 16 bits, one that differs from another in its highest bit alone.
LETTERS = "abcdé\U0001f600\U0001f601ж"
words = st.text(LETTERS, min_size=1, max_size=9) | st.text("ab", min_size=60, max_size=LONGEST)
sentences = st.lists(words | st.just(""), max_size=6)
pairs_of_sentences = st.lists(st.tuples(sentences, sentences), max_size=4)
minimums = st.integers(1, 12).map(lambda part: part / 12) | st.sampled_from([0.3, 0.5, 0.6, 0.7, 0.8, 1.0])

Found = dict[tuple[int, ...], float]


def run(pairs: list[tuple[list[str], list[str]]], minimum: float) -> tuple[Found, list[list[int]]]:
    """What the kernel finds, by place, and its rows in their order; an empty word can match nothing."""
    vocabulary = sorted({word for pair in pairs for side in pair for word in side if word})
    spelled = np.array([ord(character) for word in vocabulary for character in word], dtype=np.int32)
    starts = np.cumsum([0, *map(len, vocabulary)], dtype=np.int64)
    arrays = []
    for side in (0, 1):
        tokens = [vocabulary.index(word) if word else -1 for pair in pairs for word in pair[side]]
        offsets = np.cumsum([0, *(len(pair[side]) for pair in pairs)], dtype=np.int64)
        arrays.append((np.array(tokens, dtype=np.int32), offsets))
    blocks, values = similar_words(*arrays[0], *arrays[1], spelled, starts, minimum)
    assert blocks.dtype == np.dtype(np.int32)
    assert values.dtype == np.dtype(np.float64)
    rows = blocks.tolist()
    found = dict(zip(map(tuple, rows), values.tolist(), strict=True))
    assert len(found) == len(rows)
    return found, rows


@settings(deadline=None)
@given(pairs_of_sentences, minimums)
@example([(["a" * 64], ["a" * 63 + "b", "b" * 64, "a" * 32, "a" * 31])], 0.5)
@example([([""], [""]), (["ab", "", "ba"], ["", "ab"])], 0.1)
def test_the_words_that_rapidfuzz_finds_similar(
    pairs: list[tuple[list[str], list[str]]], minimum: float
) -> None:
    expected = {}
    for number, (left, right) in enumerate(pairs):
        for i, one in enumerate(left):
            for j, other in enumerate(right):
                if not (one and other):
                    continue
                length = max(len(one), len(other))
                similarity = Fraction(length - Levenshtein.distance(one, other), length)
                # As the kernel rounds it: 0.6 is reached by 3 of 5.
                if float(similarity) >= minimum:
                    expected[number, i, 1, j, 1] = float(similarity)
    found, rows = run(pairs, minimum)
    assert found == expected
    assert rows == sorted(rows)
