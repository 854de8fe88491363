"""What the elements of two lines have in common, type by type, for any layer.

With h_e and r_e how often hypothesis and reference have an element e, and e of type t:

* overlap of a type: O_t = sum_e min(h_e, r_e) / sum_e max(h_e, r_e); the average is over the types that either line
  has, each counting alike (Giménez and Màrquez 2009, appendix A), or the sums are over all elements;
* clipped fraction of a type: sum_e min(h_e, r_e) / sum_e h_e, the average is over the types that either line has (Liu
  and Gildea 2005, where types are depths of subtrees or lengths of chains). With several references r_e is that of the
  reference that has e most often.

Where neither line has an element the score is 1 (two empty lines: what the layer says); where one of them was not
analysed, it is 0.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.analysers import DEFAULT_PARSER
from pfsm.analysis.sentence import Analysis
from pfsm.errors import PfsmError
from pfsm.metrics.metric_group import ALL
from pfsm.metrics.names import Option, Options, one_of, parse_name, read_options, stem_and_type, text
from pfsm.metrics.syntax.layers import Element, Layer

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
# Pairs counted at once: tables of pairs by types must stay small.
PORTION = 4096


@dataclass(frozen=True, eq=False)
class TypeCounts:
    """Numbers of elements by type, the types in a fixed order; all float64 [n_types, n_pairs].

    Attributes:
        shared: ``sum_e min(h_e, r_e)``.
        hypothesis: ``sum_e h_e``.
        reference: ``sum_e r_e``.
    """

    shared: Float
    hypothesis: Float
    reference: Float

    @property
    def either(self) -> Float:
        """``sum_e max(h_e, r_e)``."""
        return self.hypothesis + self.reference - self.shared


Measure = Callable[[TypeCounts], Float]
TYPES, ELEMENTS = "types", "elements"
PARSER = {"parser": text(DEFAULT_PARSER, "the name of a parser")}
AVERAGE = {"average": one_of(TYPES, ELEMENTS)}


@dataclass(frozen=True)
class TypedName:
    """The name of a metric of one type of elements, or of all of them, taken apart.

    Attributes:
        base: The name without options.
        stem: Such as ``dp-or``.
        only: The type that counts; None for all.
        options: All options with their values.
        entries: What a signature says of types and their average.
    """

    base: str
    stem: str
    only: str | None
    options: Mapping[str, Any]
    entries: Mapping[str, str]

    @property
    def is_pooled(self) -> bool:
        """Whether elements of all types count together."""
        return bool(self.options.get("average", TYPES) != TYPES)


def read_typed(
    name: str,
    options: Options,
    check: Callable[[str, str, str], None],
    further: Mapping[str, Option] | None = None,
) -> TypedName:
    """The parts and options of ``STEM-*``, ``STEM-TYPE`` or, where there is one without types, ``STEM``.

    Args:
        name: The name, options in parentheses.
        options: Further ones: ``parser``; of averages ``average``: over ``types`` (the default), each counting
            alike, or over all ``elements`` together.
        check: Refuses a type; takes the name, the stem and the type.
        further: Options that the metric has beyond these.

    Raises:
        PfsmError: If the type is refused, or there is no such option or value.
    """
    parsed = parse_name(name)
    if parsed.part:
        raise PfsmError(f"metric {name}: has no parts, but {parsed.part!r} follows the point")
    stem, only = stem_and_type(parsed.base)
    if only not in {"", ALL}:
        check(parsed.base, stem, only)
    known = PARSER | dict(further or {}) | (AVERAGE if only == ALL else {})
    chosen = read_options(parsed.base, {**parsed.options, **options}, known)
    entries = {"type": only if only not in {"", ALL} else "all"}
    if only == ALL:
        entries["average"] = chosen["average"]
    return TypedName(parsed.base, stem, None if only in {"", ALL} else only, chosen, entries)


def average_overlap(counts: TypeCounts) -> Float:
    """Overlap averaged over types, float64 [n_pairs]."""
    return _mean(counts.shared, counts.either, counts)


def pooled_overlap(counts: TypeCounts) -> Float:
    """Overlap of the elements of all types together, float64 [n_pairs]."""
    either = _sum(counts.either)
    return np.divide(_sum(counts.shared), either, out=np.ones(either.size), where=either > 0)


def average_fraction(counts: TypeCounts) -> Float:
    """Clipped fraction of the hypothesis's elements averaged over types, float64 [n_pairs]."""
    return _mean(counts.shared, counts.hypothesis, counts)


def sum_of_fractions(counts: TypeCounts) -> Float:
    """Sum of the clipped fractions of the types that the hypothesis has, float64 [n_pairs]."""
    there = counts.hypothesis > 0
    return _sum(np.divide(counts.shared, counts.hypothesis, out=np.zeros(there.shape), where=there))


def _mean(over: Float, under: Float, counts: TypeCounts) -> Float:
    """Mean of quotients over the types that are there, 0 where only the divisor is lacking."""
    there = counts.either > 0
    total = _sum(np.divide(over, under, out=np.zeros(over.shape), where=under > 0))
    number = _sum(there.astype(np.float64))
    return np.divide(total, number, out=np.ones(number.size), where=number > 0)


def _sum(table: Float) -> Float:
    """Sum over types one after the other, so that types that a pair lacks cannot change how its sum is rounded."""
    total = np.zeros(table.shape[1])
    for row in table:
        total += row
    return total


