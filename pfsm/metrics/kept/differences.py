"""Counts of what differs between a translation and its reference: repeated words, case, numbers, negation."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.metric_group import MetricGroup, columns
from pfsm.text.classes import normal_form, shipped_lists
from pfsm.text.numbers import Number, digit_numbers, english_numbers
from pfsm.text.plain import tokenise

Float = NDArray[np.float64]
KEPT = ("kept.repeats", "kept.case", "kept.numbers", "kept.numbers-en", "kept.negation-en")


def differences(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """Counts, negated, so that more is better: float64 [n_pairs, 5], in the order of `KEPT`.

    1. Words that follow themselves, beyond those of the reference.
    2. Words that stand on both sides, but with other capitals.
    3. Numbers in digits whose value stands on one side only.
    4. The same of numbers in digits or English words.
    5. Difference of the numbers of English words that negate.
    """
    tokenised = {line: tokenise(line) for line in {*hypotheses, *references}}
    compared = [
        _compared(tokenised[ours], tokenised[theirs])
        for ours, theirs in zip(hypotheses, references, strict=True)
    ]
    return -np.array(compared, dtype=np.float64).reshape(-1, len(KEPT))


def _compared(hypothesis: Sequence[str], reference: Sequence[str]) -> tuple[int, ...]:
    return (
        max(0, _repeats(hypothesis) - _repeats(reference)),
        _other_case(hypothesis, reference),
        _unshared(digit_numbers, hypothesis, reference),
        _unshared(english_numbers, hypothesis, reference),
        abs(_negations(hypothesis) - _negations(reference)),
    )


def _repeats(tokens: Sequence[str]) -> int:
    words = [token.lower() for token in tokens]
    pairs = itertools.pairwise(words)
    return sum(left == right and any(map(str.isalpha, left)) for left, right in pairs)


def _other_case(hypothesis: Sequence[str], reference: Sequence[str]) -> int:
    small = _shared((one.lower() for one in hypothesis), (one.lower() for one in reference))
    return small - _shared(hypothesis, reference)


def _shared(ours: Iterable[str], theirs: Iterable[str]) -> int:
    return (Counter(ours) & Counter(theirs)).total()


def _unshared(
    numbers: Callable[[Sequence[str]], list[Number]], hypothesis: Sequence[str], reference: Sequence[str]
) -> int:
    ours, theirs = (Counter(one.value for one in numbers(side)) for side in (hypothesis, reference))
    return (ours - theirs).total() + (theirs - ours).total()


def _negations(tokens: Sequence[str]) -> int:
    listed = _negating()
    return sum(normal_form(token) in listed for token in tokens)


@cache
def _negating() -> frozenset[str]:
    return frozenset(shipped_lists("en")["negation"])


GROUP = MetricGroup(
    parts={"kept": KEPT},
    values=columns(KEPT, differences),
    label=str,
    about={"kept": "repeated words, other case, numbers and negations that differ, counted"},
)
