"""English: a full verb is dropped."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import without
from pfsm.perturbation.english.clauses import clauses
from pfsm.perturbation.kind import CRITICAL, english
from pfsm.perturbation.text import Text


def _change(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    verbs = [
        clause.verb
        for clause in clauses(parse)
        if clause.verb.upos == "VERB"
        and clause.verb.at
        and (after := parse.next(clause.verb)) is not None
        and not (after.start == clause.verb.end and after.upos != "PUNCT")
        and after.lower != "-"
    ]
    if not verbs:
        return None
    verb = dice.choice(verbs)
    return without(text.line, verb.start, verb.end)


KIND = english("drop-verb", CRITICAL, "a verb is dropped", _change)
