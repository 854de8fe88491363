"""Numbers, dates and names are changed."""

import itertools
import re
from collections.abc import Iterator

from pfsm.facts.lists import is_common_noun, words
from pfsm.facts.tables import MONTHS, ORDINALS, SIZES, TENS, UNITS, WEEKDAYS
from pfsm.perturbation.edits import Edit, changed, drawn, edited, inserted, put, swapped
from pfsm.perturbation.kind import CRITICAL, kind
from pfsm.perturbation.text import Dice, Text, is_letters, is_word
from pfsm.text.language_names import main_code
from pfsm.text.offsets import Word
from pfsm.text.plain import tokenise

_MANY = [f"{size}s" for size in SIZES if size != "trillion"]
_GROUPS_OF_WORDS = (UNITS[2:13], TENS, ORDINALS[2:10], [size.removesuffix("s") for size in _MANY], _MANY)
_LISTS = {word: words for words in _GROUPS_OF_WORDS for word in words}


@kind("change-number", CRITICAL, "a number is changed")
def _change_number(text: Text, dice: Dice) -> str | None:
    listed = _LISTS if text.classes.number else {}
    found = [word for word in text.words if _digits(word) or word.form.lower() in listed]
    if not found:
        return None
    word = dice.choice(found)
    if not _digits(word):
        others = [other for other in listed[word.form.lower()] if other != word.form.lower()]
        return edited(text.line, [put(word, dice.choice(others))])
    at = dice.choice(_digits(word)[:3])
    old = int(word.form[at])
    lead = at == 0 or not word.form[at - 1].isdecimal()
    # A leading zero would be no number, and a 1 that becomes a 2 would need a plural.
    options = [digit for digit in range(1 if lead else 0, 10) if digit != old]
    if word.form[at + 1 :].isalpha() and len(word.form) - at == 3:
        # In English the ending of an ordinal number depends on its last digit.
        options = [digit for digit in options if digit >= 4 and old >= 4]
        if not options:
            return None
    new = dice.choice(options)
    character = chr(ord(word.form[at]) - old + new)
    return edited(text.line, [Edit(word.start + at, word.start + at + 1, character)])


def _digits(word: Word) -> list[int]:
    return [at for at, character in enumerate(word.form) if character.isdecimal()]


@kind("add-number", CRITICAL, "a number is added")
def _add_number(text: Text, dice: Dice) -> str | None:
    if text.is_parsed:
        places = [
            token.start
            for token in text.parse.tokens
            if token.xpos == "NNS"
            and not token.form[0].isupper()
            and token.at
            and text.line[token.start - 1] == " "
            and not any(map(str.isdigit, text.parse.tokens[token.at - 1].form))
            and not text.parse.children(token, "nummod", "amod", "compound")
        ]
    else:
        pairs = itertools.pairwise(text.words)
        places = [right.start for left, right in pairs if is_letters(left.form) and is_letters(right.form)]
    if not places:
        return None
    return inserted(text.line, dice.choice(places), str(dice.between(12, 98)), spaced=text.spaced)


# Of more, some are drawn: the pairs grow with the square.
_MOST = 30


@kind("swap-numbers", CRITICAL, "two numbers change places")
def _swap_numbers(text: Text, dice: Dice) -> str | None:
    numbers = [word for word in text.words if all(c.isdecimal() or c in ".,:" for c in word.form)]
    numbers = sorted(dice.shuffled(numbers)[:_MOST], key=lambda word: word.start)
    # "3 and 5" and "3 or 5" mean the same in either order: other words must stand between.
    pairs = [
        (left, right)
        for left, right in itertools.combinations(numbers, 2)
        if left.form != right.form and sum(map(is_word, tokenise(text.line[left.end : right.start]))) >= 2
    ]
    return swapped(text.line, dice, pairs)


# "May" is a verb more often than not.
_MONTHS = [month.capitalize() for month in MONTHS if month != "may"]
_DAYS = [day.capitalize() for day in WEEKDAYS]
_YEAR = re.compile(r"(?<![\w.,:/$€£-])(?:19\d\d|20[0-3]\d)(?![\w%°:/]|[.,]\d)")
_COUNTED = re.compile(
    r"[ \u00a0](?:yen|yuan|won|people|men|women|children|police|USD|EUR|euros?|pounds?|dollars?|km|kg|m|mm|cm|tons?|"
    r"(?!was\b|is\b|as\b|has\b|this\b|its\b|does\b|thus\b|versus\b|plus\b|us\b)[a-z]+s)\b"
)
_NUMERIC = re.compile(r"(?<![\w.,/-])(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?![\w/-])")


