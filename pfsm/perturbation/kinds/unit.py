"""English: a unit, a currency or an order of magnitude is another one."""

import re

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of
from pfsm.perturbation.kind import CRITICAL, english
from pfsm.perturbation.text import Parse, Text, Token

_GROUPS = (
    "millimetre centimetre metre kilometre mile yard inch", "millimeter centimeter meter kilometer mile yard inch",
    "millimetres centimetres metres kilometres miles feet yards inches",
    "millimeters centimeters meters kilometers miles feet yards inches", "mm cm km m", "gram kilogram tonne ton pound",
    "grams kilograms tonnes tons", "kg g mg", "litre gallon", "litres gallons", "liters gallons", "second minute hour",
    "seconds minutes hours", "day week month year", "days weeks months years decades", "hours days weeks",
    "dollar euro", "dollars euros pounds", "dollars euros yen yuan rubles", "kronor euros dollars", "litas euros",
    "million billion thousand", "millions billions", "megawatts kilowatts gigawatts", "hectares acres",
)  # fmt: skip
_OTHER: dict[str, list[str]] = {}
for _group in _GROUPS:
    for _word in _group.split():
        _OTHER.setdefault(_word, []).extend(other for other in _group.split() if other != _word)
_SIGNS = {"$": "€", "€": "$", "£": "$"}
_MONEY = re.compile(r"(?<![\w$€£])[$€£](?=\d)")


def _change(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    found = [
        (token.start, token.start + len(name), in_case_of(new, token.form))
        for token in parse.tokens
        if (name := token.lower.rstrip(".")) in _OTHER and _is_measure(parse, token)
        for new in _OTHER[name]
    ]
    found += [(sign.start(), sign.end(), _SIGNS[sign[0]]) for sign in _MONEY.finditer(text.line)]
    if not found:
        return None
    start = dice.choice(sorted({one[0] for one in found}))
    return edited(text.line, [Edit(*dice.choice([one for one in found if one[0] == start]))])


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


KIND = english("unit", CRITICAL, "a unit or a currency is another one", _change)
