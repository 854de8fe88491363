"""What matchers over analyses share: the analyses of the lines of sentence pairs.

Analyses are read off for our tokens; each distinct line is analysed and read once.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from pfsm.matchers.protocol import EncodedPairs
from pfsm.text.vocabulary import EncodedLines
from pfsm_linguistics.analysis.alignment import TokenAlignment, align
from pfsm_linguistics.analysis.sentence import Analysis

Found = TypeVar("Found")
Analyse = Callable[[Sequence[str]], Sequence[Analysis]]


def read_pairs(
    pairs: EncodedPairs, analyse: Analyse, read: Callable[[Sequence[str], Analysis], Found]
) -> tuple[list[Found], list[Found]]:
    """What is read off the analyses of all references and of all hypotheses.

    Args:
        pairs: The sentence pairs.
        analyse: From distinct lines to their analyses.
        read: From our tokens of a line and its analysis to what is wanted.
    """
    distinct = list(dict.fromkeys([*pairs.references.lines, *pairs.hypotheses.lines]))
    analyses = dict(zip(distinct, analyse(distinct), strict=True))
    types, known = pairs.vocabulary.types, dict[str, Found]()

    def side(lines: EncodedLines) -> list[Found]:
        for text, (start, end) in zip(lines.lines, pairwise(lines.offsets.tolist()), strict=True):
            if text not in known:
                known[text] = read([types[token] for token in lines.ids[start:end].tolist()], analyses[text])
        return [known[text] for text in lines.lines]

    return side(pairs.references), side(pairs.hypotheses)


# Universal Dependencies labels of each class of the paper; the part after a colon is ignored. What the paper calls a
# predicate, the complement of a copula, is the head in Universal Dependencies, and the copula depends on it.
LINK_CLASSES = {
    "subject": ("nsubj", "csubj"),
    "object": ("obj", "iobj", "ccomp", "xcomp"),
    "predicate": ("cop",),
}
CLASS_OF_LABEL = {label: name for name, labels in LINK_CLASSES.items() for label in labels}


@dataclass(frozen=True)
class Relation:
    """A token's head and label, with their probability.

    Attributes:
        head: Number of the head among our tokens, from 1; 0 for the root.
        label: The relation without its subtype.
        probability: The probability of this arc and label; 1 if only one tree is known.
    """

    head: int
    label: str
    probability: float


Relations = tuple[tuple[Relation, ...], ...]


def relations(tokens: Sequence[str], analysis: Analysis, *, marginals: bool) -> Relations:
    """For each of our tokens its possible heads and labels; none if the analysis belongs to another text.

    If one of our tokens contains several of the analyser's, it takes the relation of the one whose head is outside. If
    one of the analyser's tokens contains several of ours, the first takes its relation and the others have none.

    Args:
        tokens: Our tokens.
        analysis: The analysis of the same text.
        marginals: Whether to use the probabilities of arcs, if there are any, instead of the likeliest tree.
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
        columns = (table.dependent, table.head, table.label, table.probability)
        for dependent, head, label, probability in zip(*(one.tolist() for one in columns), strict=True):
            yield dependent, head, table.names[label], probability
    elif analysis.tree is not None:
        for dependent, (head, label) in enumerate(
            zip(analysis.tree.heads, analysis.tree.labels, strict=True)
        ):
            yield dependent, head, label, 1.0


def _of_token(
    token: int, alignment: TokenAlignment, analysis: Analysis, arcs: dict[int, list[tuple[int, str, float]]]
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
