"""What a translation keeps of its reference beside the words: repeats, case, numbers, facts, negation, form."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain, pairwise
from operator import eq
from typing import NamedTuple

import numpy as np

from pfsm.arrays import Float
from pfsm.english.facts import NOTHING, RUN, Run, chunk_kind, contradictions, run_of, written_plainly
from pfsm.english.numbers import NUMBER_WORDS, english_numbers, is_number_word
from pfsm.metrics.metric_group import MetricGroup
from pfsm.text.chunks import ChunkCache, LineCache
from pfsm.text.classes import normal_form, shipped_lists
from pfsm.text.numbers import digit_numbers, digit_value
from pfsm.text.plain import chunk_tokens, tokenise

# A closing mark, an English suffix or an opening mark that tokenisers cut off.
_APART = re.compile(
    r"(?:[.,;:!?)\]}%\u2026\u3002\uff0c](?!\d)|['\u2019](?:s|re|ve|ll|d|m|t)\b|n['\u2019]t\b|[(\[{]\Z)",
    re.IGNORECASE,
)
# A mark between two words without a space; full stops only before capitals, as others stand in addresses, and no
# semicolon that ends a character reference of HTML.
_GLUED = re.compile(
    r"""
    [^\W\d_]{2}
    (?: [,:!?)] | (?<!&amp)(?<!&apos)(?<!&gt)(?<!&lt)(?<!&nbsp)(?<!&quot); | \.+(?=[^\W\d_a-z]) )+
    (?=[^\W\d_])
    """,
    re.VERBOSE,
)
# Marks that often stand right behind a word.
_BEHIND_WORDS = frozenset(".,;:!?")


class _Counts(NamedTuple):
    """What a chunk or a line has; the tokens are those of `pfsm.text.plain`.

    Attributes:
        repeats: Words that follow themselves, in any case.
        negations: English words that negate.
        apart: Marks and suffixes behind a space, where running text has none.
        glued: Marks between two words, where running text has a space.
        digits: Numbers in digits.
        number_words: English words for numbers, or parts of such, without ``one``, which alone is not a number.
    """

    repeats: int = 0
    negations: int = 0
    apart: int = 0
    glued: int = 0
    digits: int = 0
    number_words: int = 0


class _Chunk(NamedTuple):
    """A chunk of text (`pfsm.text.chunks`).

    Attributes:
        first: Its first word in lower case; None where it begins with another token.
        last: Its last word; empty where it ends with another token.
        counts: What it has; None if nothing.
        kind: What it can be part of (`pfsm.english.facts.chunk_kind`).
    """

    first: str | None
    last: str
    counts: _Counts | None
    kind: int


# Stands between no words, as it has no tokens.
_EMPTY = _Chunk(None, "", None, NOTHING)


class _Line(NamedTuple):
    """A line.

    Attributes:
        counts: What it has.
        start: 1 if its first letter is a capital, -1 if it is a small one, 0 if it has no case or there is none.
        runs: What it says of amounts and dates (`pfsm.english.facts.runs`).
    """

    counts: _Counts
    start: int
    runs: tuple[Run, ...]


def _read_chunk(chunk: str) -> _Chunk:
    # Most chunks are one word, perhaps with a mark that counts nowhere.
    bare = chunk[:-1] if chunk[-1:] in _BEHIND_WORDS else chunk
    if bare.isascii() and bare.isalpha():
        word = bare.lower()
        negates, is_number = word in _negating(), word != "one" and word in NUMBER_WORDS
        has = _Counts(0, negates, 0, 0, 0, is_number) if negates or is_number else None
        return _Chunk(word, word if bare is chunk else "", has, chunk_kind(chunk))
    tokens = [token.lower() for token in chunk_tokens(chunk)]
    if not tokens:
        return _EMPTY
    words = [token if any(map(str.isalpha, token)) else "" for token in tokens]
    repeats = sum(one == other != "" for one, other in pairwise(words))
    negations = digits = number_words = 0
    for token in tokens:
        if token[0].isalpha():  # as all words that negate and that are numbers do
            negations += (token if token.isascii() else normal_form(token)) in _negating()
            number_words += token != "one" and is_number_word(token)
        else:
            digits += digit_value(token) is not None
    # Most chunks begin with a letter and have too few tokens for a mark between two words; other numerals than
    # digits may stand on both sides of a mark within one token.
    apart = int((not chunk[0].isalnum() or chunk[0] in "nN") and _APART.match(chunk) is not None)
    glued = len(_GLUED.findall(chunk)) if len(tokens) > 2 or not chunk.isascii() else 0
    counts = _Counts(repeats, negations, apart, glued, digits, number_words)
    return _Chunk(words[0] or None, words[-1], counts if any(counts) else None, chunk_kind(chunk))


@cache
def _negating() -> frozenset[str]:
    return frozenset(shipped_lists("en")["negation"])


# With what is known of each, at most some 50 MB.
_chunks = ChunkCache(_read_chunk, 200_000)


def _read_line(line: str) -> _Line:
    # A zero character separates tokens as a space does.
    chunks = line.replace("\0", " ").split(" ")
    read = list(map(_chunks.__getitem__, chunks))
    firsts, lasts, counts, kinds = zip(*read, strict=True)
    if None in firsts:  # perhaps there are chunks without tokens
        whole = [part for part in read if part is not _EMPTY]
        firsts, lasts = tuple(part.first for part in whole), tuple(part.last for part in whole)
    repeats = sum(map(eq, lasts, firsts[1:]))
    total = _Counts(*map(sum, zip(_Counts(repeats), *filter(None, counts), strict=True)))
    runs = tuple(run_of(tuple(chunks[run.start() : run.end()])) for run in RUN.finditer(bytes(kinds)))
    letter = next(filter(str.isalpha, line), "")
    return _Line(total, letter.isupper() - letter.islower(), runs)


_lines = LineCache(_read_line)
CASE, NUMBERS, NUMBERS_EN = "kept.case", "kept.numbers", "kept.numbers-en"
FACTS, SAID, SPACES = "kept.facts-en", "kept.said-en", "kept.spaces"
KEPT = (
    "kept.repeats", CASE, NUMBERS, NUMBERS_EN, "kept.negation-en", SPACES, "kept.start", FACTS, SAID,
)  # fmt: skip


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
        return {name: _negated(map(_other_case, hypotheses, references))}
    ours, theirs = ([_lines[line] for line in side] for side in (hypotheses, references))
    one, other = (
        np.fromiter(chain.from_iterable(line.counts for line in side), np.int64).reshape(-1, 6).T
        for side in (ours, theirs)
    )
    repeats, negations, apart, glued, _, _ = one - other
    # Those of lines taken by themselves cost little together; the others are computed where they are asked for.
    values = {
        "kept.repeats": -np.maximum(0, repeats).astype(np.float64),
        "kept.negation-en": -np.abs(negations).astype(np.float64),
        SPACES: -np.log1p(np.abs(apart) + np.abs(glued)),
        "kept.start": _negated(line.start * of.start < 0 for line, of in zip(ours, theirs, strict=True)),
    }
    rows = list(zip(hypotheses, references, ours, theirs, strict=True))
    if name in {NUMBERS, NUMBERS_EN}:
        values[name] = _negated(_unshared_numbers(*row, english=name == NUMBERS_EN) for row in rows)
    if name in {FACTS, SAID}:
        values[name] = _negated(_contradictions(*row, plainly=name == SAID) for row in rows)
    return values


def _negated(counts: Iterable[float]) -> Float:
    return -np.array(list(counts), dtype=np.float64)


def _unshared_numbers(hypothesis: str, reference: str, ours: _Line, theirs: _Line, *, english: bool) -> int:
    """Numbers whose value stands on one side only; lines without digits and number words have none."""
    sides = []
    for line, (counts, _, _) in ((hypothesis, ours), (reference, theirs)):
        read = english_numbers if english and counts.number_words else digit_numbers
        has_any = counts.digits or (english and counts.number_words)
        sides.append(Counter(number.value for number in read(tokenise(line))) if has_any else Counter())
    one, other = sides
    return (one - other).total() + (other - one).total()


def _contradictions(hypothesis: str, reference: str, ours: _Line, theirs: _Line, *, plainly: bool) -> int:
    """Facts that stand against each other; lines that say nothing of the kind have none."""
    if ours.runs == theirs.runs or not ours.runs or not theirs.runs:
        return 0
    found = contradictions(ours.runs, theirs.runs)
    if found and plainly:
        found = min(found, contradictions(written_plainly(hypothesis), written_plainly(reference)))
    return found


def _other_case(hypothesis: str, reference: str) -> int:
    ours, theirs = tokenise(hypothesis), tokenise(reference)
    small = _shared((one.lower() for one in ours), (one.lower() for one in theirs))
    return small - _shared(ours, theirs)


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
