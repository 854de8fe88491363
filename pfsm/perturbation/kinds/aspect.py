"""English: a verb stands in an aspect that it cannot have.

Most verbs may stand in several aspects, with a shade of meaning between them. These may not: a progressive of states
("it is containing") and of what was said at one moment ("he was adding that"), a perfect beside a point in the past
("they have met in 1990"), and a simple present of what has lasted since then ("she lives here since May").
"""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.english.clauses import Clause, clauses, is_negated, is_question
from pfsm.perturbation.english.inflection import gerund, participle, third, verb_lemma
from pfsm.perturbation.english.verbs import be, have, subject_number
from pfsm.perturbation.kind import MINOR, english
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Parse, Text, Token

_STATES = words("aspect-never-progressive")
# Their past progressive says that something was under way.
_PRESENT = frozenset(
    [
        "include",
        "exclude",
        "employ",
        "involve",
        "represent",
        "require",
        "realise",
        "realize",
        "remember",
        "recognise",
        "recognize",
        "prefer",
    ]
)
_REPORTS = words("aspect-reports")
_TIMES = words("reorder-adjunct-times") - {"today", "tomorrow", "may"}


def _change(text: Text, dice: Dice) -> str | None:
    found = [edits for clause in clauses(text.parse) if (edits := _other_aspect(text.parse, clause))]
    return edited(text.line, dice.choice(found)) if found else None


def _other_aspect(parse: Parse, clause: Clause) -> list[Edit]:
    verb, finite = clause.verb, clause.finite
    base = verb_lemma(verb.lower)
    if (
        verb.upos != "VERB"
        or not finite.form.islower()
        or finite.form[0] in "'’"
        or is_question(parse, verb)
        or any(one.lower in {"if", "unless", "as"} for one in parse.children(verb, "mark"))
    ):
        return []
    if not clause.auxiliaries:
        return _of_simple(parse, clause, base)
    present = len(clause.auxiliaries) == 1 and finite.lower in {"has", "have"} and parse.next(finite) == verb
    if present and verb.xpos == "VBN" and _is_since(parse, verb):
        plural = True if clause.subject.lower == "i" else subject_number(parse, clause)
        form = None if plural is None else base if plural else third(base)
        return [Edit(finite.start, verb.end, form)] if form else []
    return []


def _of_simple(parse: Parse, clause: Clause, base: str) -> list[Edit]:
    verb = clause.verb
    reported = base in _REPORTS and verb.xpos == "VBD" and parse.child(verb, "ccomp") is not None
    if verb.xpos in {"VBD", "VBZ", "VBP"} and (base in _STATES or reported):
        # Two names, or a name and an apposition: the number is not certain.
        if verb.xpos == "VBD" and (base in _PRESENT or parse.children(clause.subject, "conj", "appos")):
            return []
        form = be(parse, clause, past=verb.xpos == "VBD")
        return [Edit(verb.start, verb.end, f"{form} {gerund(base)}")] if form else []
    if verb.xpos == "VBD" and not is_negated(parse, clause) and _has_past_point(parse, verb):
        form = have(parse, clause)
        return [Edit(verb.start, verb.end, f"{form} {participle(base)}")] if form else []
    return []


def _has_past_point(parse: Parse, verb: Token) -> bool:
    """Whether the verb has an adjunct that says when something was, and that this time is over."""
    return any(_is_past_point(parse, one) for one in parse.children(verb, "obl", "advmod"))


def _is_past_point(parse: Parse, token: Token) -> bool:
    if token.lower in {"yesterday", "ago"}:
        return True
    if any(one.lower == "ago" for one in parse.children(token)):
        return True
    if any(one.lower == "last" for one in parse.children(token, "amod")):
        return token.lower in _TIMES and parse.child(token, "case") is None
    case = parse.child(token, "case")
    year = token.form.isdigit() and len(token.form) == 4 and "1900" < token.form < "2030"
    dated = token.lower in _TIMES and any(one.upos == "NUM" for one in parse.subtree(token))
    return case is not None and case.lower in {"in", "on"} and (year or (dated and case.lower == "on"))


def _is_since(parse: Parse, verb: Token) -> bool:
    return any(
        case.lower == "since" for one in parse.children(verb, "obl") for case in parse.children(one, "case")
    )


KIND = english("aspect", MINOR, "a verb stands in another aspect", _change)
