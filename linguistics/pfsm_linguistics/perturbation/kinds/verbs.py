"""English: tense, aspect and agreement of verbs."""

from pfsm.perturbation.edits import Edit, changed
from pfsm.perturbation.kind import MAJOR, MINOR
from pfsm.perturbation.text import Dice, Parse, Text, Token
from pfsm_linguistics.lists import words
from pfsm_linguistics.perturbation.clauses import (
    Clause,
    be,
    clauses,
    has_end_mark,
    have,
    is_negated,
    is_plural,
    is_question,
    subject_number,
)
from pfsm_linguistics.perturbation.forms import gerund, participle, past, third, verb_lemma
from pfsm_linguistics.perturbation.parsing import english

# What is reported is the same in either tense.
_REPORTING = words("tense-reporting")


@english("tense", MAJOR, "a verb stands in another tense")
def _tense(text: Text, dice: Dice) -> str | None:
    found = [edit for clause in clauses(text.parse) if (edit := _other_tense(text.parse, clause))]
    return changed(text.line, dice, found)


def _other_tense(parse: Parse, clause: Clause) -> Edit | None:
    finite = clause.finite
    base = verb_lemma(finite.lower)
    if finite.form[0] in "'’" or base in _REPORTING or clause.verb.lower == "supposed":
        return None
    # Headlines tell the past in the present.
    if _is_reported(parse, clause) or not has_end_mark(parse, finite):
        return None
    if finite.lower == "will" and clause.auxiliaries:
        return _without_will(parse, clause)
    if finite.xpos == "MD" or (base != "be" and not clause.auxiliaries and finite.upos == "AUX"):
        return None
    if finite.xpos in {"VBZ", "VBP"}:
        new = be(parse, clause, past=True) if base == "be" else past(base)
    else:
        new = _present(parse, clause, base)
    is_other = new and new != finite.lower and finite.form.islower()
    return Edit(finite.start, finite.end, new) if new and is_other else None


def _is_reported(parse: Parse, clause: Clause) -> bool:
    """Whether it is said or thought, or the clause says so: "he said that it is" and "that it was" are one."""
    verb = clause.verb
    marked = any(one.lower == "that" for one in parse.children(verb, "mark"))
    before = parse.head(verb)
    while verb.label == "conj" and (first := parse.head(verb)) is not None:
        verb, before = first, parse.head(first)
    complement = verb.label == "ccomp" and before is not None and before.at < verb.at
    return marked or complement or (not clause.auxiliaries and parse.child(verb, "ccomp") is not None)


def _present(parse: Parse, clause: Clause, base: str) -> str | None:
    if base == "be":
        return be(parse, clause, past=False)
    if base == "have":
        return have(parse, clause)
    return _simple_present(parse, clause, base)


def _simple_present(parse: Parse, clause: Clause, base: str) -> str | None:
    plural = True if clause.subject.lower == "i" else subject_number(parse, clause)
    return None if plural is None else base if plural else third(base)


def _without_will(parse: Parse, clause: Clause) -> Edit | None:
    """``will go`` becomes ``went``."""
    after: Token | None = parse.next(clause.finite)
    if (
        after is None
        or after.xpos != "VB"
        or after.at not in {one.at for one in (clause.verb, *clause.auxiliaries)}
    ):
        return None
    new = be(parse, clause, past=True) if after.lower == "be" else past(after.lower)
    return Edit(clause.finite.start, after.end, new) if new else None


_STATES = words("aspect-never-progressive")
# Their past progressive says that something was under way.
_PRESENT = frozenset([
    "include", "exclude", "employ", "involve", "represent", "require", "realise", "realize", "remember",
    "recognise", "recognize", "prefer",
])  # fmt: skip
_REPORTS = words("aspect-reports")
_TIMES = words("reorder-adjunct-times") - {"today", "tomorrow", "may"}


