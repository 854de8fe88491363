"""English: a preposition is another one."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of
from pfsm.perturbation.kind import MAJOR, english
from pfsm.perturbation.text import Text

# For each, prepositions that are right in hardly any place of it.
_OTHER = {
    "in": "from to without", "on": "from of without", "at": "from of into", "to": "of from by", "from": "at with into",
    "by": "to of into", "with": "to of at", "for": "at into from", "of": "to by into", "about": "at into",
    "under": "of to",
    "against": "of at", "after": "of without", "before": "of with", "during": "of without", "between": "of to",
    "into": "of by", "without": "with to", "since": "of with", "through": "of at", "over": "of with",
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
