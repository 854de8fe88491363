"""Boxes that a clause opens around its event: quantifiers, conditionals, negation and modals."""

from pfsm.analysis.clauses import NEGATION
from pfsm.analysis.discourse import words as known
from pfsm.analysis.discourse.draft import Draft

_POSSIBILITY, _NECESSITY = "POSSIBILITY", "NECESSITY"


def innermost_box(draft: Draft, word: int, box: str) -> str:
    """Opens the boxes of a predicate's clause; the innermost one, where its event stands.

    From the outside: universal and negative phrases, if-clauses, perhaps, negation, modals.
    """
    for child in draft.grammar.having(word, "nsubj", "obj"):
        box = _within_quantifier(draft, child, box)
    box = _within_conditionals(draft, word, box)
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


def _within_conditionals(draft: Draft, word: int, box: str) -> str:
    """Opens two boxes for each if-clause: one for the clause itself, and one in it for what follows from it."""
    grammar = draft.grammar
    for child in grammar.having(word, "advcl"):
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
