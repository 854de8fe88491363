"""How much of one side's words and relations the other side has, and whether what depends on what is the same.

Each function looks at the pair in one direction: what of the reference is in the hypothesis. The other direction is
that of `Pair.swapped`.
"""

from collections.abc import Callable, Iterable, Iterator

from pfsm.english.entailment.sides import ROOT, Pair, Side, share

_MODIFIERS = frozenset({"ADJ", "ADV"})
_NOUNS = frozenset({"NOUN", "PROPN"})
_VERBS = frozenset({"VERB"})
# Whoever is acted on is so in the passive too.
_ARGUMENTS = {
    "nsubj": "subject",
    "csubj": "subject",
    "obl:agent": "subject",
    "nsubj:pass": "object",
    "obj": "object",
    "iobj": "object",
}


def content(pair: Pair) -> float:
    """Share of the content words that are aligned."""
    return _aligned(pair, pair.reference.content)


def nouns(pair: Pair) -> float:
    """Share of the nouns and names that are aligned."""
    return _aligned(pair, _tagged(pair.reference, _NOUNS))


def verbs(pair: Pair) -> float:
    """Share of the verbs with content that are aligned."""
    return _aligned(pair, _tagged(pair.reference, _VERBS))


def modifiers(pair: Pair) -> float:
    """Share of the adjectives and adverbs with content that are aligned."""
    return _aligned(pair, _tagged(pair.reference, _MODIFIERS))


def _tagged(side: Side, tags: frozenset[str]) -> list[int]:
    return [place for place in side.content if side.tags[place] in tags]


def _aligned(pair: Pair, places: Iterable[int]) -> float:
    wanted = list(places)
    return share(sum(place in pair.aligned for place in wanted), len(wanted))


def relations(pair: Pair) -> float:
    """Share of the relations between words that hold, with the same label, between the words aligned with them."""
    return _kept(pair, lambda side, place: side.label(place))


def attachments(pair: Pair) -> float:
    """The same whatever the labels."""
    return _kept(pair, lambda side, place: "" if side.is_word(place) else None)


def arguments(pair: Pair) -> float:
    """The same for subjects and objects alone, by what they are in the active voice."""
    return _kept(pair, _argument)


def _argument(side: Side, place: int) -> str | None:
    return _ARGUMENTS.get(side.labels[place], _ARGUMENTS.get(side.label(place)))


Kind = Callable[[Side, int], str | None]


def _kept(pair: Pair, kind: Kind) -> float:
    wanted = list(_dependents(pair.reference, kind))
    return share(sum(_holds(pair, place, kind) for place in wanted), len(wanted))


def _dependents(side: Side, kind: Kind) -> Iterator[int]:
    for place, head in enumerate(side.heads):
        if head != ROOT and side.is_word(place) and side.is_word(head) and kind(side, place) is not None:
            yield place


def _holds(pair: Pair, place: int, kind: Kind) -> bool:
    other, head = pair.aligned.get(place), pair.aligned.get(pair.reference.heads[place])
    if other is None or head is None:
        return False
    same_kind = kind(pair.reference, place) == kind(pair.hypothesis, other)
    return same_kind and pair.hypothesis.heads[other] == head


def roots(pair: Pair) -> float:
    """Share of the sentences' roots, their main verbs as a rule, that are aligned with anything."""
    return _aligned(pair, pair.reference.roots)


def root_match(pair: Pair) -> float:
    """Whether some root is aligned with a root; so are two lines without any."""
    ours, theirs = pair.reference.roots, pair.hypothesis.roots
    return float(any(pair.aligned.get(place) in theirs for place in ours) or not (ours or theirs))


def head_mismatch(pair: Pair) -> float:
    """Share of aligned content words with aligned heads that hang, in the hypothesis, from another word than that."""
    judged = [
        place
        for place in pair.reference.content
        if place in pair.aligned and pair.reference.heads[place] in pair.aligned
    ]
    wrong = sum(
        pair.hypothesis.heads[pair.aligned[place]] != pair.aligned[pair.reference.heads[place]]
        for place in judged
    )
    return wrong / max(1, len(judged))