def bag_overlap(one: Counter[Element], other: Counter[Element]) -> float:
    """Overlap of two bags: size of the intersection over size of the union; 1 for two empty ones."""
    union = (one | other).total()
    return (one & other).total() / union if union else 1.0


def clipped_fraction(hypothesis: Iterable[Element], references: Sequence[Iterable[Element]]) -> float:
    """Clipped fraction averaged over types, against several references at once.

    Args:
        hypothesis: Its elements.
        references: Elements of each reference; an element counts as often as in the reference that has it most often.
    """
    ours = Counter(hypothesis)
    theirs: Counter[Element] = Counter()
    for reference in references:
        theirs |= Counter(reference)
    types = {element[0] for element in (*ours, *theirs)}
    # A type that the hypothesis lacks gives nothing, but counts.
    return sum(_fraction(ours, theirs, name) for name in sorted(types)) / len(types) if types else 1.0


def _fraction(ours: Counter[Element], theirs: Counter[Element], name: str) -> float:
    own = [element for element in ours if element[0] == name]
    total = sum(ours[element] for element in own)
    return sum(min(ours[element], theirs[element]) for element in own) / total if total else 0.0


def clipped_scores(
    hypotheses: Sequence[Analysis], references: Sequence[Sequence[Analysis]], layer: Layer
) -> Float:
    """`clipped_fraction` of analysed segments against all references of each, float64 [n_segments].

    Args:
        hypotheses: Analyses that have the layer.
        references: For each of them the analyses of its references, which have it too.
        layer: What to count.
    """
    return np.array(
        [
            clipped_fraction(layer.elements(ours), [layer.elements(one) for one in several])
            for ours, several in zip(hypotheses, references, strict=True)
        ],
        dtype=np.float64,
    )


def layer_scores(
    hypotheses: Sequence[Analysis],
    references: Sequence[Analysis],
    layer: Layer,
    measure: Measure,
    only: str | None = None,
) -> Float:
    """Scores of analysed pairs, float64 [n_pairs], 0 to 1.

    Args:
        hypotheses: Analyses; an object that stands in several pairs is looked at once.
        references: As many.
        layer: What to count.
        measure: How counts become a score.
        only: The one type to count; None for all.
    """
    lines = _Lines([*hypotheses, *references], layer, only)
    ours, theirs = lines.number[: len(hypotheses)], lines.number[len(hypotheses) :]
    scores = np.zeros(len(hypotheses))
    for first in range(0, len(hypotheses), PORTION):
        part = slice(first, first + PORTION)
        scores[part] = measure(lines.counts(ours[part], theirs[part]))
    scores[~(lines.has_layer[ours] & lines.has_layer[theirs])] = 0.0
    scores[lines.is_empty[ours] & lines.is_empty[theirs]] = layer.of_empty
    return scores


class _Lines:
    """The elements of distinct lines as numbers."""

    def __init__(self, analyses: Sequence[Analysis], layer: Layer, only: str | None) -> None:
        places: dict[int, int] = {}
        self.number = np.array([places.setdefault(id(one), len(places)) for one in analyses], dtype=np.int64)
        distinct = list({id(one): one for one in analyses}.values())
        self.has_layer = np.array([layer.is_there(one) for one in distinct], dtype=np.bool_)
        self.is_empty = np.array([not one.tokens for one in distinct], dtype=np.bool_)
        ids: dict[Element, int] = {}
        lists = [
            [
                ids.setdefault(element, len(ids))
                for element in layer.elements(one)
                if only in {None, element[0]}
            ]
            if layer.is_there(one)
            else []
            for one in distinct
        ]
        self._offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        self._elements = np.array([element for line in lists for element in line], dtype=np.int64)
        self._n_elements = max(1, len(ids))
        row = {name: k for k, name in enumerate(sorted({name for name, _ in ids}))}
        self._n_types = len(row)
        self._type = np.array([row[name] for name, _ in ids], dtype=np.int64)

    def counts(self, hypotheses: Int64, references: Int64) -> TypeCounts:
        """Counts of pairs of lines by type."""
        ours, our_counts = self._bag(hypotheses)
        theirs, their_counts = self._bag(references)
        both, left, right = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
        shared = np.minimum(our_counts[left], their_counts[right])
        bags = ((both, shared), (ours, our_counts), (theirs, their_counts))
        return TypeCounts(*(self._by_type(keys, numbers, hypotheses.size) for keys, numbers in bags))

    def _bag(self, lines: Int64) -> tuple[Int64, Int64]:
        """Rising numbers that stand for a pair and an element of its line, and how often it has it."""
        sizes = self._offsets[lines + 1] - self._offsets[lines]
        ends = np.cumsum(sizes)
        places = np.arange(sizes.sum()) + np.repeat(self._offsets[lines] - (ends - sizes), sizes)
        pairs = np.repeat(np.arange(lines.size), sizes)
        keys, counts = np.unique(pairs * self._n_elements + self._elements[places], return_counts=True)
        return keys, counts.astype(np.int64)

    def _by_type(self, keys: Int64, counts: Int64, n_pairs: int) -> Float:
        pairs, elements = np.divmod(keys, self._n_elements)
        cells = self._type[elements] * n_pairs + pairs
        flat = np.bincount(cells, counts.astype(np.float64), minlength=self._n_types * n_pairs)
        return flat.reshape(self._n_types, n_pairs).astype(np.float64)
