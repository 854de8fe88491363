"""What a translation keeps of its reference beside the words: repeats, case, numbers, facts, negation, form."""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import compress, pairwise
from operator import eq
from typing import NamedTuple

import numpy as np

from pfsm.arrays import Float
from pfsm.facts.contrasts import (
    NO_TOKENS,
    NOTHING,
    RUN,
    TELLING,
    Run,
    chunk_kind,
    contradictions,
    run_of,
    written_plainly,
)
from pfsm.facts.quantities import NUMBER_WORDS, english_numbers, is_number_word
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


# A chunk of text (`pfsm.text.chunks`): its first word in lower case, None where it begins with another token; its last
# word, empty where it ends with another token; what it has, None if nothing; and what it can be part of
# (`pfsm.facts.contrasts.chunk_kind`). Plain tuples of text and numbers cost the garbage collector nothing.
_Chunk = tuple[str | None, str, _Counts | None, int]
# Of a line: what it has as the bytes of int64 [7], its `_Counts` and 1 if its first letter is a capital, -1 if it is a
# small one, 0 if it has no case or there is none; and what it says of amounts and dates (`pfsm.facts.contrasts.runs`).
_Line = tuple[bytes, tuple[Run, ...]]


def _read_chunk(chunk: str) -> _Chunk:
    # Most chunks are one word, perhaps with a mark that counts nowhere.
    bare = chunk[:-1] if chunk[-1:] in _BEHIND_WORDS else chunk
    if bare.isascii() and bare.isalpha():
        word = bare.lower()
        if word not in _telling():  # as most words are
            return word, word if bare is chunk else "", None, NOTHING
        negates, is_number = word in _negating(), word != "one" and word in NUMBER_WORDS
        has = _Counts(0, negates, 0, 0, 0, is_number) if negates or is_number else None
        return word, word if bare is chunk else "", has, chunk_kind(chunk)
    tokens = [token.lower() for token in chunk_tokens(chunk)]
    if not tokens:
        return None, "", None, NO_TOKENS
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
    return words[0] or None, words[-1], counts if any(counts) else None, chunk_kind(chunk)


@cache
def _negating() -> frozenset[str]:
    return frozenset(shipped_lists("en")["negation"])


@cache
def _telling() -> frozenset[str]:
    return TELLING | _negating()


# With what is known of each, at most some 50 MB.
_chunks = ChunkCache(_read_chunk, 200_000)


def _read_line(line: str) -> _Line:
    # A zero character separates tokens as a space does.
    chunks = line.replace("\0", " ").split(" ")
    firsts, lasts, counts, kind_of_each = zip(*map(_chunks.__getitem__, chunks), strict=True)
    kinds = bytes(kind_of_each)
    if NO_TOKENS in kinds:  # such a chunk stands between no words
        has_tokens = [kind != NO_TOKENS for kind in kinds]
        firsts, lasts = (tuple(compress(side, has_tokens)) for side in (firsts, lasts))
    found = list(filter(None, counts))
    repeats = sum(map(eq, lasts, firsts[1:]))
    if repeats:
        found.append(_Counts(repeats))
    total = map(sum, zip(*found, strict=True)) if found else (0,) * 6
    letter = line[:1] if line[:1].isalpha() else next(filter(str.isalpha, line), "")
    runs = tuple([run_of(tuple(chunks[run.start() : run.end()])) for run in RUN.finditer(kinds)])
    return array("q", (*total, letter.isupper() - letter.islower())).tobytes(), runs


_lines = LineCache(_read_line)
CASE, NUMBERS, NUMBERS_EN = "kept.case", "kept.numbers", "kept.numbers-en"
FACTS, SAID, SPACES = "kept.facts-en", "kept.said-en", "kept.spaces"
KEPT = {
    "kept.repeats": "no words are repeated",
    CASE: "capital letters are kept",
    NUMBERS: "numbers are kept",
    NUMBERS_EN: "numbers are kept",
    "kept.negation-en": "negation is kept",
    SPACES: "spaces between words are kept",
    "kept.start": "the sentence starts alike",
    FACTS: "numbers, dates, names and units are kept",
    SAID: "numbers, dates and units say the same, however they are written",
}
"""The features, in plain words."""