@kind("change-date", CRITICAL, "a day, a month or a year is changed")
def _change_date(text: Text, dice: Dice) -> str | None:
    found = [*_numeric(text.line), *_years(text.line)]
    if text.classes.number:
        found += [*_named(text.line, _MONTHS), *_named(text.line, _DAYS)]
    return changed(text.line, dice, drawn(dice, sorted(found)))


def _numeric(line: str) -> Iterator[list[Edit]]:
    """The first two parts of a date are both at most 12 where day and month could change places unnoticed."""
    for found in _NUMERIC.finditer(line):
        day = int(found[1])
        others = (f"{other:0{len(found[1])}d}" for other in range(1, 13) if other != day)
        yield [Edit(*found.span(1), other) for other in others]


def _years(line: str) -> Iterator[list[Edit]]:
    for found in _YEAR.finditer(line):
        if not _COUNTED.match(line, found.end()):  # "2000 yen", "1950 votes"
            yield [Edit(*found.span(), str(int(found[0]) + by)) for by in (-9, -7, -4, -3, -2, 2, 3, 4)]


def _named(line: str, names: list[str]) -> Iterator[list[Edit]]:
    for found in re.finditer(rf"\b(?:{'|'.join(names)})\b", line):
        # A march may open a sentence.
        if found[0] != "March" or found.start():
            yield [Edit(*found.span(), name) for name in names if name != found[0]]


# Where every noun has a capital, it says nothing.
_CAPITAL_NOUNS = ("de", "lb", "ltz")
_NO_NAMES = words("names-no-names")


def names_of(text: Text) -> list[Word]:
    """The names, each a run of words, with their places; none in languages that write all nouns with a capital."""
    if main_code(text.language) in _CAPITAL_NOUNS:
        return []
    names: list[list[Word]] = []
    for word in _tagged(text) if text.is_parsed else _capitalised(text):
        if names and text.line[names[-1][-1].end : word.start] in {" ", "-"}:
            names[-1].append(word)
        else:
            names.append([word])
    names = [one for one in names if not _is_common(text, one)]
    found = [Word(text.line[one[0].start : one[-1].end], one[0].start, one[-1].end) for one in names]
    return [name for name in found if len(name.form) > 2 and not set(name.form.lower().split()) & _NO_NAMES]


def _is_common(text: Text, words: list[Word]) -> bool:
    """Whether a name of one word may be an English noun, with the capital of a sentence or of a headline."""
    return (
        len(words) == 1
        and text.is_english
        and not words[0].form.isupper()
        and is_common_noun(words[0].form.lower())
    )


def _tagged(text: Text) -> list[Word]:
    return [
        Word(token.form, token.start, token.end)
        for token in text.parse.tokens
        if token.upos == "PROPN" and token.form[:1].isupper() and token.form[-1].isalpha()
    ]


def _capitalised(text: Text) -> list[Word]:
    return [
        word
        for word in text.words
        if word.form[:1].isupper()
        and is_letters(word.form)
        and word.start not in text.is_first
        and text.class_of(word) == "name"
        and word.form != "I"
    ]


@kind("swap-names", CRITICAL, "two names change places")
def _swap_names(text: Text, dice: Dice) -> str | None:
    names = sorted(dice.shuffled(names_of(text))[:_MOST], key=lambda name: name.start)
    pairs = [
        (left, right)
        for left, right in itertools.combinations(names, 2)
        if left.form != right.form
        and left.form not in right.form
        and right.form not in left.form
        and not _is_list(text.line[left.end : right.start])
    ]
    return swapped(text.line, dice, pairs)


def _is_list(between: str) -> bool:
    """Whether names with this between them may be members of a list, or a name and another for the same thing."""
    words = [form for form in tokenise(between) if is_word(form)]
    if "," in between and re.search(r"\b(?:and|or|und|et|y|e|и)\b", between):
        return True
    return sum(word.islower() or (not word.isupper() and not word.istitle()) for word in words) < 2


@kind("change-name", CRITICAL, "a name is replaced by another")
def _change_name(text: Text, dice: Dice) -> str | None:
    names = names_of(text)
    if not names:
        return None
    name = dice.choice(names)
    own = text.line.lower()
    for other in text.neighbours():
        # The neighbour is not parsed: its names are judged by their capitals.
        found = [one.form for one in names_of(other) if one.form.lower() not in own]
        found = [form for form in found if not set(form.lower().split()) & set(own.split())]
        if found:
            return edited(text.line, [Edit(name.start, name.end, dice.choice(found))])
    return None
