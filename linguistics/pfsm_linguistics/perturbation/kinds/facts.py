"""English: units are changed, numbers are written in another way."""

import re

from pfsm.facts.tables import UNITS
from pfsm.perturbation.edits import Edit, changed, drawn, in_case_of
from pfsm.perturbation.kind import CRITICAL, NONE
from pfsm.perturbation.text import Dice, Parse, Text, Token
from pfsm_linguistics.lists import table, words
from pfsm_linguistics.perturbation.parsing import english

_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")
_PERCENT = re.compile(r"(?<=\d)(?:%| percent\b| per cent\b)")
_SIZE = re.compile(r"(?<![\d.,$€£])(\d{1,3}) (million|thousand)\b")
_FRACTIONS = words("number-form-fractions")
_ZEROS = {"thousand": ",000", "million": ",000,000"}


@english("number-form", NONE, "a number is written in another way")
def _number_form(text: Text, dice: Dice) -> str | None:
    found = [edit for token in text.parse.tokens for edit in _other_forms(text, token)]
    found += [
        Edit(mark.start(), mark.end(), " percent" if mark[0] == "%" else "%")
        for mark in _PERCENT.finditer(text.line)
    ]
    found += [Edit(size.start(), size.end(), size[1] + _ZEROS[size[2]]) for size in _SIZE.finditer(text.line)]
    return changed(text.line, dice, found)


def _other_forms(text: Text, token: Token) -> list[Edit]:
    if token.upos != "NUM" or token.label != "nummod":
        return []
    head = text.parse.head(token)
    is_part = text.line[token.start - 1 : token.start] in {"-", "$", "€", "£", "/"}
    if head is None or head.at < token.at or is_part:
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
    if counted and token.lower in UNITS[2:13] and not text.parse.is_first(token):
        return [Edit(token.start, token.end, str(UNITS.index(token.lower)))]
    if counted and token.form.isascii() and token.form.isdigit() and 2 <= int(token.form) <= 12:
        word = UNITS[int(token.form)]
        return [Edit(token.start, token.end, word.capitalize() if text.parse.is_first(token) else word)]
    return []


_OTHER_UNITS: dict[str, list[str]] = {}
for _group in table("unit-groups"):
    for _word in _group:
        _OTHER_UNITS.setdefault(_word, []).extend(other for other in _group if other != _word)
_SIGNS = {"$": "€", "€": "$", "£": "$"}
_MONEY = re.compile(r"(?<![\w$€£])[$€£](?=\d)")


@english("unit", CRITICAL, "a unit or a currency is another one")
def _unit(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    found = [
        [
            Edit(token.start, token.start + len(name), in_case_of(new, token.form))
            for new in _OTHER_UNITS[name]
        ]
        for token in parse.tokens
        if (name := token.lower.rstrip(".")) in _OTHER_UNITS and _is_measure(parse, token)
    ]
    found += [[Edit(sign.start(), sign.end(), _SIGNS[sign[0]])] for sign in _MONEY.finditer(text.line)]
    found.sort(key=lambda edits: edits[0].start)
    return changed(text.line, dice, drawn(dice, found))


def _is_measure(parse: Parse, token: Token) -> bool:
    """Whether a number stands before the word, and it is not the hyphenated part of a compound."""
    before = parse.previous(token)
    if before is not None and before.form == "-" and before.at:
        before = parse.previous(before)
    return (
        before is not None
        and (before.upos == "NUM" or any(map(str.isdigit, before.form)))
        and token.form.islower()
        and token.xpos not in {"JJ", "RB"}
    )