def differences(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    """Counts, negated, so that more is better, float64 [n_pairs]: of a feature, and of those that cost no more.

    - ``kept.repeats``: words that follow themselves, beyond those of the reference.
    - ``kept.case``: words that stand on both sides, but with other capitals.
    - ``kept.numbers``: numbers in digits whose value stands on one side only.
    - ``kept.numbers-en``: the same of numbers in digits or English words.
    - ``kept.facts-en``: numbers, units, dates and times of day that stand against others (`pfsm.facts.contrasts`).
    - ``kept.said-en``: those of them that still do where other spellings, such as ``16 599,85``, are understood.
    - ``kept.negation-en``: difference of the numbers of English words that negate.
    - ``kept.spaces``: ln(1 + difference of the numbers of marks that stand apart, as tokenisers leave them, +
      difference of the numbers of marks without a space behind them).
    - ``kept.start``: 1 where the first letter is a capital on one side and a small one on the other.
    """
    if name == CASE:
        return {name: _negated(map(_other_case, hypotheses, references))}
    ours, theirs = (list(map(_lines.__getitem__, side)) for side in (hypotheses, references))
    one, other = (
        np.frombuffer(b"".join([counts for counts, _ in side]), np.int64).reshape(-1, 7).T
        for side in (ours, theirs)
    )
    repeats, negations, apart, glued, *_ = one - other
    # Those of lines taken by themselves cost little together; the others are computed where they are asked for.
    values = {
        "kept.repeats": -np.maximum(0, repeats).astype(np.float64),
        "kept.negation-en": -np.abs(negations).astype(np.float64),
        SPACES: -np.log1p(np.abs(apart) + np.abs(glued)),
        "kept.start": -(one[-1] * other[-1] < 0).astype(np.float64),
    }
    if name in {NUMBERS, NUMBERS_EN}:
        sides = (
            map(_numbers, lines, counts[4].tolist(), (counts[5] * (name == NUMBERS_EN)).tolist())
            for lines, counts in ((hypotheses, one), (references, other))
        )
        values[name] = _negated(map(_unshared, *sides))
    if name in {FACTS, SAID}:
        runs = ([said for _, said in side] for side in (ours, theirs))
        found = partial(_contradictions, plainly=name == SAID)
        values[name] = _negated(map(found, hypotheses, references, *runs))
    return values


def _negated(counts: Iterable[float]) -> Float:
    return -np.array(list(counts), dtype=np.float64)


def _numbers(line: str, digits: int, number_words: int) -> Sequence[Fraction]:
    """The values of the numbers of a line that has so many in digits and in words."""
    if not digits and not number_words:
        return ()
    return [number.value for number in (english_numbers if number_words else digit_numbers)(tokenise(line))]


def _unshared(ours: Sequence[Fraction], theirs: Sequence[Fraction]) -> int:
    """How many stand on one side only."""
    if not ours or not theirs:
        return len(ours) + len(theirs)
    one, other = Counter(ours), Counter(theirs)
    return (one - other).total() + (other - one).total()


def _contradictions(
    hypothesis: str, reference: str, ours: tuple[Run, ...], theirs: tuple[Run, ...], *, plainly: bool
) -> int:
    """Facts that stand against each other; lines that say nothing of the kind have none."""
    if ours == theirs or not ours or not theirs:
        return 0
    found = contradictions(ours, theirs)
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
        parts={"kept": tuple(KEPT)},
        labels=KEPT,
        values=differences,
        label=str,
        counts=frozenset({"kept"}),
        about={
            "kept": "repeated words, other case, numbers, negations, spaces and starts that differ, counted"
        },
        can_run_in_child_process=True,
    ),
)
