"""Parts of metrics against the metrics they add up to, hand-worked cases, and TER's edits against sacrebleu's."""

import math
import random
from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray
from sacrebleu.metrics.lib_ter import translation_edit_rate

from pfsm.features.values import feature_values
from pfsm.metrics.sacre import BLEU_PARTS, count_edits
from pfsm.metrics.words import MORE_NIST_PARTS
from tests.judgment_cases import rows

PAIRS = [(hypothesis, reference) for reference, hypothesis, _ in rows(80, seed=3)]
ODD = [("", ""), ("a", ""), ("", "a b"), ("a b", "b a"), ("a", "a"), ("a b c d e", "b c d e a"), ("x", "y z")]
HYPOTHESES, REFERENCES = (list(side) for side in zip(*PAIRS, *ODD, strict=True))


def values(*names: str) -> NDArray[np.float64]:
    return feature_values(names, HYPOTHESES, REFERENCES).T


def test_the_edits_of_ter_add_up_to_ter() -> None:
    ter, *rates = values("ter", "ter.insertions", "ter.deletions", "ter.substitutions", "ter.shifts")
    np.testing.assert_allclose(-100.0 * np.sum(rates, axis=0), ter, atol=1e-9)


def made_up_pairs() -> list[tuple[list[str], list[str]]]:
    """Lists of few and of many different words, some turned round, some of unequal length or longer than the beam."""
    draw = random.Random(4)
    pairs = []
    for size in [*range(24)] * 3 + [70]:
        words = [str(draw.randrange(draw.choice([2, 4, 60]))) for _ in range(size)]
        other = [str(draw.randrange(4)) for _ in range(draw.randrange(40))]
        cut = draw.randrange(size + 1)
        pairs += [(words, other), (other, words), (words[cut:] + words[:cut], words)]
    return pairs


def test_edits_are_those_of_sacrebleu() -> None:
    hypotheses, references = zip(*made_up_pairs(), strict=True)
    expected = [translation_edit_rate(*pair)[0] for pair in zip(hypotheses, references, strict=True)]
    assert count_edits(hypotheses, references).sum(axis=1).tolist() == expected


def raw_precision(hypothesis: str, reference: str, order: int) -> float:
    ours, theirs = (
        Counter(tuple(words[k : k + order]) for k in range(len(words) - order + 1))
        for words in (hypothesis.split(), reference.split())
    )
    return 100.0 * (ours & theirs).total() / ours.total() if ours else 0.0


def test_bleu_is_made_of_its_parts() -> None:
    table = dict(zip(BLEU_PARTS, values(*BLEU_PARTS), strict=True))
    (bleu,) = values("bleu")
    np.testing.assert_allclose(table["bleu.upto_4"], bleu, atol=1e-9)
    np.testing.assert_allclose(table["bleu.mean"] * table["bleu.bp"], bleu, atol=1e-9)
    np.testing.assert_allclose(table["bleu.upto_1"], table["bleu.bp"] * table["bleu.1"], atol=1e-9)


def test_unsmoothed_bleu_by_its_definition() -> None:
    for order in range(1, 5):
        precisions, found, penalties = values(f"bleu.raw_{order}", f"bleu.raw_upto_{order}", "bleu.bp")
        for place, (h, r) in enumerate(zip(HYPOTHESES, REFERENCES, strict=True)):
            assert precisions[place] == pytest.approx(raw_precision(h, r, order))
            lower = [raw_precision(h, r, n) for n in range(1, max(1, min(order, len(h.split()))) + 1)]
            wanted = penalties[place] * math.prod(lower) ** (1.0 / len(lower))
            assert found[place] == pytest.approx(wanted)


def test_nist_is_made_of_its_parts() -> None:
    table = dict(zip(MORE_NIST_PARTS, values(*MORE_NIST_PARTS), strict=True))
    (nist,) = values("nist")
    np.testing.assert_allclose(table["nist.upto_5"], nist, rtol=1e-12)
    np.testing.assert_allclose(table["nist.information"] * table["nist.penalty"], nist, rtol=1e-12)
    np.testing.assert_allclose(table["nist.upto_1"], table["nist.1"] * table["nist.penalty"], rtol=1e-12)


def test_lengths() -> None:
    names = ("length", "length_difference", "reference_words", "hypothesis_words")
    found = feature_values(names, ["ab c", ""], ["abc de f", ""])
    assert found.tolist() == [[math.log(9), pytest.approx(math.log(5 / 9)), 3.0, 2.0], [0.0, 0.0, 0.0, 0.0]]
