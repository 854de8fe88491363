"""English: a statement becomes a question."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import capitalised
from pfsm.perturbation.english.clauses import Clause, clauses, lowered
from pfsm.perturbation.english.inflection import verb_lemma
from pfsm.perturbation.kind import MAJOR, english
from pfsm.perturbation.text import Text

_DO = {"VBD": "did", "VBZ": "does", "VBP": "do"}


def _change(text: Text, dice: Dice) -> str | None:  # noqa: ARG001 - there is one way
    line = text.line.rstrip()
    if not line.endswith(".") or len(text.parse.starts) != 1 or '"' in line or "”" in line:
        return None
    for clause in clauses(text.parse):
        if clause.verb.label == "root":
            return _asked(text, clause, line[:-1])
    return None


def _asked(text: Text, clause: Clause, line: str) -> str | None:
    parse, finite = text.parse, clause.finite
    phrase = parse.phrase(clause.subject)
    after = parse.next(finite)
    if (
        not phrase
        or phrase[0].upos in {"ADP", "SCONJ", "ADV", "VERB"}
        or phrase[0].at != 0
        or phrase[-1].at >= finite.at
        or after is None
        or finite.form[0] in "'’"
    ):
        return None
    if after.lower == "n't" or after.start == finite.end:
        return None
    subject = lowered(parse, line, list(parse.tokens[: finite.at]))
    if clause.auxiliaries:
        return f"{capitalised(finite.form)} {subject}{line[finite.end :]}?"
    if finite.xpos not in _DO or verb_lemma(finite.lower) == "be":
        return None
    return f"{capitalised(_DO[finite.xpos])} {subject} {verb_lemma(finite.lower)}{line[finite.end :]}?"


KIND = english("question", MAJOR, "a statement becomes a question", _change)
