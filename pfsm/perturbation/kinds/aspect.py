"""English: a verb stands in another aspect of the same tense."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.english.clauses import Clause, clauses
from pfsm.perturbation.english.inflection import gerund, participle, verb_lemma
from pfsm.perturbation.english.verbs import be, have
from pfsm.perturbation.kind import MINOR, english
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Parse, Text

# They have no progressive: it would be another fault.
_STATES = words("aspect-states")


def _change(text: Text, dice: Dice) -> str | None:
    found = [edits for clause in clauses(text.parse) if (edits := _other_aspect(text.parse, clause))]
    return edited(text.line, dice.choice(found)) if found else None


def _other_aspect(parse: Parse, clause: Clause) -> list[Edit]:
    verb, finite = clause.verb, clause.finite
    base = verb_lemma(verb.lower)
    if verb.upos != "VERB" or base in _STATES or not finite.form.islower() or finite.form[0] in "'’":
        return []
    if not clause.auxiliaries and verb.xpos in {"VBD", "VBZ", "VBP"}:
        form = be(parse, clause, past=verb.xpos == "VBD")
        return [Edit(verb.start, verb.end, f"{form} {gerund(base)}")] if form else []
    if len(clause.auxiliaries) != 1 or parse.next(finite) != verb:
        return []
    if finite.lower in {"has", "have"} and verb.xpos in {"VBN", "VBD"}:
        form = be(parse, clause, past=False)
        return [Edit(finite.start, verb.end, f"{form} {gerund(base)}")] if form else []
    if finite.lower in {"is", "are", "am"} and verb.xpos == "VBG" and base != "go":
        form = have(parse, clause)
        return [Edit(finite.start, verb.end, f"{form} {participle(base)}")] if form else []
    return []


KIND = english("aspect", MINOR, "a verb stands in another aspect", _change)
