"""What the elements of two lines have in common, type by type, for any layer; the metrics over layers.

SP-NIST is NIST over sequences of labels that a line can be written as (Giménez and Màrquez 2009).

With h_e and r_e how often hypothesis and reference have an element e, and e of type t, the overlap of a type is

    O_t = sum_e min(h_e, r_e) / sum_e max(h_e, r_e)

The average is over the types that either line has, each counting alike (Giménez and Màrquez 2009, appendix A), or the
sums are over all elements. Where neither line has an element the score is 1 (two empty lines: what the layer says);
where one of them was not analysed, it is 0.

Names of metrics are those of the paper, in lower case: ``sp-op-*`` is the average over all types, ``sp-op-NN`` counts
one type. What is not a letter, digit, hyphen, colon or star does not occur, so a name can stand in a shell, in YAML and
in parentheses as it is; options follow in parentheses.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pfsm.arrays import Float, Int64
from pfsm.errors import PfsmError
from pfsm.metrics.inputs import check_pairs, numbered_words, score_distinct
from pfsm.metrics.metric_group import MetricGroup
from pfsm.metrics.names import read_options
from pfsm.metrics.ngram_table import INFO, ORDERS, NgramTable, count_ngrams, known_table
from pfsm.metrics.nist import ReferenceFittedMetric, WordPairs, counted_name, nist_scores
from pfsm.runtime.typed import Options, one_of
from pfsm.text.characters import composed
from pfsm_linguistics.analysers.service import analyse_lines, analyser_label
from pfsm_linguistics.analysis.chunks import base_chunks, iob_labels
from pfsm_linguistics.analysis.lemmas import lemma_of
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.metrics.analysed import BATCH, AnalysedMetric
from pfsm_linguistics.metrics.families import ALL, stem_and_type, typed_family
from pfsm_linguistics.metrics.syntax.trees import (
    CONSTITUENTS,
    DEPENDENCIES,
    LAYERS,
    PARSER,
    Element,
    Layer,
    has_constituents,
    has_tags,
)


class SequenceLayer(NamedTuple):
    """One way to write a line.

    Attributes:
        labels: The labels of a line that has the layer, in order.
        is_there: Whether an analysis says what the layer needs.
        wanted: What to ask of the analyses.
    """

    labels: Callable[[Analysis], Sequence[str]]
    is_there: Callable[[Analysis], bool]
    wanted: Wanted


def _tags(analysis: Analysis) -> Sequence[str]:
    return analysis.xpos or analysis.upos


def _lemmas(analysis: Analysis) -> Sequence[str]:
    return [lemma_of(token, tag) for token, tag in zip(analysis.tokens, _tags(analysis), strict=True)]


SEQUENCES: Mapping[str, SequenceLayer] = {
    "l": SequenceLayer(_lemmas, has_tags, DEPENDENCIES),
    "p": SequenceLayer(_tags, has_tags, DEPENDENCIES),
    "c": SequenceLayer(
        lambda line: [chunk.label for chunk in base_chunks(line.constituents)], has_constituents, CONSTITUENTS
    ),
    "iob": SequenceLayer(
        lambda line: iob_labels(line.constituents, len(line.tokens)), has_constituents, CONSTITUENTS
    ),
}


class _SequenceNist(ReferenceFittedMetric):
    """SP-NIST: NIST over a sequence of labels; lines that could not be analysed count nothing."""

    def __init__(self, name: str, kind: str, parser: str, table: NgramTable | None = None) -> None:
        self.name = name
        self._kind, self._layer, self._parser = kind, SEQUENCES[kind], parser
        self.set_table(table)

    def entries(self) -> Mapping[str, str]:
        """The sequence, where information is counted, and the parser."""
        parser = analyser_label(self._parser)
        return {"sequence": self._kind, "order": str(ORDERS), INFO: self.info, "parser": parser}

    @property
    def resources(self) -> tuple[str, ...]:
        """The parser."""
        return (analyser_label(self._parser),)

    def count(self, references: Sequence[str]) -> NgramTable:
        """See `ReferenceFittedMetric`."""
        ids: dict[str, int] = {}
        # A line without an analysis counts nothing; scoring refuses it, unless it may be a failed parse.
        wanted = self._layer.wanted.with_gaps()
        side = numbered_words([labels or () for labels in self._labels(references, wanted).values()], ids)
        return count_ngrams(*side, list(ids))

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs], from 0; 0 where a line could not be analysed."""
        return np.nan_to_num(self._scores(hypotheses, references, self._layer.wanted), nan=0.0)

    def understood_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs]; NaN where the parser had nothing to say about one of the lines."""
        return self._scores(hypotheses, references, self._layer.wanted.with_gaps())

    def _scores(self, hypotheses: Sequence[str], references: Sequence[str], wanted: Wanted) -> Float:
        check_pairs(hypotheses, references)
        table = self.table_for(references)
        hypotheses, references = list(map(composed, hypotheses)), list(map(composed, references))
        labels = self._labels(list(dict.fromkeys([*references, *hypotheses])), wanted)

        def score(ours: Sequence[str], theirs: Sequence[str]) -> Float:
            ids: dict[str, int] = {}
            one, other = (
                numbered_words([labels[line] or () for line in side], ids) for side in (theirs, ours)
            )
            scores = nist_scores(WordPairs((*one, *other), list(ids)), table)
            understood = [
                labels[h] is not None and labels[r] is not None for h, r in zip(ours, theirs, strict=True)
            ]
            return np.where(np.array(understood, dtype=np.bool_), scores, np.nan)

        return score_distinct(score, hypotheses, references)

    def _labels(self, lines: Sequence[str], wanted: Wanted) -> dict[str, Sequence[str] | None]:
        """The labels of lines; None for one that could not be analysed."""
        found: dict[str, Sequence[str] | None] = {}
        for first in range(0, len(lines), BATCH):
            batch = lines[first : first + BATCH]
            analyses = analyse_lines(batch, self._parser, wanted)
            found |= zip(batch, [labels_of(one, self._layer) for one in analyses], strict=True)
        return found


def labels_of(analysis: Analysis, layer: SequenceLayer) -> Sequence[str] | None:
    """The labels of a line; None if it was not analysed."""
    return layer.labels(analysis) if layer.is_there(analysis) else None


# Pairs counted at once: tables of pairs by types must stay small.
PORTION = 4096
# From ``sum_e min(h_e, r_e)`` and ``sum_e max(h_e, r_e)`` by type, float64 [n_types, n_pairs], to float64 [n_pairs].
Measure = Callable[[Float, Float], Float]
TYPES, ELEMENTS = "types", "elements"
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


def read_typed(name: str, options: Options, check: Callable[[str, str, str], None]) -> TypedName:
    """The parts and options of ``STEM-*``, ``STEM-TYPE`` or, where there is one without types, ``STEM``.

    Args:
        name: The name without options.
        options: ``parser``; of averages ``average``: over ``types`` (the default), each counting
            alike, or over all ``elements`` together.
        check: Refuses a type; takes the name, the stem and the type.

    Raises:
        PfsmError: If the type is refused, or there is no such option or value.
    """
    stem, only = stem_and_type(name)
    if only not in {"", ALL}:
        check(name, stem, only)
    known = PARSER | (AVERAGE if only == ALL else {})
    chosen = read_options(name, options, known)
    entries = {"type": only if only not in {"", ALL} else "all"}
    if only == ALL:
        entries["average"] = chosen["average"]
    return TypedName(name, stem, None if only in {"", ALL} else only, chosen, entries)


def average_overlap(shared: Float, either: Float) -> Float:
    """Overlap averaged over the types that are there, float64 [n_pairs]."""
    there = either > 0
    total = _sum(np.divide(shared, either, out=np.zeros(shared.shape), where=there))
    number = _sum(there.astype(np.float64))
    return np.divide(total, number, out=np.ones(number.size), where=number > 0)


def pooled_overlap(shared: Float, either: Float) -> Float:
    """Overlap of the elements of all types together, float64 [n_pairs]."""
    under = _sum(either)
    return np.divide(_sum(shared), under, out=np.ones(under.size), where=under > 0)


def _sum(table: Float) -> Float:
    """Sum over types one after the other, so that types that a pair lacks cannot change how its sum is rounded."""
    total = np.zeros(table.shape[1])
    for row in table:
        total += row
    return total


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
        scores[part] = measure(*lines.counts(ours[part], theirs[part]))
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

    def counts(self, hypotheses: Int64, references: Int64) -> tuple[Float, Float]:
        """Elements of pairs of lines by type, both float64 [n_types, n_pairs]: what they share, what either has."""
        ours, our_counts = self._bag(hypotheses)
        theirs, their_counts = self._bag(references)
        both, left, right = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
        shared = np.minimum(our_counts[left], their_counts[right])
        bags = ((both, shared), (ours, our_counts), (theirs, their_counts))
        in_common, one, other = (self._by_type(keys, often, hypotheses.size) for keys, often in bags)
        return in_common, one + other - in_common

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


class _Overlap(NamedTuple):
    """A layer; of what its types are, in words; what a type looks like; a type."""

    layer: str
    what: str
    form: str
    example: str


_TAG = r"[A-Z]+\$?|-[A-Z]+-|[#$:]|``|''"
_OVERLAPS: Mapping[str, _Overlap] = {
    "sp-op": _Overlap("pos", "parts of speech", _TAG, "NN"),
    "sp-oc": _Overlap("chunk", "base phrase chunks", r"[A-Z]+", "NP"),
    "dp-ol": _Overlap("level", "levels of the dependency tree", r"[1-9]\d*", "1"),
    "dp-oc": _Overlap("category", "universal categories", r"[A-Z]+", "NOUN"),
    "dp-or": _Overlap("relation", "subtrees ruled by grammatical relations", r"[A-Za-z:_/$-]+", "nsubj"),
    "cp-op": _Overlap("leaf", "parts of speech in the constituent tree", _TAG, "NN"),
    "cp-oc": _Overlap("constituent", "constituents", r"[A-Z]+(?:-[A-Z0-9]+)*", "NP"),
}


def layer_metric(typed: TypedName, layer: Layer, entries: Mapping[str, str]) -> AnalysedMetric:
    """An overlap over a layer. Several references: the best one counts (Giménez and Màrquez 2009, section 2).

    Args:
        typed: The name of the metric.
        layer: What to count.
        entries: What a signature says of the layer, before type and average.
    """
    measure: Measure = pooled_overlap if typed.is_pooled else average_overlap

    def compute(hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        return layer_scores(hypotheses, references, layer, measure, typed.only)[:, np.newaxis]

    return AnalysedMetric(
        typed.base,
        {**entries, **typed.entries},
        typed.options["parser"],
        layer.wanted,
        compute,
        layer.is_there,
    )


def _overlap_metric(name: str, options: Options) -> AnalysedMetric:
    """An overlap over linguistic elements, ``LAYER-*`` or ``LAYER-TYPE``."""
    typed = read_typed(name, options, _check_type)
    layer = _OVERLAPS[typed.stem].layer
    entries = {"layer": layer, "type": typed.entries["type"], "case": "lc"}
    return layer_metric(typed, LAYERS[layer], entries)


def _check_type(name: str, stem: str, only: str) -> None:
    overlap = _OVERLAPS[stem]
    if not re.fullmatch(overlap.form, only):
        raise PfsmError(
            f"metric {name}: {only!r} is not a type of {overlap.what}; write it as in {stem}-{overlap.example}"
        )


def _sequence_metric(name: str, options: Options) -> _SequenceNist:
    """SP-NIST: NIST over lemmas, tags, chunks or IOB labels."""
    table = known_table(options.get(INFO), f"metric {name}")
    others = {key: value for key, value in options.items() if key != INFO}
    chosen = read_options(name, others, PARSER)
    return _SequenceNist(name, name.rpartition("-")[2], chosen["parser"], table)


GROUPS: tuple[MetricGroup, ...] = (
    typed_family(
        {stem: f"lexical overlap within {of.what}" for stem, of in _OVERLAPS.items()},
        "mean over all",
        _overlap_metric,
    ),
    MetricGroup(
        {
            "sp-nist-l": "NIST over lemmas",
            "sp-nist-p": "NIST over part-of-speech tags",
            "sp-nist-c": "NIST over base phrase chunks",
            "sp-nist-iob": "NIST over IOB labels of base phrase chunks",
        },
        _sequence_metric,
        counted=counted_name(_sequence_metric),
    ),
)
