"""Discourse representation structures from dependency trees and semantic roles, by rules.

Every predicate becomes an event or a state, every noun phrase a referent; definite phrases, names and pronouns stand in
presupposed boxes of their own (no projection: beside the box that they are used in). Negation, modals, universal
quantifiers (not … not), conditionals, coordinated clauses and the contents of attitudes open boxes. Roles have
PropBank's labels: those of the labeller where the analysis has them, else by the syntactic function and the voice. A
pronoun stands for the nearest referent before it that agrees, else for a new one.

Words are worked off from an agenda, not by recursion, so that no tree is too deep.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from pfsm_linguistics.analysis.clauses import Clause, Drs, is_constant
from pfsm_linguistics.analysis.roles import Argument, Frame
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree
from pfsm_linguistics.discourse import words as known
from pfsm_linguistics.discourse.draft import Draft, Scope, add_time, scope_of, tense_of
from pfsm_linguistics.discourse.grammar import LOOSE, NOUNS, SUBJECTS, Grammar
from pfsm_linguistics.discourse.phrases import argument, degrees, noun, phrase

PLACE_ROLE = "AM-LOC"
_TIME_ROLE, _MANNER_ROLE = "AM-TMP", "AM-MNR"
_RELATIVE_TAGS = frozenset({"WDT", "WP"})
# Dependents that are words of the clause itself, or clauses beside it, whatever role a labeller gives them.
_NO_ARGUMENTS = frozenset({"aux", "cop", "cc", "mark", "case", "punct", "ccomp", "conj", "parataxis", "list"})
_NO_ROLES = frozenset({"AM-MOD", "AM-NEG", "AM-DIS"})


def _arguments(draft: Draft, word: int) -> Iterator[tuple[int, str]]:
    """The words that are arguments of a predicate, with their roles.

    The relative pronoun of a clause gets the referent of the noun that the clause is attached to.
    """
    grammar = draft.grammar
    passive = grammar.is_passive(word)
    given = _given_roles(grammar, word)
    is_state = grammar.is_state(word)
    if grammar.labels[word] == "acl" and grammar.heads[word] >= 0 and not _takes_relative(draft, word):
        yield from _noun_above(draft, word, given, passive=passive)
    for child in grammar.children[word]:
        if grammar.labels[child] in _NO_ARGUMENTS or child in draft.boxed:
            continue
        # "How many" asks for a number, wherever its first word hangs.
        how_many = grammar.words[child] == "how" and grammar.words[child + 1 : child + 2] in (
            ["many"],
            ["much"],
        )
        if how_many or (child in draft.done and child not in draft.referents):
            continue
        role = given.get(child) or _by_function(draft, child, passive=passive)
        if not role or role in _NO_ROLES:
            continue
        yield child, "AttributeOf" if is_state and grammar.labels[child] in SUBJECTS else role


def _takes_relative(draft: Draft, word: int) -> bool:
    """Gives the relative pronoun of a clause the noun's referent, if there is one."""
    grammar = draft.grammar
    for child in grammar.having(word, *SUBJECTS, "obj", "obl"):
        if grammar.tag(child) in _RELATIVE_TAGS or grammar.words[child] in known.RELATIVE:
            draft.referents[child] = draft.referent(grammar.heads[word])
            draft.done.add(child)
            return True
    return False


def _noun_above(
    draft: Draft, word: int, given: dict[int, str], *, passive: bool
) -> Iterator[tuple[int, str]]:
    """The noun that a clause is attached to, as the argument that the clause lacks."""
    grammar = draft.grammar
    noun = grammar.heads[word]
    if grammar.whole[word] != "acl:relcl":
        if grammar.among(word, {"to"}, "mark") is None:
            yield noun, given.get(noun, "A1" if passive else "A0")
        return
    lacking = "A0" if grammar.first(word, *SUBJECTS) is None else "A1"
    yield noun, given.get(noun, "A1" if passive and lacking == "A0" else lacking)


def _by_function(draft: Draft, child: int, *, passive: bool) -> str:
    """Role by syntactic function and voice; empty for what is not an argument."""
    grammar = draft.grammar
    label, head = grammar.labels[child], grammar.heads[child]
    if label in SUBJECTS:
        return "A1" if passive else "A0"
    if label == "obj":
        return "A1"
    if label == "xcomp":
        return "A1" if grammar.first(head, "obj") is None else "A2"
    if label == "iobj":
        return "A2"
    if label == "obl":
        return _role_of_oblique(grammar, child, passive=passive)
    text = grammar.words[child]
    if label != "advmod" or grammar.category(head) == "ADJ":
        return ""
    if text in known.ASKED_ROLES:
        return known.ASKED_ROLES[text]
    if child in draft.done or text in known.FOCUS | known.NEGATIONS | known.POSSIBLY:
        return ""
    return _TIME_ROLE if text in known.TIMES else _MANNER_ROLE


