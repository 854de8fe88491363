"""English: a verb stands in another tense."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.english.clauses import Clause, clauses, has_end_mark
from pfsm.perturbation.english.inflection import past, third, verb_lemma
from pfsm.perturbation.english.verbs import be, have, subject_number
from pfsm.perturbation.kind import MAJOR, english
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Parse, Text, Token

# What is reported is the same in either tense.
_REPORTING = words("tense-reporting")


def _change(text: Text, dice: Dice) -> str | None:
    found = [edits for clause in clauses(text.parse) if (edits := _other_tense(text.parse, clause))]
    return edited(text.line, dice.choice(found)) if found else None


def _other_tense(parse: Parse, clause: Clause) -> list[Edit]:
    finite = clause.finite
    base = verb_lemma(finite.lower)
    if finite.form[0] in "'’" or base in _REPORTING or clause.verb.lower == "supposed":
        return []
    # Headlines tell the past in the present.
    if _is_reported(parse, clause) or not has_end_mark(parse, finite):
        return []
    if finite.lower == "will" and clause.auxiliaries:
        return _without_will(parse, clause)
    if finite.xpos == "MD" or (base != "be" and not clause.auxiliaries and finite.upos == "AUX"):
        return []
    new = _past(parse, clause, base) if finite.xpos in {"VBZ", "VBP"} else _present(parse, clause, base)
    return (
        [Edit(finite.start, finite.end, new)] if new and new != finite.lower and finite.form.islower() else []
    )


def _is_reported(parse: Parse, clause: Clause) -> bool:
    """Whether it is said or thought, or the clause says so: "he said that it is" and "that it was" are one."""
    verb = clause.verb
    marked = any(one.lower == "that" for one in parse.children(verb, "mark"))
    before = parse.head(verb)
    while verb.label == "conj" and (first := parse.head(verb)) is not None:
        verb, before = first, parse.head(first)
    complement = verb.label == "ccomp" and before is not None and before.at < verb.at
    return marked or complement or (not clause.auxiliaries and parse.child(verb, "ccomp") is not None)


def _past(parse: Parse, clause: Clause, base: str) -> str | None:
    return be(parse, clause, past=True) if base == "be" else past(base)


def _present(parse: Parse, clause: Clause, base: str) -> str | None:
    if base == "be":
        return be(parse, clause, past=False)
    if base == "have":
        return have(parse, clause)
    plural = True if clause.subject.lower == "i" else subject_number(parse, clause)
    if plural is None:
        return None
    return base if plural else third(base)


def _without_will(parse: Parse, clause: Clause) -> list[Edit]:
    """``will go`` becomes ``went``."""
    after: Token | None = parse.next(clause.finite)
    if (
        after is None
        or after.xpos != "VB"
        or after.at not in {one.at for one in (clause.verb, *clause.auxiliaries)}
    ):
        return []
    new = be(parse, clause, past=True) if after.lower == "be" else past(after.lower)
    return [Edit(clause.finite.start, after.end, new)] if new else []


KIND = english("tense", MAJOR, "a verb stands in another tense", _change)
