"""Boxes that a clause opens around its event: quantifiers, conditionals, negation and modals."""

from typing import NamedTuple

from pfsm.analysis.clauses import NEGATION
from pfsm.analysis.discourse import words as known
from pfsm.analysis.discourse.draft import Draft

_POSSIBILITY, _NECESSITY = "POSSIBILITY", "NECESSITY"


class Scope(NamedTuple):
    """The boxes of a predicate's clause.

    Attributes:
        clause: Inside the if-clauses before the predicate; coordinated clauses with a subject of their own stand there.
        phrases: Inside the quantified phrases too; clauses that share them, but not the negation, stand there.
        event: The innermost box, where the event stands.
    """

    clause: str
    phrases: str
    event: str


def scope_of(draft: Draft, word: int, box: str) -> Scope:
    """Opens the boxes of a predicate's clause.

    From the outside: if-clauses before it, universal and negative phrases, if-clauses after it, perhaps, negation,
    modals.
    """
    grammar = draft.grammar
    clauses = grammar.having(word, "advcl")
    clause = _within_conditionals(draft, [child for child in clauses if child < word], box)
    phrases = clause
    for child in grammar.having(word, "nsubj", "obj", "iobj", "obl"):
        phrases = _within_quantifier(draft, child, phrases)
    inner = _within_conditionals(draft, [child for child in clauses if child > word], phrases)
    return Scope(clause, phrases, _within_operators(draft, word, inner))


def _within_operators(draft: Draft, word: int, box: str) -> str:
    """Opens the boxes of perhaps, negation and modals."""
    maybe = draft.grammar.among(word, known.POSSIBLY, "advmod")
    if maybe is not None:
        draft.done.add(maybe)
        box = draft.within(box, _POSSIBILITY, maybe)
    return _within_modals(draft, word, _within_negations(draft, word, box))


def _within_quantifier(draft: Draft, child: int, box: str) -> str:
    """Opens the boxes of a universal or negative phrase, if it is one."""
    grammar = draft.grammar
    text = grammar.words[child]
    every = child if text in known.EVERY else grammar.among(child, known.EVERY_DETERMINERS, "det")
    none = child if text in known.NOBODY else grammar.among(child, known.NO_DETERMINERS, "det")
    mark = every if none is None else none
    if mark is None:
        return box
    restrictor = draft.within(box, NEGATION, mark)
    draft.boxes[child] = restrictor
    return draft.within(restrictor, NEGATION, mark) if none is None else restrictor


def _within_conditionals(draft: Draft, clauses: list[int], box: str) -> str:
    """Opens two boxes for each if-clause: one for the clause itself, and one in it for what follows from it."""
    grammar = draft.grammar
    for child in clauses:
        mark = grammar.among(child, known.CONDITIONAL, "mark", "advmod")
        if mark is not None:
            draft.boxes[child] = draft.within(box, NEGATION, mark)
            box = draft.within(draft.boxes[child], NEGATION, mark)
    return box


def _within_negations(draft: Draft, word: int, box: str) -> str:
    grammar = draft.grammar
    for child in grammar.having(word, "advmod"):
        if grammar.words[child] in known.NEGATIONS:
            draft.done.add(child)
            box = draft.within(box, NEGATION, child)
    return box


def _within_modals(draft: Draft, word: int, box: str) -> str:
    grammar = draft.grammar
    for child in grammar.having(word, "aux"):
        lemma = grammar.lemmas[child]
        if lemma in known.POSSIBLE:
            box = draft.within(box, _POSSIBILITY, child)
        elif lemma in known.NECESSARY:
            box = draft.within(box, _NECESSITY, child)
    return box
