"""WER, PER, ROUGE, GTM: cases worked by hand."""

import pytest

from pfsm.metrics import get_metric
from pfsm.metrics.words import WORD_METRICS

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
