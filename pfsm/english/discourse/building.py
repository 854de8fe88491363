"""Discourse representation structures from dependency trees and semantic roles, by rules.

Every predicate becomes an event or a state, every noun phrase a referent; definite phrases, names and pronouns stand in
presupposed boxes of their own (no projection: beside the box that they are used in). Negation, modals, universal
quantifiers (not … not), conditionals, coordinated clauses and the contents of attitudes open boxes. Roles have
PropBank's labels: those of the labeller where the analysis has them, else by the syntactic function and the voice. A
pronoun stands for the nearest referent before it that agrees, else for a new one.

Words are worked off from an agenda, not by recursion, so that no tree is too deep.
"""

from collections.abc import Sequence
from functools import lru_cache

from pfsm.analysis.clauses import Clause, Drs, is_constant
from pfsm.analysis.roles import Argument, Frame
from pfsm.analysis.sentence import Analysis, DependencyTree
from pfsm.english.discourse.draft import Draft
from pfsm.english.discourse.grammar import Grammar
from pfsm.english.discourse.phrases import Phrases
from pfsm.english.discourse.predicates import Predicates

# About ten kilobytes each. Metrics of one run ask for the same lines one after the other.
KEPT_STRUCTURES = 4096


def built_structure(analysis: Analysis) -> Drs:
    """The structure that the rules build of a line with a dependency tree.

    The structures built last are kept, so that several metrics over the same lines build them once.
    """
    # What the rules look at, as tuples: analysers of other packages may give lists. Probabilities are not among it.
    tree = analysis.trees[0]
    return _built(
        tuple(analysis.tokens),
        tuple(analysis.sentences),
        tuple(analysis.upos),
        tuple(analysis.xpos),
        tuple(tree.heads),
        tuple(tree.labels),
        _bare_frames(analysis.frames or ()),
    )


def _bare_frames(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    return tuple(
        Frame(frame.predicate, "", tuple(_bare_argument(one) for one in frame.arguments)) for frame in frames
    )


def _bare_argument(argument: Argument) -> Argument:
    return Argument(argument.label, tuple((start, end) for start, end in argument.spans))


@lru_cache(maxsize=KEPT_STRUCTURES)
def _built(
    tokens: tuple[str, ...],
    sentences: tuple[int, ...],
    upos: tuple[str, ...],
    xpos: tuple[str, ...],
    heads: tuple[int, ...],
    labels: tuple[str, ...],
    frames: tuple[Frame, ...],
) -> Drs:
    tree = DependencyTree(heads, labels)
    return _structure(Grammar(Analysis(tokens, sentences, upos, xpos, (tree,), frames=frames)))


def _structure(grammar: Grammar) -> Drs:
    draft = Draft(grammar)
    before = ""
    for start, end in grammar.analysis.bounds:
        for root in (word for word in range(start, end) if grammar.heads[word] < 0):
            main = draft.new("b")
            if before:
                draft.add(before, "CONTINUATION", main)
            size = len(draft.clauses)
            _work(draft, root, main)
            before = main if len(draft.clauses) > size else before
    return _in_order(draft.clauses)


def _work(draft: Draft, root: int, box: str) -> None:
    """Works off a sentence from its root, which stands in this box."""
    phrases, predicates = Phrases(draft), Predicates(draft)
    draft.agenda.append((root, box))
    while draft.agenda:
        word, where = draft.agenda.pop()
        if word in draft.done:
            continue
        draft.done.add(word)
        if draft.grammar.is_predicate(word):
            predicates.predicate(word, where)
        else:
            phrases.phrase(word, where)


def _in_order(clauses: Sequence[Clause]) -> Drs:
    """The clauses, each once, in the order of the words; variables are numbered in the order of their use."""
    ordered = sorted(dict.fromkeys(clauses), key=lambda one: one.words[:1] or (-1,))
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    for one in ordered:
        for name in (one.box, *(value for value in one.arguments if not is_constant(value))):
            if name not in names:
                counts[name[0]] = counts.get(name[0], 0) + 1
                names[name] = f"{name[0]}{counts[name[0]]}"
    return Drs(tuple(ordered)).renamed(names.__getitem__, 0)
