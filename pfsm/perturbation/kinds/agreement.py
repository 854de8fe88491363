"""English: a verb does not agree with its subject."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.english.clauses import Clause, clauses, is_plural
from pfsm.perturbation.english.inflection import third, verb_lemma
from pfsm.perturbation.kind import MINOR, english
from pfsm.perturbation.text import Parse, Text

_OTHER = {
    "is": "are",
    "are": "is",
    "was": "were",
    "were": "was",
    "has": "have",
    "have": "has",
    "does": "do",
    "do": "does",
}


def _change(text: Text, dice: Dice) -> str | None:
    found = [
        Edit(clause.finite.start, clause.finite.end, new)
        for clause in clauses(text.parse)
        if (new := _disagreeing(text.parse, clause)) is not None
    ]
    return edited(text.line, [dice.choice(found)]) if found else None


def _disagreeing(parse: Parse, clause: Clause) -> str | None:
    subject, finite = clause.subject, clause.finite
    plural = is_plural(parse, subject)
    if plural is None or subject.lower == "i" or subject.upos == "PROPN":
        return None
    if (
        any(one.lower in {"if", "as"} for one in parse.children(clause.verb, "mark"))
        or not finite.form.islower()
    ):
        return None
    if finite.lower in _OTHER:
        right = {"is", "was", "has", "does"} if not plural else {"are", "were", "have", "do"}
        return _OTHER[finite.lower] if finite.lower in right else None
    if finite.xpos == "VBZ" and not plural and finite.form[0].isalpha():
        base = verb_lemma(finite.lower)
        return base if base != finite.lower else None
    if finite.xpos == "VBP" and plural and finite.form.isalpha():
        return third(finite.lower)
    return None


KIND = english("agreement", MINOR, "a verb does not agree with its subject in number", _change)
