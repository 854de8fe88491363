"""Words that are neither aligned nor unrelated: antonyms, kinds and their kinds."""

from collections.abc import Callable

from pfsm.entailment.polarity import is_negated
from pfsm.entailment.sides import Pair
from pfsm.lexicons.relations import RelationTable

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
