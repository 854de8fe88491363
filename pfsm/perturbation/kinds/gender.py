"""English: a word is of the other gender."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of
from pfsm.perturbation.kind import CRITICAL, english
from pfsm.perturbation.text import Text, Token

_PAIRS = (
    ("man", "woman"), ("men", "women"), ("boy", "girl"), ("boys", "girls"), ("father", "mother"), ("son", "daughter"),
    ("sons", "daughters"), ("brother", "sister"), ("brothers", "sisters"), ("husband", "wife"), ("uncle", "aunt"),
    ("king", "queen"), ("prince", "princess"), ("grandfather", "grandmother"), ("fathers", "mothers"),
    ("himself", "herself"), ("he", "she"), ("actor", "actress"), ("nephew", "niece"), ("mr.", "mrs."), ("mr", "mrs"),
)  # fmt: skip
_OTHER = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])} | {
    "him": "her",
    "his": "her",
    "hers": "his",
}


def _change(text: Text, dice: Dice) -> str | None:
    found = [(token, new) for token in text.parse.tokens if (new := _other(token))]
    if not found:
        return None
    token, new = dice.choice(found)
    return edited(text.line, [Edit(token.start, token.end, in_case_of(new, token.form))])


def _other(token: Token) -> str | None:
    if token.lower == "her":
        return "his" if token.xpos == "PRP$" else "him"
    # "His" that stands alone has the form "hers".
    if token.lower == "his" and token.xpos != "PRP$":
        return None
    return (
        _OTHER.get(token.lower)
        if token.upos in {"PRON", "NOUN"} or token.lower.rstrip(".") in {"mr", "mrs"}
        else None
    )


KIND = english("gender", CRITICAL, "a word is of the other gender", _change)
