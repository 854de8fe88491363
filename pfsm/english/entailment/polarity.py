"""How a predicate is qualified: polarity, modality, tense, quantity; antonyms and hypernyms."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from pfsm.english.entailment.sides import Pair, Side
from pfsm.lexicons.relations import RelationTable

_ARGUMENTS = frozenset({"nsubj", "obj", "iobj", "obl"})
_AUXILIARIES = frozenset({"aux", "cop"})
_MODALS: Mapping[str, str] = {
    **dict.fromkeys(
        ["may", "might", "can", "ca", "could", "perhaps", "maybe", "possibly", "probably"], "possible"
    ),
    **dict.fromkeys(["must", "should", "ought", "need"], "necessary"),
    **dict.fromkeys(["would", "'d"], "hypothetical"),
}
_HAVE = frozenset({"have", "has", "had", "having", "'ve"})
_FUTURE = frozenset({"will", "shall", "'ll", "wo", "sha"})
_PERFECT = frozenset({"have", "has", "'ve"})
_QUANTIFIERS: Mapping[str, str] = {
    **dict.fromkeys(["all", "every", "each", "both", "everyone", "everybody", "everything", "always"], "all"),
    **dict.fromkeys(["most", "majority", "mostly"], "most"),
    **dict.fromkeys(["many", "much", "often"], "many"),
    **dict.fromkeys(["some", "several", "someone", "somebody", "something", "sometimes"], "some"),
    **dict.fromkeys(["few", "fewer", "little", "rarely", "seldom"], "few"),
    **dict.fromkeys(["no", "none", "nobody", "nothing", "neither", "never"], "none"),
}


def is_negated(side: Side, place: int) -> bool:
    """Whether an odd number of negations bears on a word: those that depend on it, or are or modify its arguments."""
    negating = side.negations
    count = 0
    for child in side.children[place]:
        argument = side.label(child) in _ARGUMENTS
        count += child in negating
        count += argument and sum(
            other in negating and side.label(other) == "det" for other in side.children[child]
        )
    return count % 2 == 1


def modality(side: Side, place: int) -> frozenset[str]:
    """``possible``, ``necessary``, ``hypothetical``: how a predicate is qualified; empty if it is not."""
    found = {
        _MODALS[side.words[child]]
        for child in side.children[place]
        if side.words[child] in _MODALS and side.label(child) in {"aux", "advmod"}
    }
    head = side.heads[place]
    if side.label(place) == "xcomp" and side.words[head] in _HAVE:
        found.add("necessary")  # has to
    return frozenset(found)


def tense(side: Side, place: int) -> str:
    """``past``, ``present`` or ``future``; empty for a word without one. The perfect is past."""
    auxiliaries = [child for child in side.children[place] if side.label(child) in _AUXILIARIES]
    words = {side.words[child] for child in auxiliaries}
    tags = {side.fine[child] for child in auxiliaries}
    if words & _FUTURE or _is_going_to(side, place):
        return "future"
    if "VBD" in tags or (words & _PERFECT and "VBN" in {*tags, side.fine[place]}):
        return "past"
    if tags & {"VBZ", "VBP"}:
        return "present"
    return {"VBD": "past", "VBZ": "present", "VBP": "present"}.get(
        "" if auxiliaries else side.fine[place], ""
    )


def _is_going_to(side: Side, place: int) -> bool:
    return side.label(place) == "xcomp" and side.words[side.heads[place]] == "going"


def quantifier(side: Side, place: int) -> str:
    """How many are meant: ``all``, ``most``, ``many``, ``some``, ``few``, ``none``; empty where nobody says."""
    if side.words[place] in _QUANTIFIERS:
        return _QUANTIFIERS[side.words[place]]
    for child in side.children[place]:
        if side.words[child] in _QUANTIFIERS and side.label(child) in {"det", "amod", "nummod"}:
            return _QUANTIFIERS[side.words[child]]
    head = side.heads[place]
    if side.label(place) == "nmod" and side.words[head] in _QUANTIFIERS:
        return _QUANTIFIERS[side.words[head]]  # most of them
    return ""


def is_predicate(side: Side, place: int) -> bool:
    """Whether a word says something of another: a verb, or what has a copula or an auxiliary."""
    return side.tags[place] == "VERB" or any(
        side.label(child) in _AUXILIARIES for child in side.children[place]
    )


def _predicates(pair: Pair) -> Iterator[tuple[int, int]]:
    for i, j in pair.aligned.items():
        if is_predicate(pair.reference, i) and is_predicate(pair.hypothesis, j):
            yield i, j


def _clash(pair: Pair, differ: Callable[[int, int], bool]) -> float:
    judged = list(_predicates(pair))
    return sum(differ(i, j) for i, j in judged) / max(1, len(judged))


def polarity_clash(pair: Pair) -> float:
    """Share of the aligned predicates of which one is negated and the other is not."""
    return _clash(pair, lambda i, j: is_negated(pair.reference, i) != is_negated(pair.hypothesis, j))


def modality_clash(pair: Pair) -> float:
    """Share of the aligned predicates with another modality."""
    return _clash(pair, lambda i, j: modality(pair.reference, i) != modality(pair.hypothesis, j))


def tense_clash(pair: Pair) -> float:
    """Share of the aligned predicates that both have a tense, and another one."""

    def differ(i: int, j: int) -> bool:
        ours, theirs = tense(pair.reference, i), tense(pair.hypothesis, j)
        return bool(ours and theirs) and ours != theirs

    return _clash(pair, differ)


def quantifier_clash(pair: Pair) -> float:
    """Share of the aligned nouns that both have a quantifier, and another one."""
    judged = [(i, j) for i, j in pair.aligned.items() if pair.reference.tags[i] in {"NOUN", "PROPN", "PRON"}]
    parts = ((quantifier(pair.reference, i), quantifier(pair.hypothesis, j)) for i, j in judged)
    return sum(bool(ours and theirs) and ours != theirs for ours, theirs in parts) / max(1, len(judged))


def negation_lost(pair: Pair) -> float:
    """How many more words negate in the reference than in the hypothesis; 0 if fewer do."""
    return float(max(0, len(pair.reference.negations) - len(pair.hypothesis.negations)))


def modality_lost(pair: Pair) -> float:
    """Modal words of the reference, by kind, that the hypothesis has no counterpart of."""
    return _lost(pair, _MODALS)


def quantifier_lost(pair: Pair) -> float:
    """Quantifiers of the reference, by kind, that the hypothesis has no counterpart of."""
    return _lost(pair, _QUANTIFIERS)


def _lost(pair: Pair, kinds: Mapping[str, str]) -> float:
    ours, theirs = (
        Counter(kinds[word] for word in side.words if word in kinds)
        for side in (pair.reference, pair.hypothesis)
    )
    return float((ours - theirs).total())


# Between a word's synset and one above it.
STEPS = 3


def antonyms(pair: Pair, table: RelationTable) -> float:
    """Share of the content words that have an antonym in the other side, neither or both of them negated."""
    return _related(
        pair,
        lambda i, j: (
            table.are_antonyms(pair.reference.words[i], pair.hypothesis.words[j])
            and is_negated(pair.reference, i) == is_negated(pair.hypothesis, j)
        ),
    )


def more_general(pair: Pair, table: RelationTable) -> float:
    """Share of the content words in whose place the other side has a hypernym, at most `STEPS` above."""
    return _related(
        pair, lambda i, j: table.is_kind_of(pair.reference.words[i], pair.hypothesis.words[j], STEPS)
    )


def _related(pair: Pair, related: Callable[[int, int], bool]) -> float:
    """Share of the content words that are not aligned and stand in a relation to one that is not either."""
    taken = set(pair.aligned.values())
    free = [place for place in pair.hypothesis.content if place not in taken]
    content = pair.reference.content
    found = sum(i not in pair.aligned and any(related(i, j) for j in free) for i in content)
    return found / max(1, len(content))
