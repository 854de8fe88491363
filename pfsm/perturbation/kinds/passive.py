"""English, harmless: an active clause is made passive."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import capitalised
from pfsm.perturbation.english.clauses import Clause, clauses, is_plural, lowered
from pfsm.perturbation.english.inflection import participle, verb_lemma
from pfsm.perturbation.kind import NONE, english
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Text, Token

_NO_PASSIVE = words("passive-no-passive")
_OBJECTS = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them", "who": "whom"}
_SUBJECTS = {"me": "I", "him": "he", "her": "she", "us": "we", "them": "they"}
_LONGEST = 9


def _change(text: Text, dice: Dice) -> str | None:
    line = text.line
    found = [
        (clause, thing) for clause in clauses(text.parse) if (thing := _object(text, clause)) is not None
    ]
    if not found:
        return None
    clause, thing = dice.choice(found)
    parse = text.parse
    left, right = parse.phrase(clause.subject), parse.phrase(thing)
    plural = is_plural(parse, thing)
    be = _be(clause, plural=bool(plural))
    new = (
        _SUBJECTS.get(right[0].lower, lowered(parse, line, right))
        if len(right) == 1
        else lowered(parse, line, right)
    )
    agent = (
        _OBJECTS.get(left[0].lower, lowered(parse, line, left))
        if len(left) == 1
        else lowered(parse, line, left)
    )
    if parse.is_first(left[0]):
        new = capitalised(new)
    passive = f"{new} {be} {participle(verb_lemma(clause.verb.lower))} by {agent}"
    return line[: left[0].start] + passive + line[right[-1].end :]


def _be(clause: Clause, *, plural: bool) -> str:
    """The auxiliaries of the passive."""
    if clause.auxiliaries and clause.finite.xpos == "MD":
        return f"{clause.finite.lower} be"
    if clause.auxiliaries:
        return "had been" if clause.finite.lower == "had" else "have been" if plural else "has been"
    if clause.verb.xpos == "VBD":
        return "were" if plural else "was"
    return "are" if plural else "is"


def _is_simple(clause: Clause) -> bool:
    """Whether the verb stands alone, or behind one modal verb or form of ``have``."""
    if not clause.auxiliaries:
        return clause.verb.xpos in {"VBD", "VBZ", "VBP"}
    finite, verb = clause.finite, clause.verb
    perfect = finite.lower in {"has", "have", "had"} and verb.xpos == "VBN"
    modal = finite.xpos == "MD" and verb.xpos == "VB" and finite.form[0].isalpha()
    return len(clause.auxiliaries) == 1 and finite.at + 1 == verb.at and (perfect or modal)


def _object(text: Text, clause: Clause) -> Token | None:
    """The object of a clause of subject, simple verb and object in a row, which nothing else depends on the form of."""
    parse, verb = text.parse, clause.verb
    thing = parse.child(verb, "obj")
    if thing is None or not _is_simple(clause):
        return None
    if verb_lemma(verb.lower) in _NO_PASSIVE or verb.label not in {
        "root",
        "ccomp",
        "advcl",
        "conj",
        "parataxis",
    }:
        return None
    # Other verbs of the subject, a clause or a particle would lose what they belong to.
    if parse.children(verb, "conj", "xcomp", "ccomp", "iobj", "compound", "advcl", "advmod", "expl"):
        return None
    left, right = parse.phrase(clause.subject), parse.phrase(thing)
    if not left or not right or left[-1].at + 1 != clause.finite.at or right[0].at != verb.at + 1:
        return None
    # What follows the object must not belong to it, as a second object or the rest of a noun would.
    after = parse.next(right[-1])
    if after is None or after.upos not in {"PUNCT", "ADP"} or after.lower == "of":
        return None
    if is_plural(parse, thing) is None or parse.children(thing, "conj"):
        return None
    # A bare noun, as in "caught fire", is half of its verb.
    if thing.xpos == "NN" and not parse.children(thing, "det", "nmod", "amod", "nummod"):
        return None
    if text.line[left[0].start - 1 : left[0].start] == "-":
        return None
    return thing if _is_plain(clause.subject, left) and _is_plain(thing, right) else None


def _is_plain(head: Token, phrase: list[Token]) -> bool:
    return (
        len(phrase) <= _LONGEST
        and head.upos in {"NOUN", "PROPN", "PRON"}
        and phrase[0].upos in {"DET", "ADJ", "NOUN", "PROPN", "PRON", "NUM"}
        and not head.lower.endswith(("self", "selves", "other"))
        and head.lower not in {"it", "that", "this", "there", "one"}
        and not any(
            one.xpos in {"PRP$", "WDT", "WP", "WRB"} or one.label in {"acl:relcl", "acl"} for one in phrase
        )
    )


KIND = english("passive", NONE, "an active clause is made passive", _change)
