"""Amounts, numbers and dates of two English texts that stand against each other.

``3 km`` against ``3 miles``, ``in May`` against ``in June``, ``noon`` against ``midnight``. What says the same in other
words (`pfsm.text.quantities`) stands against nothing, and neither does what one of the texts leaves out.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from pfsm.text.dates import BEFORE_MONTHS, Meaning
from pfsm.text.numbers import digit_value, english_numbers, is_number_word
from pfsm.text.quantities import Quantity, may_say, parts, quantities

# Words of which one excludes the others.
_NAMED = {
    word: (group, word)
    for group, words in {
        "season": "spring summer autumn winter",
        "part of the day": "morning afternoon evening night dawn dusk",
        "day": "yesterday today tomorrow",
        "decade": "twenties thirties forties fifties sixties seventies eighties nineties",
        "often": "once twice",
        "factor": "doubled tripled trebled quadrupled halved",
    }.items()
    for word in words.split()
}
# Between the parts of one amount or date.
_BETWEEN = frozenset({"and", "of", ",", "/", "a", "an", "per", "square", "cubic", "one"})
_NOTHING, _JOINS, _SAYS = 0, 1, 2
_RUN = re.compile(rb"\x01?\x02(?:[\x01\x02]*\x02)?")

# Tokens next to each other, of which at least one says something.
Run = tuple[str, ...]
# A group of facts of which one excludes the others, and which of them it is.
Fact = tuple[str, object]
# Number of a run, and place of a token in it.
Token = tuple[int, int]
_PARTS = frozenset({"number", "unit", "ordinal", "weekday", "time"})


class _Kinds(dict[str, int]):
    """What tokens can be part of, each looked at once; a full table starts afresh."""

    most = 500_000

    def __missing__(self, token: str) -> int:
        lower = token.lower()
        says = lower in _NAMED or is_number_word(lower) or digit_value(token) is not None or may_say(token)
        kind = (
            _SAYS
            if says and lower != "one"
            else _JOINS
            if lower in _BETWEEN or lower in BEFORE_MONTHS
            else _NOTHING
        )
        if len(self) >= self.most:
            self.clear()
        self[token] = kind
        return kind


_kinds = _Kinds()


def runs(tokens: Sequence[str]) -> list[Run]:
    """The runs of tokens in which a line says something of amounts and dates, each with one joining word before it.

    What a run says depends on its own tokens alone.
    """
    kinds = bytes(map(_kinds.__getitem__, tokens))
    places = [found.span() for found in _RUN.finditer(kinds)]
    return [tuple(part for token in tokens[first:last] for part in parts(token)) for first, last in places]


def contradictions(ours: Sequence[Run], theirs: Sequence[Run]) -> int:
    """How many facts of the runs of two lines stand against each other.

    Equal runs are taken away first, then places of equal meaning, the longest first. What is left falls into numbers,
    units, months, days of the week and so on. Of each of these groups the fewer of those count that one side has alone
    and the other alone.
    """
    if not ours or not theirs or ours == theirs:
        return 0
    our_runs, their_runs = Counter(ours), Counter(theirs)
    mine, yours = our_runs - their_runs, their_runs - our_runs
    if not mine or not yours:
        return 0
    one, other = map(Counter, _without_equal(list(mine.elements()), list(yours.elements())))
    return (_by_group(one - other) & _by_group(other - one)).total()


def _by_group(facts: Counter[Fact]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for (group, _), number in facts.items():
        counted[group] += number
    return counted


def _without_equal(ours: Sequence[Run], theirs: Sequence[Run]) -> tuple[list[Fact], list[Fact]]:
    """The facts of both sides that are left when places of equal meaning are taken away, the longest of ours first."""
    taken: tuple[set[Token], set[Token]] = (set(), set())
    by_meaning: dict[Meaning, list[set[Token]]] = {}
    for number, run in enumerate(theirs):
        for place in _places(run):
            by_meaning.setdefault(place.meaning, []).append(_tokens(number, place))
    mine = [(place, _tokens(number, place)) for number, run in enumerate(ours) for place in _places(run)]
    for place, tokens in sorted(mine, key=lambda one: -one[0].length):
        for others in by_meaning.get(place.meaning, ()):
            if taken[0].isdisjoint(tokens) and taken[1].isdisjoint(others):
                taken[0].update(tokens)
                taken[1].update(others)
    return _left(ours, taken[0]), _left(theirs, taken[1])


def _left(runs_of_side: Sequence[Run], taken: set[Token]) -> list[Fact]:
    return [
        fact
        for number, run in enumerate(runs_of_side)
        for place, fact in _facts(run)
        if taken.isdisjoint(_tokens(number, place))
    ]


def _tokens(run: int, place: Quantity) -> set[Token]:
    return {(run, token) for token in range(place.start, place.start + place.length)}


# Most runs are short and come again: "two", "in May", "last year".
@lru_cache(maxsize=50_000)
def _places(run: Run) -> tuple[Quantity, ...]:
    """What a run says, numbers without units included."""
    numbers = [Quantity(one.start, one.length, ("number", one.value)) for one in english_numbers(run)]
    return (*quantities(run), *numbers)


@lru_cache(maxsize=50_000)
def _facts(run: Run) -> tuple[tuple[Quantity, Fact], ...]:
    """The smallest parts of what a run says, with their places."""
    found: list[tuple[Quantity, Fact]] = []
    for place in _places(run):
        kind, *meaning = place.meaning
        if kind == "date" and meaning[0] is None and meaning[2] is None:
            found.append((place, ("month", meaning[1])))
        elif kind in _PARTS or (kind == "date" and place.length == 1):
            found.append((place, (str(kind), tuple(meaning))))
    for at, token in enumerate(run):
        named = _NAMED.get(token.lower())
        if named is not None:
            found.append((Quantity(at, 1, named), named))
    return tuple(found)
