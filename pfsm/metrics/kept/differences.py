"""Counts of what differs between a translation and its reference: repeated words, case, numbers, negation, form."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.english.facts import contradictions
from pfsm.english.numbers import english_numbers
from pfsm.metrics.kept.lines import LineCounts, Runs, read_lines
from pfsm.metrics.metric_group import MetricGroup
from pfsm.text.numbers import Number, digit_numbers
from pfsm.text.plain import tokenise

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
# Those of lines taken by themselves cost little together; the others are computed where they are asked for.
OF_LINES = ("kept.repeats", "kept.negation-en", "kept.spaces", "kept.start")
CASE, NUMBERS, NUMBERS_EN, FACTS = "kept.case", "kept.numbers", "kept.numbers-en", "kept.facts-en"
KEPT = ("kept.repeats", CASE, NUMBERS, NUMBERS_EN, "kept.negation-en", "kept.spaces", "kept.start", FACTS)


def differences(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    """Counts, negated, so that more is better, float64 [n_pairs]: of a feature, and of those that cost no more.

    - ``kept.repeats``: words that follow themselves, beyond those of the reference.
    - ``kept.case``: words that stand on both sides, but with other capitals.
    - ``kept.numbers``: numbers in digits whose value stands on one side only.
    - ``kept.numbers-en``: the same of numbers in digits or English words.
    - ``kept.facts-en``: numbers, units, dates and times of day that stand against others (`pfsm.english.facts`).
    - ``kept.negation-en``: difference of the numbers of English words that negate.
    - ``kept.spaces``: ln(1 + difference of the numbers of marks that stand apart, as tokenisers leave them, +
      difference of the numbers of marks without a space behind them).
    - ``kept.start``: 1 where the first letter is a capital on one side and a small one on the other.
    """
    if name == CASE:
        return {name: _of_pairs(_other_case, hypotheses, references)}
    place = {line: at for at, line in enumerate(dict.fromkeys([*hypotheses, *references]))}
    lines, runs = read_lines(list(place))
    ours, theirs = (
        np.fromiter(map(place.__getitem__, side), np.int64, len(side)) for side in (hypotheses, references)
    )
    counts = (
        np.maximum(0, lines.repeats[ours] - lines.repeats[theirs]),
        np.abs(lines.negations[ours] - lines.negations[theirs]),
        np.log1p(
            np.abs(lines.apart[ours] - lines.apart[theirs]) + np.abs(lines.glued[ours] - lines.glued[theirs])
        ),
        lines.start[ours] * lines.start[theirs] < 0,
    )
    values = {part: -one.astype(np.float64) for part, one in zip(OF_LINES, counts, strict=True)}
    if name in {NUMBERS, NUMBERS_EN}:
        values[name] = -_unshared_numbers(name == NUMBERS_EN, hypotheses, references, lines, ours, theirs)
    if name == FACTS:
        values[name] = -_contradictions(runs, ours, theirs)
    return values


def _unshared_numbers(
    english: bool,
    hypotheses: Sequence[str],
    references: Sequence[str],
    lines: LineCounts,
    ours: Int64,
    theirs: Int64,
) -> Float:
    """Numbers whose value stands on one side only; lines without digits and number words have none."""
    in_words = lines.number_words if english else np.zeros_like(lines.digits)
    has_any = lines.digits + in_words > 0
    result = np.zeros(len(hypotheses))
    for row in np.flatnonzero((has_any[ours] | has_any[theirs]) & (ours != theirs)).tolist():
        sides = (hypotheses[row], ours[row]), (references[row], theirs[row])
        one, other = (
            Counter(number.value for number in _numbers(tokenise(line), in_words=bool(in_words[at])))
            if has_any[at]
            else Counter()
            for line, at in sides
        )
        result[row] = (one - other).total() + (other - one).total()
    return result


def _numbers(tokens: Sequence[str], *, in_words: bool) -> list[Number]:
    return english_numbers(tokens) if in_words else digit_numbers(tokens)


def _of_pairs(
    count: Callable[[str, str], int], hypotheses: Sequence[str], references: Sequence[str]
) -> Float:
    counts = [count(ours, theirs) for ours, theirs in zip(hypotheses, references, strict=True)]
    return -np.array(counts, dtype=np.float64)


def _other_case(hypothesis: str, reference: str) -> int:
    ours, theirs = tokenise(hypothesis), tokenise(reference)
    small = _shared((one.lower() for one in ours), (one.lower() for one in theirs))
    return small - _shared(ours, theirs)


def _contradictions(runs: Sequence[Runs], ours: Int64, theirs: Int64) -> Float:
    """Facts that stand against each other; lines that say nothing of the kind have none."""
    says = np.array([bool(one) for one in runs], dtype=np.bool_)
    result = np.zeros(ours.size)
    for row in np.flatnonzero((ours != theirs) & says[ours] & says[theirs]).tolist():
        result[row] = contradictions(runs[ours[row]], runs[theirs[row]])
    return result


def _shared(ours: Iterable[str], theirs: Iterable[str]) -> int:
    return (Counter(ours) & Counter(theirs)).total()


GROUP = MetricGroup(
    parts={"kept": KEPT},
    values=differences,
    label=str,
    about={"kept": "repeated words, other case, numbers, negations, spaces and starts that differ, counted"},
)
