"""English: subject and object of a verb change places."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, capitalised, edited
from pfsm.perturbation.english.clauses import Clause, clauses, is_plural, is_whole, lowered
from pfsm.perturbation.english.inflection import third, verb_lemma
from pfsm.perturbation.kind import CRITICAL, english
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Parse, Text, Token

# Verbs that say the same both ways.
_SYMMETRIC = words("role-swap-symmetric")
_OBJECTS = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
_SUBJECTS = {form: name for name, form in _OBJECTS.items()}
_LONGEST = 8


def _change(text: Text, dice: Dice) -> str | None:
    found = [edits for clause in clauses(text.parse) if (edits := _swapped(text, clause)) is not None]
    return edited(text.line, dice.choice(found)) if found else None


def _swapped(text: Text, clause: Clause) -> list[Edit] | None:
    parse, line = text.parse, text.line
    verb, subject = clause.verb, clause.subject
    thing = parse.child(verb, "obj")
    if thing is None or thing.at < verb.at or verb.upos != "VERB" or verb_lemma(verb.lower) in _SYMMETRIC:
        return None
    left, right = parse.phrase(subject), parse.phrase(thing)
    if not left or not right or not _may_swap(parse, subject, left) or not _may_swap(parse, thing, right):
        return None
    whole = (
        is_whole(line, left) and is_whole(line, right) and "'" not in {one.form for one in (*left, *right)}
    )
    ends = (left[-1].end, right[-1].end, left[0].start - 1, right[0].start - 1)
    # A name such as "A.B" or "X-Y" is several tokens.
    if any(line[end : end + 1] in {".", "-"} and line[end + 1 : end + 2].isalnum() for end in ends):
        return None
    if not whole or clause.finite.form[0] in "'’":
        return None
    first = _as(_SUBJECTS, right, lowered(parse, line, right))
    second = _as(_OBJECTS, left, lowered(parse, line, left))
    if parse.is_first(left[0]):
        first = capitalised(first)
    edits = [Edit(left[0].start, left[-1].end, first), Edit(right[0].start, right[-1].end, second)]
    agreed = _agreed(parse, clause, thing)
    return None if agreed is None else edits + agreed


def _as(forms: dict[str, str], phrase: list[Token], text: str) -> str:
    if len(phrase) == 1 and phrase[0].lower in forms:
        new = forms[phrase[0].lower]
        return "I" if new == "i" else new
    return text


def _may_swap(parse: Parse, head: Token, phrase: list[Token]) -> bool:
    if len(phrase) > _LONGEST or head.upos not in {"NOUN", "PROPN", "PRON"}:
        return False
    if phrase[0].upos in {"CCONJ", "ADV", "PUNCT", "ADP"} or (
        parse.children(head, "conj") and len(phrase) > 5
    ):
        return False
    barred = {"who", "which", "that", "what", "it", "this", "there", "those", "these", "you", "one", "each"}
    return (
        head.lower not in barred
        and not head.lower.endswith(("self", "selves"))
        and not any(
            one.xpos in {"WDT", "WP", "WRB"} or one.label in {"acl:relcl", "parataxis"} for one in phrase
        )
    )


def _agreed(parse: Parse, clause: Clause, thing: Token) -> list[Edit] | None:
    """The verb put into the number of its new subject; None where that is not certain."""
    finite = clause.finite
    if finite.xpos not in {"VBZ", "VBP"} and finite.lower not in {"was", "were"}:
        return []
    plural = True if parse.children(thing, "conj") else is_plural(parse, thing)
    if plural is None or finite.form[0] in "'’":
        return None
    base = verb_lemma(finite.lower)
    if base == "be":
        forms = ("was", "were") if finite.lower in {"was", "were"} else ("is", "are")
        new = forms[plural]
    else:
        new = base if plural else third(base)
    return [Edit(finite.start, finite.end, new)]


KIND = english("role-swap", CRITICAL, "subject and object change places", _change)
