"""Our chrF against sacrebleu's: the very same numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from pfsm.metrics import get_metric
from pfsm.metrics.sacre import f_scores, ngram_counts
from pfsm_kernels.strings.ngrams import character_ngrams, word_ngrams

any_line = st.one_of(
    st.text(max_size=40),
    st.lists(
        st.sampled_from(["the", "cat,", "(hi)", "a", ".", "..", "Cat", "ß", "\u2028", "猫"]), max_size=12
    ).map(" ".join),
)
pairs = st.lists(st.tuples(any_line, any_line), min_size=1, max_size=4)


@settings(deadline=None)
@given(pairs, st.booleans(), st.booleans())
def test_the_same_as_sacrebleu(lines: list[tuple[str, str]], words: bool, lowercase: bool) -> None:
    theirs = CHRF(word_order=2 if words else 0, lowercase=lowercase)
    expected = [theirs.sentence_score(hypothesis, [reference]).score for hypothesis, reference in lines]
    hypotheses, references = zip(*lines, strict=True)
    ours = f_scores(ngram_counts(hypotheses, references, words=words, lowercase=lowercase))
    np.testing.assert_array_equal(ours, expected)
    metric = get_metric("chrf++" if words else "chrf", lowercase=lowercase)
    np.testing.assert_array_equal(metric.score_pairs(hypotheses, references), expected)


def test_more_characters_than_fit_in_a_number() -> None:
    many = "".join(chr(0x4E00 + k) for k in range(1500))
    expected = CHRF().sentence_score(many, [many[::-1] + many[:700]]).score
    counts = ngram_counts([many], [many[::-1] + many[:700]], words=False, lowercase=False)
    assert f_scores(counts) == [expected]


@pytest.mark.parametrize("bits", [1, 3])
@settings(deadline=None)
@given(st.data())
def test_both_ways_of_counting_agree(bits: int, data: st.DataObject) -> None:
    lists = st.lists(st.integers(97, 101), max_size=9)
    left, right = (np.array(data.draw(lists), dtype=np.int32) for _ in range(2))
    sides = left, np.array([0, left.size]), right, np.array([0, right.size])
    one, other = character_ngrams(*sides, bits=bits), character_ngrams(*sides)
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(word_ngrams(*sides), other[:, :2])
