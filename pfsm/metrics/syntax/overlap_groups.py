"""Names of the metrics over constituents and linguistic elements: those of the papers, in lower case.

``sp-op-*`` is the average over all types, ``sp-op-NN`` counts one type. What is not a letter, digit, hyphen, colon or
star does not occur, so a name can stand in a shell, in YAML and in parentheses as it is; options follow in parentheses.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.sentence import Analysis
from pfsm.errors import PfsmError
from pfsm.metrics.analysed import AnalysedMetric
from pfsm.metrics.counted import counted_name
from pfsm.metrics.metric_group import MetricGroup, parse_name, with_options
from pfsm.metrics.ngram_table import INFO, known_table
from pfsm.metrics.syntax.constituent import DEPTH, subtree_layer, tree_cosines
from pfsm.metrics.syntax.layers import CONSTITUENTS, LAYERS, Layer, has_constituents
from pfsm.metrics.syntax.layers_sequence import SequenceNist
from pfsm.metrics.syntax.overlap import (
    Measure,
    average_fraction,
    average_overlap,
    clipped_scores,
    layer_scores,
    pooled_overlap,
)
from pfsm.metrics.syntax.overlap_options import (
    AVERAGE,
    DECAY,
    ELEMENTS,
    PARSER,
    TYPES,
    depth_option,
    read_options,
)

Float = NDArray[np.float64]
Options = Mapping[str, Any]
ALL = "*"
_MEASURES: Mapping[str, Measure] = {TYPES: average_overlap, ELEMENTS: pooled_overlap}


@dataclass(frozen=True)
class _Overlap:
    """Overlaps over one layer.

    Attributes:
        layer: Its name.
        what: Of what the types are, in words.
        form: What a type looks like.
        example: A type.
    """

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
_CHAINS = {
    "w": ("chain-words", "words"),
    "c": ("chain-categories", "categories"),
    "r": ("chain-relations", "relations"),
}


class OverlapFamily(MetricGroup):
    """Overlaps ``LAYER-*`` and ``LAYER-TYPE``."""

    def knows(self, name: str) -> bool:
        """Whether it is an overlap, of whatever type."""
        return _stem(name) in _OVERLAPS

    def is_metric(self, name: str) -> bool:
        """All of them are."""
        return self.knows(name)

    def describe(self, name: str) -> str:
        """An overlap in half a line."""
        overlap, only = _OVERLAPS[_stem(name)], _type(name)
        return f"lexical overlap within {overlap.what}, {'mean over all' if only == ALL else only}"


def _stem(name: str) -> str:
    """The first two parts of ``dp-or-nsubj``; nothing where there is no third."""
    parts = name.partition("(")[0].split("-", 2)
    return "-".join(parts[:2]) if len(parts) == 3 and parts[2] else ""


def _type(name: str) -> str:
    return name.partition("(")[0].split("-", 2)[2]


def overlap_metric(name: str, options: Options) -> AnalysedMetric:
    """An overlap over linguistic elements.

    Several references: the best one counts (Giménez and Màrquez 2009, section 2).

    Args:
        name: ``LAYER-*`` or ``LAYER-TYPE``, options in parentheses.
        options: ``parser``; of averages ``average``: over ``types`` (the default), each counting alike, or over all
            ``elements`` together.

    Raises:
        PfsmError: If there is no such option or value, or the type is none.
    """
    parsed = parse_name(name)
    if parsed.part:
        raise PfsmError(f"metric {name}: has no parts, but {parsed.part!r} follows the point")
    overlap, only = _OVERLAPS[_stem(parsed.base)], _type(parsed.base)
    if only != ALL and not re.fullmatch(overlap.form, only):
        example = f"{_stem(parsed.base)}-{overlap.example}"
        raise PfsmError(
            f"metric {parsed.base}: {only!r} is no type of {overlap.what}; write it as in {example}"
        )
    known = PARSER | (AVERAGE if only == ALL else {})
    chosen = read_options(parsed.base, {**parsed.options, **options}, known)
    average = chosen.get("average", TYPES)
    entries = {"layer": overlap.layer, "type": "all" if only == ALL else only, "case": "lc"}
    if only == ALL:
        entries["average"] = average
    return _counted(
        parsed.base,
        entries,
        chosen["parser"],
        LAYERS[overlap.layer],
        _MEASURES[average],
        None if only == ALL else only,
    )


def _counted(
    name: str,
    entries: Mapping[str, str],
    parser: str,
    layer: Layer,
    measure: Measure,
    only: str | None = None,
) -> AnalysedMetric:
    """A metric that counts elements; fractions are clipped over all references, of overlaps the best one counts."""

    def compute(hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        return layer_scores(hypotheses, references, layer, measure, only)[:, np.newaxis]

    def together(hypotheses: Sequence[Analysis], references: Sequence[Sequence[Analysis]]) -> Float:
        return clipped_scores(hypotheses, references, layer)[:, np.newaxis]

    clips = together if measure is average_fraction else None
    return AnalysedMetric(name, entries, parser, layer.wanted, compute, layer.is_there, together=clips)


def chain_metric(name: str, options: Options) -> AnalysedMetric:
    """DP-HWC: the mean clipped fraction of head-word chains of one to four words, categories or relations.

    Several references: chains are clipped over all of them together, as in HWCM (Liu and Gildea 2005).

    Raises:
        PfsmError: If there is no such option or value.
    """
    chosen = read_options(name, options, PARSER)
    layer, _ = _CHAINS[name.rpartition("-")[2]]
    entries = {"layer": layer, "length": "4", "case": "lc"}
    return _counted(name, entries, chosen["parser"], LAYERS[layer], average_fraction)


def subtree_match(name: str, options: Options) -> AnalysedMetric:
    """STM, up to the ``depth`` that is asked for.

    Several references: subtrees are clipped over all of them together (Liu and Gildea 2005, section 2).

    Raises:
        PfsmError: If there is no such option or value.
    """
    chosen = read_options(name, options, PARSER | depth_option(DEPTH))
    depth = chosen["depth"]
    return _counted(name, {"depth": str(depth)}, chosen["parser"], subtree_layer(depth), average_fraction)


def tree_kernel(name: str, options: Options) -> AnalysedMetric:
    """TKM, with a weight of ``decay`` for each production. Several references: the best one counts.

    Raises:
        PfsmError: If there is no such option or value.
    """
    chosen = read_options(name, options, PARSER | DECAY)
    decay = float(chosen["decay"])

    def compute(hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        scores = tree_cosines(
            [one.constituents for one in hypotheses], [one.constituents for one in references], decay
        )
        pairs = list(zip(hypotheses, references, strict=True))
        good = np.array([has_constituents(h) and has_constituents(r) for h, r in pairs], dtype=np.bool_)
        empty = np.array([not (h.tokens or r.tokens) for h, r in pairs], dtype=np.bool_)
        return np.where(good | empty, scores, 0.0)[:, np.newaxis]

    entries = {"decay": f"{decay:g}"}
    return AnalysedMetric(name, entries, chosen["parser"], CONSTITUENTS, compute, has_constituents)


def sequence_metric(name: str, options: Options) -> SequenceNist:
    """SP-NIST: NIST over lemmas, tags, chunks or IOB labels.

    Raises:
        PfsmError: If there is no such option or value, or there are no such counts as ``info`` names.
    """
    table = known_table(options.get(INFO), f"metric {name}")
    others = {key: value for key, value in options.items() if key != INFO}
    chosen = read_options(name, others, PARSER)
    return SequenceNist(name, name.rpartition("-")[2], chosen["parser"], table)


GROUPS: tuple[MetricGroup, ...] = (
    OverlapFamily(
        {
            f"{stem}-{ALL}": f"lexical overlap within {of.what}, mean over all"
            for stem, of in _OVERLAPS.items()
        },
        overlap_metric,
    ),
    MetricGroup(
        {
            f"dp-hwc-{kind}": f"head-word chains of {what} up to length 4"
            for kind, (_, what) in _CHAINS.items()
        },
        with_options(chain_metric),
    ),
    MetricGroup(
        {
            "stm": "subtrees of constituent trees in common, up to a depth (Liu and Gildea 2005)",
            "cp-stm": "the same, up to depth 4 (Giménez and Màrquez 2009)",
        },
        with_options(subtree_match),
    ),
    MetricGroup(
        {"tkm": "cosine of all subtrees of constituent trees (Liu and Gildea 2005)"},
        with_options(tree_kernel),
    ),
    MetricGroup(
        {
            "sp-nist-l": "NIST over lemmas",
            "sp-nist-p": "NIST over part-of-speech tags",
            "sp-nist-c": "NIST over base phrase chunks",
            "sp-nist-iob": "NIST over IOB labels of base phrase chunks",
        },
        with_options(sequence_metric),
        counted=counted_name(with_options(sequence_metric)),
    ),
)