@english("aspect", MINOR, "a verb stands in another aspect")
def _aspect(text: Text, dice: Dice) -> str | None:
    """English: a verb stands in an aspect that it cannot have.

    Most verbs may stand in several aspects, with a shade of meaning between them. These may not: a progressive
    of states ("it is containing") and of what was said at one moment ("he was adding that"), a perfect beside a
    point in the past ("they have met in 1990"), and a simple present of what has lasted since then ("she lives
    here since May").
    """
    found = [edit for clause in clauses(text.parse) if (edit := _other_aspect(text.parse, clause))]
    return changed(text.line, dice, found)


def _other_aspect(parse: Parse, clause: Clause) -> Edit | None:
    verb, finite = clause.verb, clause.finite
    base = verb_lemma(verb.lower)
    if (
        verb.upos != "VERB"
        or not finite.form.islower()
        or finite.form[0] in "'’"
        or is_question(parse, verb)
        or any(one.lower in {"if", "unless", "as"} for one in parse.children(verb, "mark"))
    ):
        return None
    if not clause.auxiliaries:
        return _of_simple(parse, clause, base)
    present = len(clause.auxiliaries) == 1 and finite.lower in {"has", "have"} and parse.next(finite) == verb
    cases = [case for one in parse.children(verb, "obl") for case in parse.children(one, "case")]
    if present and verb.xpos == "VBN" and any(case.lower == "since" for case in cases):
        form = _simple_present(parse, clause, base)
        return Edit(finite.start, verb.end, form) if form else None
    return None


def _of_simple(parse: Parse, clause: Clause, base: str) -> Edit | None:
    verb = clause.verb
    reported = base in _REPORTS and verb.xpos == "VBD" and parse.child(verb, "ccomp") is not None
    if verb.xpos in {"VBD", "VBZ", "VBP"} and (base in _STATES or reported):
        # Two names, or a name and an apposition: the number is not certain.
        if verb.xpos == "VBD" and (base in _PRESENT or parse.children(clause.subject, "conj", "appos")):
            return None
        form = be(parse, clause, past=verb.xpos == "VBD")
        return Edit(verb.start, verb.end, f"{form} {gerund(base)}") if form else None
    adjuncts = parse.children(verb, "obl", "advmod")
    if (
        verb.xpos == "VBD"
        and not is_negated(parse, clause)
        and any(_is_past_point(parse, one) for one in adjuncts)
    ):
        form = have(parse, clause)
        return Edit(verb.start, verb.end, f"{form} {participle(base)}") if form else None
    return None


def _is_past_point(parse: Parse, token: Token) -> bool:
    """Whether an adjunct says when something was, and that this time is over."""
    if token.lower in {"yesterday", "ago"} or any(one.lower == "ago" for one in parse.children(token)):
        return True
    if any(one.lower == "last" for one in parse.children(token, "amod")):
        return token.lower in _TIMES and parse.child(token, "case") is None
    case = parse.child(token, "case")
    year = token.form.isdigit() and len(token.form) == 4 and "1900" < token.form < "2030"
    dated = token.lower in _TIMES and any(one.upos == "NUM" for one in parse.subtree(token))
    return case is not None and case.lower in {"in", "on"} and (year or (dated and case.lower == "on"))


_SINGULAR = {"is": "are", "was": "were", "has": "have", "does": "do"}
_PLURAL = {plural: singular for singular, plural in _SINGULAR.items()}


@english("agreement", MINOR, "a verb does not agree with its subject in number")
def _agreement(text: Text, dice: Dice) -> str | None:
    found = [
        Edit(clause.finite.start, clause.finite.end, new)
        for clause in clauses(text.parse)
        if (new := _disagreeing(text.parse, clause)) is not None
    ]
    return changed(text.line, dice, found)


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
    if finite.lower in _SINGULAR or finite.lower in _PLURAL:
        return (_PLURAL if plural else _SINGULAR).get(finite.lower)
    if finite.xpos == "VBZ" and not plural and finite.form[0].isalpha():
        base = verb_lemma(finite.lower)
        return base if base != finite.lower else None
    if finite.xpos == "VBP" and plural and finite.form.isalpha():
        return third(finite.lower)
    return None