def _given_roles(grammar: Grammar, word: int) -> dict[int, str]:
    """Roles of the labeller by the head word of the argument; R-A0 and C-A0 are A0."""
    frame = grammar.frame(word)
    if frame is None:
        return {}
    found: dict[int, str] = {}
    for one in frame.arguments:
        inside = set(one.words)
        label = one.label.removeprefix("R-").removeprefix("C-")
        found |= {word: label for word in one.words if grammar.heads[word] not in inside}
    return found


def _role_of_oblique(grammar: Grammar, child: int, *, passive: bool) -> str:
    prepositions = [grammar.words[word] for word in grammar.case(child)]
    if passive and ("by" in prepositions or grammar.whole[child] == "obl:agent"):
        return "A0"
    if grammar.words[child] in known.TIMES or grammar.whole[child] == "obl:tmod":
        return _TIME_ROLE
    return PLACE_ROLE if prepositions and prepositions[0] in known.PLACES else "A2"


def _predicate(draft: Draft, word: int, box: str) -> None:
    """A clause with its predicate, from the box that it stands in."""
    grammar = draft.grammar
    scope = scope_of(draft, word, box)
    inner = scope.event
    draft.done.update(grammar.having(word, "aux", "cop"))
    event = _event(draft, word, inner, box)
    adverbial = grammar.having(word, "advcl")
    draft.boxed.update(child for child in adverbial if child in draft.boxes or _relation(draft, child)[0])
    arguments = list(_arguments(draft, word))
    # The agenda is worked off from its end: arguments come before what is beside them, in the order of the text.
    for child in reversed(grammar.children[word]):
        _other_dependent(draft, child, word, scope, event)
    for child, role in reversed(arguments):
        # Subjects stand outside the clause's negation and modals.
        is_outside = grammar.labels[child] in SUBJECTS and not grammar.is_predicate(child)
        target = argument(draft, child, draft.boxes.get(child, scope.clause if is_outside else inner))
        draft.add(inner, role, event, target, words=tuple(grammar.case(child)[:1]) or (word,))
    # The bare verb of a sentence without a subject is an imperative.
    if grammar.tag(word) == "VB" and grammar.heads[word] < 0 and not grammar.having(word, "mark", *SUBJECTS):
        draft.add(inner, "A0", event, _hearer(draft, word, box), words=(word,))


def _hearer(draft: Draft, word: int, box: str) -> str:
    """The referent of the hearer, whom an imperative introduces unless somebody did."""
    if "hearer" not in draft.persons:
        who = draft.persons["hearer"] = draft.new("x")
        draft.concept(box, "person", "n", who, (word,))
        draft.add(box, "EQU", who, '"hearer"', words=(word,))
    return draft.persons["hearer"]


def _event(draft: Draft, word: int, box: str, outer: str) -> str:
    """The event or state of a predicate in its box, with its time; the clause stands in the outer box."""
    grammar = draft.grammar
    category = grammar.category(word)
    is_state = grammar.is_state(word)
    if not is_state and category not in {"VERB", "AUX"}:
        return _being(draft, word, box, outer)
    event = draft.referent(word)
    draft.concept(box, grammar.symbol(word), "a" if is_state else "v", event, (word,))
    if is_state:
        degrees(draft, word, box, only_adverbs=True)
    add_time(draft, word, event, box, outer)
    return event


def _being(draft: Draft, word: int, box: str, outer: str) -> str:
    """A noun as a predicate: an event of being, whose second argument it is."""
    grammar = draft.grammar
    copula = grammar.first(word, "cop")
    event = draft.new("e")
    draft.concept(box, "be", "v", event, (word if copula is None else copula,))
    add_time(draft, word, event, box, outer)
    case = grammar.case(word)
    role = (PLACE_ROLE if grammar.words[case[0]] in known.PLACES else "A2") if case else "A2"
    role = known.ASKED_ROLES.get(grammar.words[word], role)
    noun(draft, word, box)
    draft.add(box, role, event, draft.referent(word), words=tuple(case[:1]) or (word,))
    return event


def _other_dependent(draft: Draft, child: int, word: int, scope: Scope, event: str) -> None:
    """A dependent that is not an argument: other clauses, coordination."""
    grammar = draft.grammar
    box = scope.event
    label = grammar.labels[child]
    if label == "ccomp":
        inner = draft.new("b")
        draft.add(box, "ATTRIBUTION", inner, words=(word,))
        draft.add(box, "Proposition", event, inner, words=(word,))
        draft.later(child, inner)
    elif label == "advcl":
        _adverbial(draft, child, box)
    elif label == "conj":
        _coordinated(draft, child, word, scope)
    elif label in LOOSE and grammar.category(child) not in {"INTJ", "PUNCT", "PART"}:
        inner = draft.new("b")
        draft.add(scope.clause, "CONTINUATION", inner, words=(child,))
        draft.later(child, inner)


