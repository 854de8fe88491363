"""Counts of what differs between a translation and its reference: repeated words, case, numbers, negation, form."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.kept.lines import counts_of
from pfsm.metrics.metric_group import MetricGroup
from pfsm.text.numbers import Number, digit_numbers, english_numbers
from pfsm.text.plain import tokenise

Float = NDArray[np.float64]
# Those of lines taken by themselves cost little together; the others are computed where they are asked for.
OF_LINES = ("kept.repeats", "kept.negation-en", "kept.spaces", "kept.start")
CASE, NUMBERS, NUMBERS_EN = "kept.case", "kept.numbers", "kept.numbers-en"
KEPT = ("kept.repeats", CASE, NUMBERS, NUMBERS_EN, "kept.negation-en", "kept.spaces", "kept.start")


def differences(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    """Counts, negated, so that more is better, float64 [n_pairs]: of a feature, and of those that cost no more.

    - ``kept.repeats``: words that follow themselves, beyond those of the reference.
    - ``kept.case``: words that stand on both sides, but with other capitals.
    - ``kept.numbers``: numbers in digits whose value stands on one side only.
    - ``kept.numbers-en``: the same of numbers in digits or English words.
    - ``kept.negation-en``: difference of the numbers of English words that negate.
    - ``kept.spaces``: ln(1 + difference of the numbers of marks that stand apart, as tokenisers leave them).
    - ``kept.start``: 1 where the first letter is a capital on one side and a small one on the other.
    """
    if name == CASE:
        return {name: _of_pairs(_other_case, hypotheses, references)}
    place = {line: at for at, line in enumerate(dict.fromkeys([*hypotheses, *references]))}
    lines = counts_of(list(place))
    ours, theirs = (
        np.fromiter(map(place.__getitem__, side), np.int64, len(side)) for side in (hypotheses, references)
    )
    if name in {NUMBERS, NUMBERS_EN}:
        numbers = digit_numbers if name == NUMBERS else english_numbers
        rows = np.flatnonzero((lines.numbers[ours] + lines.numbers[theirs] > 0) & (ours != theirs)).tolist()
        values = np.zeros(len(hypotheses))
        values[rows] = [-_unshared(numbers, hypotheses[row], references[row]) for row in rows]
        return {name: values}
    counts = (
        np.maximum(0, lines.repeats[ours] - lines.repeats[theirs]),
        np.abs(lines.negations[ours] - lines.negations[theirs]),
        np.log1p(np.abs(lines.apart[ours] - lines.apart[theirs])),
        lines.start[ours] * lines.start[theirs] < 0,
    )
    return {part: -one.astype(np.float64) for part, one in zip(OF_LINES, counts, strict=True)}


def _of_pairs(
    count: Callable[[str, str], int], hypotheses: Sequence[str], references: Sequence[str]
) -> Float:
    counts = [count(ours, theirs) for ours, theirs in zip(hypotheses, references, strict=True)]
    return -np.array(counts, dtype=np.float64)


def _other_case(hypothesis: str, reference: str) -> int:
    ours, theirs = tokenise(hypothesis), tokenise(reference)
    small = _shared((one.lower() for one in ours), (one.lower() for one in theirs))
    return small - _shared(ours, theirs)


def _shared(ours: Iterable[str], theirs: Iterable[str]) -> int:
    return (Counter(ours) & Counter(theirs)).total()


def _unshared(numbers: Callable[[Sequence[str]], list[Number]], hypothesis: str, reference: str) -> int:
    ours, theirs = (Counter(one.value for one in numbers(tokenise(line))) for line in (hypothesis, reference))
    return (ours - theirs).total() + (theirs - ours).total()


GROUP = MetricGroup(
    parts={"kept": KEPT},
    values=differences,
    label=str,
    about={"kept": "repeated words, other case, numbers, negations, spaces and starts that differ, counted"},
)
