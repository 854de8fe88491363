"""Counts of what differs between a translation and its reference: repeated words, case, numbers, negation, form."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import repeat
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm.english.facts import RUN, contradictions, run_tokens, written_plainly
from pfsm.english.numbers import english_numbers
from pfsm.english.preservation.chunk_table import (
    END,
    HAS_COUNTS,
    KIND_BIT,
    NO_WORD,
    WORD_BITS,
    ChunkTable,
    Counts,
)
from pfsm.english.short_runs import Run, remembered
from pfsm.metrics.metric_group import MetricGroup
from pfsm.text.numbers import Number, digit_numbers
from pfsm.text.plain import tokenise

Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LineCounts:
    """What each of several lines has, int64 [n] each; the tokens are those of `pfsm.text.plain`.

    Attributes:
        repeats: Words that follow themselves, in any case.
        negations: English words that negate.
        apart: Marks and suffixes behind a space, where running text has none.
        glued: Marks between two words, where running text has a space.
        digits: Numbers in digits.
        number_words: English words for numbers, or parts of such, without ``one``, which alone is not a number.
        start: 1 if the first letter is a capital, -1 if it is a small one, 0 if it has no case or there is none.
    """

    repeats: Int64
    negations: Int64
    apart: Int64
    glued: Int64
    digits: Int64
    number_words: Int64
    start: Int64


_table = ChunkTable()
Runs = tuple[Run, ...]
# By line its counts, packed as they stand in `LineCounts`, the start plus 1; and its runs. Threads share it: an entry
# once made is right for ever, and the worst that can happen to one is that it is dropped.
_known: dict[str, tuple[int, Runs]] = {}
_UNKNOWN: tuple[int, Runs] = (-1, ())
_MOST_LINES = 30_000
# No line of fewer characters has as many of anything.
_LONGEST = 1 << 10
_LARGEST = _LONGEST - 1
_PLACES = (0, 10, 20, 30, 40, 50, 60)


class Chunks(NamedTuple):
    """Lines in chunks, looked up once for all that is counted in them.

    Attributes:
        lines: The lines.
        table: The table.
        text: The chunks of all lines, with one that ends a line between them.
        packed: int64 [n_chunks], what the table has of each.
        line: int64 [n_chunks], the line of each.
    """

    lines: Sequence[str]
    table: ChunkTable
    text: list[str]
    packed: Int64
    line: Int64


def in_chunks(lines: Sequence[str]) -> Chunks:
    """Lines looked up chunk by chunk."""
    table = _current_table()
    text = f" {END} ".join(lines)
    if text.count(END) >= len(lines) > 0:
        text = f" {END} ".join(line.replace(END, " ") for line in lines)
    chunks = text.split(" ")
    packed = np.fromiter(map(table.__getitem__, chunks), np.int64, len(chunks))
    return Chunks(lines, table, chunks, packed, np.cumsum(packed == table[END]))


def counts_of(read: Chunks) -> LineCounts:
    """What lines have."""
    lines, table, chunks, packed, line = read
    # Chunks without tokens, such as the empty ones between two spaces, stand between no words.
    place = np.flatnonzero(packed >> 2 * WORD_BITS)
    occupied = packed[place]
    first, last = occupied & NO_WORD, occupied >> WORD_BITS & NO_WORD
    follows = np.flatnonzero((first[1:] == last[:-1]) & (first[1:] != NO_WORD))
    follows = place[follows][line[place[follows]] == line[place[follows + 1]]]
    counted = place[occupied >> 2 * WORD_BITS & HAS_COUNTS > 0]
    found = [table.counts[chunks[at]] for at in counted.tolist()]
    columns = np.array(found, dtype=np.int64).reshape(-1, len(Counts._fields)).T
    repeats, negations, apart, glued, digits, number_words = (
        np.bincount(line[counted], column, minlength=len(lines)).astype(np.int64) for column in columns
    )
    repeats += np.bincount(line[follows], minlength=len(lines))
    start = np.fromiter(map(_start, lines), np.int64, len(lines))
    return LineCounts(repeats, negations, apart, glued, digits, number_words, start)


def read_lines(lines: Sequence[str]) -> tuple[LineCounts, list[Runs]]:
    """What lines have, and what they say of amounts and dates; of lines that were read before it is remembered."""
    known = list(map(_known.get, lines, repeat(_UNKNOWN)))
    packed = np.fromiter(map(itemgetter(0), known), np.int64, len(lines))
    runs = list(map(itemgetter(1), known))
    columns = np.array([packed >> place & _LARGEST for place in _PLACES])
    columns[-1] -= 1
    new = np.flatnonzero(packed < 0)
    if new.size:
        read = in_chunks([lines[at] for at in new.tolist()])
        columns[:, new] = counts = _columns(counts_of(read))
        said = runs_of(read)
        for at, one in zip(new.tolist(), said, strict=True):
            runs[at] = one
        _remember(read.lines, counts, said)
    return LineCounts(*columns), runs


def _columns(counts: LineCounts) -> Int64:
    return np.array([getattr(counts, field.name) for field in fields(LineCounts)])


def _remember(lines: Sequence[str], columns: Int64, runs: Sequence[Runs]) -> None:
    """Packs the counts of each line into one number, where the line is so short that each has room."""
    packed = np.full(len(lines), 1 << _PLACES[-1], dtype=np.int64)
    for column, place in zip(columns, _PLACES, strict=True):
        packed += column << place
    if len(_known) > _MOST_LINES:
        _known.clear()
    entries = zip(lines, packed.tolist(), runs, strict=True)
    _known.update((line, (number, said)) for line, number, said in entries if len(line) < _LONGEST)


def runs_of(read: Chunks) -> list[Runs]:
    """What lines say of amounts and dates: of each line the runs of `pfsm.text.facts.runs`."""
    kinds = (read.packed >> 2 * WORD_BITS + KIND_BIT).astype(np.uint8).tobytes()
    found: list[Runs] = [()] * len(read.lines)
    places = [run.span() for run in RUN.finditer(kinds)]
    of_line = read.line[[first for first, _ in places]].tolist() if places else []
    for number, (first, last) in zip(of_line, places, strict=True):
        found[number] += (_run(tuple(read.text[first:last])),)
    return found


_run = remembered(run_tokens)


def _current_table() -> ChunkTable:
    global _table  # noqa: PLW0603 - it is a cache
    if _table.is_full:
        _table = ChunkTable()
    return _table


def _start(line: str) -> int:
    first = line[:1]
    if not first.isalpha():
        first = next(filter(str.isalpha, line), "")
    return first.isupper() - first.islower()


Float = NDArray[np.float64]
# Those of lines taken by themselves cost little together; the others are computed where they are asked for.
OF_LINES = ("kept.repeats", "kept.negation-en", "kept.spaces", "kept.start")
CASE, NUMBERS, NUMBERS_EN = "kept.case", "kept.numbers", "kept.numbers-en"
FACTS, SAID = "kept.facts-en", "kept.said-en"
KEPT = (
    "kept.repeats",
    CASE,
    NUMBERS,
    NUMBERS_EN,
    "kept.negation-en",
    "kept.spaces",
    "kept.start",
    FACTS,
    SAID,
)


def differences(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    """Counts, negated, so that more is better, float64 [n_pairs]: of a feature, and of those that cost no more.

    - ``kept.repeats``: words that follow themselves, beyond those of the reference.
    - ``kept.case``: words that stand on both sides, but with other capitals.
    - ``kept.numbers``: numbers in digits whose value stands on one side only.
    - ``kept.numbers-en``: the same of numbers in digits or English words.
    - ``kept.facts-en``: numbers, units, dates and times of day that stand against others (`pfsm.english.facts`).
    - ``kept.said-en``: those of them that still do where other spellings, such as ``16 599,85``, are understood.
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
    if name in {FACTS, SAID}:
        contradicted = _contradictions(runs, ours, theirs)
        if name == SAID:
            for row in np.flatnonzero(contradicted).tolist():
                plain = (written_plainly(line[row]) for line in (hypotheses, references))
                contradicted[row] = min(contradicted[row], contradictions(*plain))
        values[name] = -contradicted
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


GROUPS = (
    MetricGroup(
        parts={"kept": KEPT},
        values=differences,
        label=str,
        counts=frozenset({"kept"}),
        about={
            "kept": "repeated words, other case, numbers, negations, spaces and starts that differ, counted"
        },
    ),
)
