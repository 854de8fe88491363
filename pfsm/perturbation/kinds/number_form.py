"""English, harmless: a number is written in another way."""

import re

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.kind import NONE, english
from pfsm.perturbation.text import Text, Token

_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")
_PERCENT = re.compile(r"(?<=\d)(?:%| percent\b| per cent\b)")
_SIZE = re.compile(r"(?<![\d.,$€£])(\d{1,3}) (million|thousand)\b")
_FRACTIONS = frozenset(
    ["halves", "thirds", "quarters", "fourths", "fifths", "sixths", "sevenths", "eighths", "ninths", "tenths"]
)
_ZEROS = {"thousand": ",000", "million": ",000,000"}


def _change(text: Text, dice: Dice) -> str | None:
    found = [edit for token in text.parse.tokens for edit in _other(text, token)]
    found += [
        Edit(mark.start(), mark.end(), " percent" if mark[0] == "%" else "%")
        for mark in _PERCENT.finditer(text.line)
    ]
    found += [Edit(size.start(), size.end(), size[1] + _ZEROS[size[2]]) for size in _SIZE.finditer(text.line)]
    return edited(text.line, [dice.choice(found)]) if found else None


def _other(text: Text, token: Token) -> list[Edit]:
    if token.upos != "NUM" or token.label != "nummod":
        return []
    head = text.parse.head(token)
    if (
        head is None
        or head.at < token.at
        or text.line[token.start - 1 : token.start] in {"-", "$", "€", "£", "/"}
    ):
        return []
    if _GROUPED.fullmatch(token.form):
        return [Edit(token.start, token.end, token.form.replace(",", ""))]
    if re.fullmatch(r"[1-9]\d{4,8}", token.form):
        return [Edit(token.start, token.end, f"{int(token.form):,}")]
    counted = (
        head.xpos == "NNS"
        and head.lower not in _FRACTIONS
        and not any(
            one.upos in {"NUM", "SYM"} or one.form in {"-", "and", "or", "to"}
            for one in text.parse.tokens[max(0, token.at - 2) : token.at + 2]
            if one is not token
        )
    )
    if counted and token.lower in _WORDS[2:] and not text.parse.is_first(token):
        return [Edit(token.start, token.end, str(_WORDS.index(token.lower)))]
    if counted and token.form.isascii() and token.form.isdigit() and 2 <= int(token.form) <= 12:
        word = _WORDS[int(token.form)]
        return [Edit(token.start, token.end, word.capitalize() if text.parse.is_first(token) else word)]
    return []


KIND = english("number-form", NONE, "a number is written in another way", _change)
