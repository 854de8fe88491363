"""English: the subject of a verb is dropped."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import without
from pfsm.perturbation.english.clauses import clauses, is_whole
from pfsm.perturbation.kind import CRITICAL, english
from pfsm.perturbation.text import Text

_LONGEST = 6


def _change(text: Text, dice: Dice) -> str | None:
    parse = text.parse
    found = [
        phrase
        for clause in clauses(parse)
        # After "and" the subject of the clause before would do.
        if not parse.children(clause.verb, "cc")
        and (phrase := parse.phrase(clause.subject))
        and len(phrase) <= _LONGEST
        and phrase[-1].end < clause.finite.start
        and is_whole(text.line, phrase)
        and parse.tokens[phrase[-1].at + 1].upos != "PUNCT"
        and not (phrase[0].at and parse.tokens[phrase[0].at - 1].form.endswith("."))
    ]
    if not found:
        return None
    phrase = dice.choice(found)
    return without(text.line, phrase[0].start, phrase[-1].end)


KIND = english("drop-subject", CRITICAL, "a subject is dropped", _change)
