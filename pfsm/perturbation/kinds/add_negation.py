"""English: a clause is negated."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.english.clauses import Clause, clauses, is_negated, is_question
from pfsm.perturbation.english.inflection import verb_lemma
from pfsm.perturbation.kind import CRITICAL, english
from pfsm.perturbation.text import Text

_DO = {"VBD": "did not", "VBZ": "does not", "VBP": "do not"}
# Clauses with these mean nearly the same, or nothing, when they are negated.
_POLAR = frozenset(["some", "already", "yet", "any", "too", "either", "also", "still"])


def _change(text: Text, dice: Dice) -> str | None:
    parse, line = text.parse, text.line
    found = [
        clause
        for clause in clauses(parse)
        if not is_negated(parse, clause)
        and not is_question(parse, clause.verb)
        and clause.finite.form[0] not in "'’"
        and not any(one.lower in _POLAR for one in parse.children(clause.verb, "advmod"))
        and not any(
            one.lower in {"whether", "if", "unless", "than"} for one in parse.children(clause.verb, "mark")
        )
        and clause.finite.lower not in {"had", "got", "used", "ought"}
        and clause.verb.lower != "better"
        and not _is_headless(clause)
    ]
    if not found:
        return None
    clause = dice.choice(found)
    finite = clause.finite
    if clause.auxiliaries:
        new = "cannot" if finite.lower == "can" else f"{finite.form} not"
        return edited(line, [Edit(finite.start, finite.end, new)])
    return edited(line, [Edit(finite.start, finite.end, f"{_DO[finite.xpos]} {verb_lemma(finite.lower)}")])


def _is_headless(clause: Clause) -> bool:
    """Whether the finite verb is a form of ``be`` or a modal that the parse takes for a full verb."""
    return not clause.auxiliaries and (clause.finite.xpos == "MD" or verb_lemma(clause.finite.lower) == "be")


KIND = english("add-negation", CRITICAL, "a clause is negated", _change)
