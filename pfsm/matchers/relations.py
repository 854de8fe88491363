"""Who hangs on whom, and as what, among our tokens: an analysis seen through our tokenisation."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pfsm.analysis.alignment import TokenAlignment, align
from pfsm.analysis.sentence import Analysis

# Universal Dependencies labels of each class of the paper; the part after a colon does not count. A predicate in its
# sense, the complement of a copula, is the head in Universal Dependencies and the copula hangs on it.
LINK_CLASSES = {
    "subject": ("nsubj", "csubj"),
    "object": ("obj", "iobj", "ccomp", "xcomp"),
    "predicate": ("cop",),
}
CLASS_OF_LABEL = {label: name for name, labels in LINK_CLASSES.items() for label in labels}


@dataclass(frozen=True)
class Relation:
    """A token's head and label, and how probable they are.

    Attributes:
        head: Number of the head among our tokens, from 1; 0 for the root.
        label: Without subtype.
        probability: 1 where there is one tree and nothing else is known.
    """

    head: int
    label: str
    probability: float


Relations = tuple[tuple[Relation, ...], ...]


def relations(tokens: Sequence[str], analysis: Analysis, *, marginals: bool) -> Relations:
    """For each of our tokens its possible heads and labels; nothing where the analysis is of another text.

    One of our tokens that holds several of the analyser's stands for the one of them whose head is outside; of several
    of ours inside one of the analyser's the first stands for it and the others hang on nothing.

    Args:
        tokens: Ours.
        analysis: Of the same text.
        marginals: Whether to take the probabilities of arcs rather than the likeliest tree, where there are any.
    """
    alignment = align(tokens, analysis.tokens)
    if alignment is None or analysis.tree is None:
        return ((),) * len(tokens)
    arcs: dict[int, list[tuple[int, str, float]]] = defaultdict(list)
    for dependent, head, label, probability in _arcs(analysis, marginals):
        arcs[dependent].append((head, label, probability))
    return tuple(_of_token(token, alignment, analysis, arcs) for token in range(len(tokens)))


def _arcs(analysis: Analysis, marginals: bool) -> Iterator[tuple[int, int, str, float]]:
    """Dependent (from 0), head (from 1), label and probability."""
    table = analysis.marginals
    if marginals and table is not None:
        columns = (
            table.dependent.tolist(),
            table.head.tolist(),
            table.label.tolist(),
            table.probability.tolist(),
        )
        for dependent, head, label, probability in zip(*columns, strict=True):
            yield dependent, head, table.names[label], probability
    elif analysis.tree is not None:
        for dependent, (head, label) in enumerate(
            zip(analysis.tree.heads, analysis.tree.labels, strict=True)
        ):
            yield dependent, head, label, 1.0


def _of_token(
    token: int,
    alignment: TokenAlignment,
    analysis: Analysis,
    arcs: dict[int, list[tuple[int, str, float]]],
) -> tuple[Relation, ...]:
    first, last = int(alignment.first[token]), int(alignment.last[token])
    if first < 0 or int(alignment.ours[first]) != token:
        return ()
    speaker = _outward(first, last, analysis)
    summed: dict[tuple[int, str], float] = defaultdict(float)
    for head, label, probability in arcs[speaker]:
        ours = int(alignment.ours[head - 1]) + 1 if head else 0
        if ours != token + 1:
            summed[ours, label.partition(":")[0]] += probability
    return tuple(Relation(head, label, probability) for (head, label), probability in summed.items())


def _outward(first: int, last: int, analysis: Analysis) -> int:
    """The first of these words whose head is not among them."""
    heads = analysis.trees[0].heads
    return next((word for word in range(first, last + 1) if not first < heads[word] <= last + 1), first)
