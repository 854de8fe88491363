"""A number is changed: one of its digits, or in English a word for a number."""

from pfsm.analysis.tokens import Word
from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of
from pfsm.perturbation.kind import CRITICAL, Kind
from pfsm.perturbation.text import Text

_SMALL = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS = ["third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_SIZES = ["hundred", "thousand", "million", "billion"]
_MANY = ["hundreds", "thousands", "millions", "billions"]
_LISTS = {word: words for words in (_SMALL, _TENS, _ORDINALS, _SIZES, _MANY) for word in words}


def _change(text: Text, dice: Dice) -> str | None:
    listed = _LISTS if text.classes.number else {}
    found = [word for word in text.words if _digits(word) or word.form.lower() in listed]
    if not found:
        return None
    word = dice.choice(found)
    if not _digits(word):
        others = [other for other in listed[word.form.lower()] if other != word.form.lower()]
        return edited(text.line, [Edit(word.start, word.end, in_case_of(dice.choice(others), word.form))])
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


KIND = Kind("change-number", CRITICAL, "a number is changed", _change)
