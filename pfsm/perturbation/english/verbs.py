"""Verb groups of English and their changes."""

from pfsm.perturbation.edits import in_case_of
from pfsm.perturbation.english.clauses import Clause, is_plural
from pfsm.perturbation.text import Parse

_BE_PRESENT = {True: "are", False: "is"}
_BE_PAST = {True: "were", False: "was"}


def be(parse: Parse, clause: Clause, *, past: bool) -> str | None:
    """The form of ``be`` that the subject takes; None where its number is not certain."""
    if clause.subject.lower == "i":
        return "was" if past else "am"
    number = subject_number(parse, clause)
    return None if number is None else (_BE_PAST if past else _BE_PRESENT)[number]


def have(parse: Parse, clause: Clause) -> str | None:
    """The form of ``have`` in the present that the subject takes."""
    if clause.subject.lower == "i":
        return "have"
    number = subject_number(parse, clause)
    return None if number is None else ("have" if number else "has")


def subject_number(parse: Parse, clause: Clause) -> bool | None:
    """Whether the subject is plural: by the verb where it shows it, else by the subject."""
    form = clause.finite.lower
    if form in {"are", "were", "have", "'re", "'ve"} or (
        clause.finite.xpos == "VBP" and form not in {"am", "'m"}
    ):
        return clause.subject.lower != "i" or None
    if clause.finite.xpos == "VBZ" or form == "was":
        return False
    if parse.children(clause.subject, "conj"):
        return True
    return is_plural(parse, clause.subject)


def like(new: str, old: str) -> str:
    """A new verb with the capitals of the old one."""
    return in_case_of(new, old)