def _relation(draft: Draft, child: int) -> tuple[str, tuple[int, ...]]:
    grammar = draft.grammar
    mark = grammar.first(child, "mark", "advmod")
    text = "" if mark is None else grammar.words[mark]
    words = (child,) if mark is None else (mark,)
    if text in known.CAUSAL:
        return "EXPLANATION", words
    if text in known.CONTRASTIVE:
        return "CONTRAST", words
    if grammar.is_predicate(child) and tense_of(grammar, child)[0]:
        return "CONTINUATION", words
    return "", words


def _adverbial(draft: Draft, child: int, box: str) -> None:
    """An adverbial clause, with the relation that its conjunction says."""
    if child in draft.boxes:
        draft.later(child, draft.boxes[child])
        return
    relation, words = _relation(draft, child)
    draft.done.update(
        one for one in draft.grammar.having(child, "advmod") if draft.grammar.words[one] in known.ASKED_ROLES
    )
    inner = draft.new("b") if relation else box
    if relation:
        draft.add(box, relation, inner, words=words)
    draft.later(child, inner)


def _coordinated(draft: Draft, child: int, word: int, scope: Scope) -> None:
    """A coordinated clause; without a subject of its own it shares that of the first.

    It stands outside the first clause's negation and modals if it has a subject or an auxiliary of its own, or
    contrasts with it.
    """
    grammar = draft.grammar
    if not grammar.is_predicate(word) or (
        grammar.category(child) in NOUNS and not grammar.is_predicate(child)
    ):
        draft.later(child, scope.event)
        return
    mark = grammar.first(child, "cc")
    text = "and" if mark is None else grammar.words[mark]
    box = scope.event
    if grammar.first(child, *SUBJECTS) is not None:
        box = scope.clause
    elif text in known.CONTRASTIVE or grammar.first(child, "aux", "cop") is not None:
        box = scope.phrases
    words = (child,) if mark is None else (mark,)
    inner = draft.new("b")
    if text in known.ALTERNATIVE:
        relation = "ALTERNATION"
    else:
        relation = "CONTRAST" if text in known.CONTRASTIVE else "CONTINUATION"
    draft.add(box, relation, inner, words=words)
    draft.later(child, inner)
    _share_subject(draft, child, word, inner)


def _share_subject(draft: Draft, child: int, word: int, box: str) -> None:
    """Gives a coordinated verb without a subject that of the first predicate."""
    grammar = draft.grammar
    subject = grammar.first(word, *SUBJECTS)
    has_own = grammar.first(child, *SUBJECTS) is not None
    if subject is not None and not has_own and grammar.category(child) == "VERB":
        passive = grammar.is_passive(child)
        role = _given_roles(grammar, child).get(subject) or _by_function(draft, subject, passive=passive)
        draft.add(box, role, draft.referent(child), draft.referent(subject), words=(child,))


# About ten kilobytes each. Metrics of one run ask for the same lines one after the other.
KEPT_STRUCTURES = 4096


def structure_of(analysis: Analysis) -> Drs:
    """Return the structure of a line: the one that is given, else the one that the rules build.

    A line without a dependency tree, or without a word that adds a condition, has no clause. The structures built last
    are kept, so that several metrics over the same lines build them once.
    """
    if analysis.drs is not None:
        return analysis.drs
    if not analysis.trees:
        return Drs(())
    # What the rules look at, as tuples: analysers of other packages may give lists. Probabilities are not among it.
    tree = analysis.trees[0]
    return _built(
        tuple(analysis.tokens),
        tuple(analysis.sentences),
        tuple(analysis.upos),
        tuple(analysis.xpos),
        DependencyTree(tuple(tree.heads), tuple(tree.labels), 0.0),
        tuple(
            Frame(frame.predicate, "", tuple(_bare(one) for one in frame.arguments))
            for frame in analysis.frames or ()
        ),
    )


def _bare(argument: Argument) -> Argument:
    return Argument(argument.label, tuple((start, end) for start, end in argument.spans))


@lru_cache(maxsize=KEPT_STRUCTURES)
def _built(
    tokens: tuple[str, ...],
    sentences: tuple[int, ...],
    upos: tuple[str, ...],
    xpos: tuple[str, ...],
    tree: DependencyTree,
    frames: tuple[Frame, ...],
) -> Drs:
    grammar = Grammar(Analysis(tokens, sentences, upos, xpos, (tree,), frames=frames))
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
    draft.agenda.append((root, box))
    while draft.agenda:
        word, where = draft.agenda.pop()
        if word in draft.done:
            continue
        draft.done.add(word)
        if draft.grammar.is_predicate(word):
            _predicate(draft, word, where)
        else:
            phrase(draft, word, where)


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
