"""WER, PER, ROUGE, GTM by hand; chrF against sacrebleu; lines that are too long for any metric."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

import pfsm
from pfsm.errors import PfsmError
from pfsm.metrics import get_metric
from pfsm.metrics.sacre import f_scores, ngram_counts
from pfsm.metrics.words import WORD_METRICS
from pfsm_kernels.strings.ngrams import character_ngrams, word_ngrams

# "a b c d" against itself, without "b", as "c d a b", and with nothing in common.
FOUR = ["a b c d", "a c d", "c d a b", "x y z w"]


def scores(name: str, hypotheses: list[str], reference: str = "a b c d") -> list[float]:
    values: list[float] = get_metric(name).score_pairs(hypotheses, [reference] * len(hypotheses)).tolist()
    return values


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("wer", [0.0, -25.0, -100.0, -100.0]),
        ("per", [0.0, -25.0, 0.0, -100.0]),
        ("rouge-l", [1.0, 6 / 7, 0.5, 0.0]),
        # Of the three words one stands alone; of two words that swap places, two stand together.
        ("rouge-w", [1.0, 2 * (1 + 2**1.2) ** (1 / 1.2) / 7, 0.5, 0.0]),
        # Skip-bigrams: 6 of 6; 3 of 3 and 6; ab and cd of 6 and 6.
        ("rouge-s", [1.0, 6 / 9, 4 / 12, 0.0]),
        ("gtm-1", [1.0, 6 / 7, 1.0, 0.0]),
        # One run of four, runs of one and two, two runs of two.
        ("gtm-2", [1.0, 2 * 5**0.5 / 7, 2 * 8**0.5 / 8, 0.0]),
    ],
)
def test_by_hand(name: str, wanted: list[float]) -> None:
    assert scores(name, FOUR) == pytest.approx(wanted)


def test_error_rates_of_empty_references() -> None:
    for name in ("wer", "per"):
        assert scores(name, ["", "a", "a b"], "") == [0.0, -100.0, -100.0]
        assert scores(name, [""]) == [-100.0]
        assert scores(name, ["a b c d e f"]) == [-50.0]


def test_words_are_compared_in_lower_case_unless_told_otherwise() -> None:
    for name in WORD_METRICS:
        (low,) = get_metric(name).score_pairs(["The Cat sat"], ["the cat sat"])
        (high,) = get_metric(name, lowercase=False).score_pairs(["The Cat sat"], ["the cat sat"])
        (best,) = get_metric(name).score_pairs(["the cat sat"], ["the cat sat"])
        assert high < low == best
    penn = get_metric("wer", tokeniser="penn")
    assert penn.score_pairs(["don't"], ["do not"])[0] == -50.0
    assert "tok:penn" in penn.signature


@pytest.mark.parametrize("name", ["wer", "ter", "meteor-base", "en-small"])
def test_a_line_of_200_000_words_is_refused(name: str) -> None:
    line = "a b " * 100_000
    metric = pfsm.load(name) if name == "en-small" else get_metric(name)
    for hypotheses, references in ([line], ["a"]), (["a"], [line]):
        with pytest.raises(PfsmError, match=r"a line has about 200,001 words, it may have \d+,000"):
            metric.score_segments(hypotheses, [references])


@pytest.mark.parametrize("name", ["terp-base", "meteor-base"])
def test_words_repeated_until_their_matches_fill_the_memory(name: str) -> None:
    with pytest.raises(PfsmError, match=r"repeated so often that two lines have more than .* matches; break"):
        get_metric(name).score_segments(["big " * 6_000], [["large " * 6_000]])
    assert get_metric(name).score_segments(["big " * 60], [["large " * 60]]) == pytest.approx(
        get_metric(name).score_segments(["big"], [["large"]])
    )


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
