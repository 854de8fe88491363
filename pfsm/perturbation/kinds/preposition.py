"""English: a preposition is another one."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of
from pfsm.perturbation.kind import MAJOR, english
from pfsm.perturbation.text import Text

# For each, prepositions that are right in hardly any place of it and mean something else.
_OTHER = {
    "in": "to without", "on": "into without", "at": "into without", "to": "from without by", "from": "into without",
    "by": "to into without", "with": "into from", "for": "into without", "of": "into without", "about": "into without",
    "under": "to into", "against": "without of", "after": "without into", "before": "into without",
    "during": "into without", "between": "into without", "into": "of without", "without": "to into",
    "since": "of with into", "through": "of without", "over": "without into",
}  # fmt: skip


def _change(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    found = [
        token
        for token in parse.tokens
        if token.label == "case"
        and token.xpos in {"IN", "TO"}
        and token.lower in _OTHER
        and not parse.children(token, "fixed")
        and parse.tokens[token.at - 1].form != "-"
        and text.line[token.end : token.end + 1] == " "
    ]
    if not found:
        return None
    token = dice.choice(found)
    new = dice.choice(_OTHER[token.lower].split())
    return edited(text.line, [Edit(token.start, token.end, in_case_of(new, token.form))])


KIND = english("preposition", MAJOR, "a preposition is another one", _change)
