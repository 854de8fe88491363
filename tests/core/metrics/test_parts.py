"""Parts of metrics against the metrics they add up to, sacrebleu and plain counts; what translations keep."""

import itertools
import math
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from sacrebleu.metrics.lib_ter import translation_edit_rate

from pfsm.facts.quantities import english_numbers
from pfsm.features.values import feature_values
from pfsm.metrics.bleu import BLEU_PARTS
from pfsm.metrics.edit_rates import count_edits
from pfsm.metrics.preservation import KEPT, differences
from pfsm.metrics.words import MORE_NIST_PARTS
from pfsm.text.classes import normal_form, shipped_lists
from pfsm.text.numbers import digit_numbers
from pfsm.text.plain import tokenise
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
    for size in [*range(24), 70]:
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


def counted(hypothesis: str, reference: str) -> dict[str, float]:
    return {name: -float(differences(name, [hypothesis], [reference])[name][0]) for name in KEPT}


@pytest.mark.parametrize(
    ("hypothesis", "reference", "counts"),
    [
        ("We we saw it", "We saw it", {"repeats": 1}),
        ("and/or or", "and/or", {"repeats": 1}),
        ("It was long long ago", "It was long long ago", {}),
        ("we saw Anna", "We saw Anna", {"case": 1, "start": 1}),
        ("1,500 people", "1500 people", {}),
        ("1,500 people", "1600 people", {"numbers": 2, "numbers-en": 2, "facts-en": 1, "said-en": 1}),
        ("two miles", "2 km", {"numbers": 1, "facts-en": 1, "said-en": 1}),
        ("at noon in May", "at midnight in June", {"facts-en": 2, "said-en": 2}),
        ("It is late", "It isn’t late", {"negation-en": 1}),
        ("So , yes .", "So, yes.", {"spaces": math.log(3)}),
        ("We ca n't ( yet ) , it 's so", "We can't (yet), it's so", {"spaces": math.log(6)}),
        ("She left,he (too)came.Then:go", "She left, he (too) came. Then: go", {"spaces": math.log(5)}),
        (
            "&quot;The AT&amp;T men&quot; came;we went",
            "&quot; The AT&amp; T men&quot; came; we went",
            {"spaces": math.log(2)},
        ),
        ("at half.com in the U.S.A.", "at half. com in the U. S. A.", {}),
        ("“ja, so” it is", "“Ja, so” it is", {"case": 1, "start": 1}),
        ("夜は静か", "Nacht", {}),
    ],
)
def test_counts(hypothesis: str, reference: str, counts: dict[str, float]) -> None:
    expected = dict.fromkeys(KEPT, 0.0) | {f"kept.{name}": float(value) for name, value in counts.items()}
    assert counted(hypothesis, reference) == pytest.approx(expected)


def repeats(tokens: list[str]) -> int:
    words = [token.lower() for token in tokens]
    return sum(one == two and any(map(str.isalpha, one)) for one, two in itertools.pairwise(words))


def plainly(hypothesis: str, reference: str) -> list[float]:
    """The counts from whole lists of tokens."""
    ours, theirs = tokenise(hypothesis), tokenise(reference)
    negating = set(shipped_lists("en")["negation"])

    def unshared(left: Counter[Fraction], right: Counter[Fraction]) -> int:
        return ((left - right) + (right - left)).total()

    lower = [Counter(token.lower() for token in side) for side in (ours, theirs)]
    return [
        max(0, repeats(ours) - repeats(theirs)),
        (lower[0] & lower[1]).total() - (Counter(ours) & Counter(theirs)).total(),
        *(
            unshared(*(Counter(one.value for one in numbers(side)) for side in (ours, theirs)))
            for numbers in (digit_numbers, english_numbers)
        ),
        abs(
            sum(normal_form(token) in negating for token in ours)
            - sum(normal_form(token) in negating for token in theirs)
        ),
    ]


WORDS = [
    "the", "The", "river,", "river", "not", "don’t", "twenty", "five", "5", "1,000", "million", "one",
    "x-x",
]  # fmt: skip
BLANK = ["", "\0", "a\0b", "\u200b", "\t", "夜夜", "--", "and/or", "or", "\u3000"]


def test_many_lines_at_once_are_counted_as_their_tokens_are() -> None:
    draw = random.Random(1)
    sides = [
        [" ".join(draw.choice(WORDS + BLANK) for _ in range(draw.randint(0, 9))) for _ in range(400)]
        for _ in range(2)
    ]
    found = np.column_stack([differences(name, *sides)[name] for name in list(KEPT)[:5]])
    assert (-found).tolist() == [plainly(*pair) for pair in zip(*sides, strict=True)]
    assert (found < 0.0).any(axis=0).all()


def test_what_is_said_in_another_spelling() -> None:
    same = {
        "costs 16 990 euros": "costs 16,990 euros",
        "at 7: 30 p.m. on Friday evening": "at 7.30pm on Friday night",
        "228,89 points, to 16 599,85": "228.89 points, to 16,599.85",
        "720.000 people of 150 000-200 000": "720,000 people of 150,000 to 200,000",
        "£46.6m and 1.5 bln roubles at 20 ° C": "£46.6 million and 1.5 billion roubles at 20 °C",
    }
    other = {
        "costs 16 980 euros": "costs 16,990 euros",
        "at 7: 20 p.m.": "at 7.30pm",
    }
    for ours, theirs in same.items():
        assert counted(ours, theirs)["kept.said-en"] == 0.0 < counted(ours, theirs)["kept.facts-en"], ours
    for ours, theirs in other.items():
        assert counted(ours, theirs)["kept.said-en"] >= 1.0, ours
