"""Tense of clauses, and the moments that it stands for."""

from pfsm.analysis.discourse import words as known
from pfsm.analysis.discourse.draft import Draft
from pfsm.analysis.discourse.grammar import Grammar

_PAST, _PRESENT, _FUTURE = "past", "present", "future"


def add_time(draft: Draft, word: int, event: str, box: str, outer: str) -> None:
    """Adds the time of a finite clause without a modal; clauses of one tense share it.

    Args:
        draft: What is written to.
        word: The predicate.
        event: Its event.
        box: The event's box.
        outer: The box that the clause stands in; it introduces the moment.
    """
    tense, mark = tense_of(draft.grammar, word)
    if not tense:
        return
    if tense not in draft.moments:
        moment = draft.moments[tense] = draft.new("t")
        draft.concept(outer, "time", "n", moment, (mark,))
        if tense == _FUTURE:
            draft.add(outer, "TPR", '"now"', moment, words=(mark,))
        else:
            draft.add(outer, "TPR" if tense == _PAST else "EQU", moment, '"now"', words=(mark,))
    draft.add(box, "Time", event, draft.moments[tense], words=(mark,))


def tense_of(grammar: Grammar, word: int) -> tuple[str, int]:
    """Tense of a predicate and the word that has it; an empty tense for what is not finite, and for modals."""
    helpers = grammar.having(word, "aux", "cop")
    for child in helpers:
        if grammar.words[child] in known.FUTURE:
            return _FUTURE, child
    if any(grammar.tag(child) == "MD" or grammar.words[child] == "to" for child in helpers):
        return "", word
    if grammar.among(word, {"to"}, "mark") is not None:
        return "", word
    for child in [*helpers, word]:
        tag = grammar.tag(child)
        if tag == "VBD":
            return _PAST, child
        if tag in {"VBZ", "VBP"}:
            perfect = grammar.labels[child] == "aux" and grammar.lemmas[child] in {"have", "'s"}
            return _PAST if perfect and grammar.tag(word) == "VBN" else _PRESENT, child
    return "", word
