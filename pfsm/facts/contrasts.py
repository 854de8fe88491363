"""Amounts, numbers and dates of two English texts that stand against each other.

``3 km`` against ``3 miles``, ``in May`` against ``in June``, ``noon`` against ``midnight``. What says the same in other
words (`pfsm.facts.quantities`) stands against nothing, and neither does what one of the texts leaves out.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, wraps
from itertools import chain
from typing import TypeVar

from pfsm.facts import dates
from pfsm.facts import quantities as units
from pfsm.facts.lists import by_word
from pfsm.facts.quantities import (
    NUMBER_WORDS,
    Quantity,
    english_numbers,
    is_number_word,
    may_say,
    parts,
    quantities,
)
from pfsm.text.numbers import digit_value

Value = TypeVar("Value")
Run = tuple[str, ...]
"""Tokens that say something of amounts and dates, one after the other."""
_MOST_TOKENS, _MOST_CHARACTERS, _MOST_RUNS = 32, 200, 25_000


def remembered(work: Callable[[Run], Value]) -> Callable[[Run], Value]:
    """The same pure function of a run; its results for short runs, which come again, are kept.

    Long runs, which would fill the memory, are worked out every time.
    """
    of_short = lru_cache(maxsize=_MOST_RUNS)(work)

    @wraps(work)
    def answer(run: Run) -> Value:
        is_short = len(run) <= _MOST_TOKENS and sum(map(len, run)) <= _MOST_CHARACTERS
        return of_short(run) if is_short else work(run)

    return answer


# One of a group of facts that exclude each other: the group and the fact, as text.
Fact = tuple[str, str]
# Words of which one excludes the others.
_NAMED = {word: (group, word) for word, group in by_word("facts-named").items()}
# Between the parts of one amount or date.
_BETWEEN = frozenset({"and", "of", ",", "/", "a", "an", "per", "square", "cubic", "one"})
_JOINING = _BETWEEN | dates.BEFORE_MONTHS
_WORDS = _NAMED.keys() | units.UNIT_WORDS | dates.WORDS | {"per"}
_MARKS = "\"'()[]{}.,;:!?\u2026\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"
_CLOSING_ALONE = _MARKS.replace(".", "")
# Chunks of text that say nothing, that join others, that say something, that say something before a mark, and
# that have no tokens.
NOTHING, JOINS, SAYS, ENDS, NO_TOKENS = range(5)
_DIGIT = re.compile(r"\d")
RUN = re.compile(rb"\x01?(?:\x03|\x02(?:[\x01\x02]*[\x02\x03])?)")
"""What is a run in a string of such kinds."""
_KINDS = dict.fromkeys(_WORDS | NUMBER_WORDS, SAYS) | dict.fromkeys(_JOINING - _WORDS, JOINS)
TELLING = frozenset(word.lower().rstrip(".") for word in (*_KINDS, *units.SHORT))
"""In lower case and without full stops behind them, all words that say or join something."""

_PARTS = frozenset({"number", "unit", "ordinal", "weekday", "time"})


def _word_kind(word: str) -> int:
    return _KINDS.get(word.lower(), NOTHING) or (SAYS if word in units.SHORT else NOTHING)


def chunk_kind(chunk: str) -> int:
    """The kind of the text between two spaces."""
    if chunk.isalpha():
        return _word_kind(chunk)
    if chunk in _BETWEEN:
        return JOINS
    if _DIGIT.search(chunk) is None and not _is_said(chunk):
        return NOTHING
    words = _tokens_of(chunk)
    if not words:
        return NOTHING
    return SAYS if words[-1] == "," or chunk.endswith(words[-1]) else ENDS


def token_kind(token: str) -> int:
    """The kind of a token of a tokeniser, which no mark is attached to."""
    if token.isalpha() or token in _JOINING:
        return _word_kind(token)
    says = may_say(token) or is_number_word(token.lower()) or digit_value(token) is not None
    return SAYS if says else NOTHING


def _is_said(chunk: str) -> bool:
    """Whether a chunk without digits is a word that says something, an abbreviation with its point, or a sign."""
    return (
        _word_kind(chunk.strip(_MARKS)) == SAYS
        or chunk.lower().rstrip(_CLOSING_ALONE) in _WORDS
        or chunk in units.SHORT
    )


@remembered
def run_of(chunks: Sequence[str]) -> Run:
    """The words and numbers of chunks and what is attached to them, without marks; a comma is a token of its own."""
    return tuple(token for chunk in chunks for token in _tokens_of(chunk))


def _tokens_of(chunk: str) -> list[str]:
    if chunk.isalpha() or chunk.lower() in _WORDS or chunk in units.SHORT:
        return [chunk]
    # Perhaps with the point of an abbreviation.
    inner = chunk.lstrip(_MARKS).rstrip(_CLOSING_ALONE)
    word = inner if inner.lower() in _WORDS else chunk.strip(_MARKS)
    word = word.removesuffix("'s").removesuffix("\u2019s")
    found = parts(word) if word else []
    return [*found, ","] if chunk.endswith(",") else found


def runs(line: str) -> tuple[Run, ...]:
    """The runs of tokens in which a line says something of amounts and dates, each with one joining word before it.

    What a run says depends on its own tokens alone. A full stop or another mark but the comma ends a run.
    """
    chunks = line.split(" ")
    found = RUN.finditer(bytes(map(chunk_kind, chunks)))
    return tuple(run_of(tuple(chunks[run.start() : run.end()])) for run in found)


# Numbers, times and units as machines and foreign writers leave them, and how English has them.
_WRITTEN = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"(?<=\d)[ \u00a0\u202f](?=\d{3}(?!\d))", ""),  # 16 990
        (r"(?<=\d)[-\u2013](?=\d)", " - "),
        (r"(?<=\d): (?=\d\d\b)", ":"),  # 7: 30
        (r"(?<=\d),(?=\d{1,2}(?!\d))", "."),  # 228,89
        (r"(?<=\d)[.,](?=\d{3}(?!\d))", ""),  # 720.000
        (r"(?<=\d) ?(?:m|mn|mln)\b", " million"),
        (r"(?<=\d) ?(?:bn|bln)\b", " billion"),
        (r"° ?(?=[CF]\b)", "°"),
        (r"\bevening\b", "night"),
    )
)


def written_plainly(line: str) -> tuple[Run, ...]:
    """The runs of a line whose numbers, times and units are written as in English: ``16 599,85`` as ``16599.85``."""
    for pattern, plain in _WRITTEN:
        line = pattern.sub(plain, line)
    return runs(line)


def contradictions(ours: tuple[Run, ...], theirs: tuple[Run, ...]) -> int:
    """How many facts of the runs of two lines stand against each other.

    Equal runs are taken away first, then places of equal meaning, the longest first. What is left falls into numbers,
    units, months, days of the week and so on. Of each of these groups the fewer of those count that one side has alone
    and the other alone.
    """
    tokens = [*chain(*ours, *theirs)]
    is_short = len(tokens) <= _MOST_TOKENS and sum(map(len, tokens)) <= _MOST_CHARACTERS
    return (_of_short if is_short else _contradictions)(ours, theirs)


def _contradictions(ours: tuple[Run, ...], theirs: tuple[Run, ...]) -> int:
    mine, yours = list(ours), []
    for run in theirs:
        if run in mine:
            mine.remove(run)
        else:
            yours.append(run)
    if not mine or not yours:
        return 0
    one, other = map(Counter, _without_equal(mine, yours))
    return (_by_group(one - other) & _by_group(other - one)).total()


_of_short = lru_cache(maxsize=_MOST_RUNS)(
    _contradictions
)  # the same lines come again, and others say the same


def _by_group(facts: Counter[Fact]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for (group, _), number in facts.items():
        counted[group] += number
    return counted


# More than the tokens of any line; tokens of a side are numbered through its runs.
_APART = 1 << 20


def _without_equal(ours: Sequence[Run], theirs: Sequence[Run]) -> tuple[list[Fact], list[Fact]]:
    """The facts of both sides that are left when places of equal meaning are taken away, the longest of ours first."""
    taken: tuple[set[int], set[int]] = (set(), set())
    by_meaning: dict[str, list[range]] = {}
    for place, meaning in _numbered(theirs):
        by_meaning.setdefault(meaning, []).append(place)
    for place, meaning in sorted(_numbered(ours), key=lambda one: -len(one[0])):
        for other in by_meaning.get(meaning, ()):
            if taken[0].isdisjoint(place) and taken[1].isdisjoint(other):
                taken[0].update(place)
                taken[1].update(other)
    return _left(ours, taken[0]), _left(theirs, taken[1])


def _numbered(side: Sequence[Run]) -> list[tuple[range, str]]:
    return [
        (range(number * _APART + start, number * _APART + stop), meaning)
        for number, run in enumerate(side)
        for start, stop, meaning in _read(run)[0]
    ]


def _left(side: Sequence[Run], taken: set[int]) -> list[Fact]:
    return [
        fact
        for number, run in enumerate(side)
        for start, stop, fact in _read(run)[1]
        if taken.isdisjoint(range(number * _APART + start, number * _APART + stop))
    ]


# Most runs are short and come again: "two", "in May", "last year". Text is hashed faster than fractions are, and tuples
# of text and numbers cost the garbage collector nothing.
@remembered
def _read(run: Run) -> tuple[tuple[tuple[int, int, str], ...], tuple[tuple[int, int, Fact], ...]]:
    """What a run says, numbers without units included, and its smallest parts: start, end, and meaning or fact."""
    said = _said(run)
    places = tuple([(one.start, one.start + one.length, repr(one.meaning)) for one in said])
    return places, (*_facts_of(said), *_named(run))


def _facts_of(said: Iterable[Quantity]) -> Iterator[tuple[int, int, Fact]]:
    for place in said:
        kind, *meaning = place.meaning
        stop = place.start + place.length
        if kind == "date" and meaning[0] is None and meaning[2] is None:
            yield place.start, stop, ("month", repr(meaning[1]))
        elif kind in _PARTS or (kind == "date" and place.length == 1):
            yield place.start, stop, (str(kind), repr(meaning))


def _named(run: Run) -> Iterator[tuple[int, int, Fact]]:
    for at, token in enumerate(run):
        fact = _NAMED.get(token.lower())
        if fact is not None:
            yield at, at + 1, fact


def _said(run: Run) -> tuple[Quantity, ...]:
    # Most runs are one number, and the word before it.
    others = [at for at, token in enumerate(run) if token.lower() not in _JOINING]
    value = digit_value(run[others[0]]) if len(others) == 1 else None
    if value is not None:
        return (Quantity(others[0], 1, ("number", value)),)
    numbers = english_numbers(run)
    alone = (Quantity(one.start, one.length, ("number", one.value)) for one in numbers)
    return (*quantities(run, numbers), *alone)
