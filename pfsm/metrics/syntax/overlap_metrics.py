"""Names of the metrics over constituents and linguistic elements: those of the papers, in lower case.

``sp-op-*`` is the average over all types, ``sp-op-NN`` counts one type. What is not a letter, digit, hyphen, colon or
star does not occur, so a name can stand in a shell, in YAML and in parentheses as it is; options follow in parentheses.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.sentence import Analysis
from pfsm.errors import PfsmError
from pfsm.metrics.analysed import AnalysedMetric
from pfsm.metrics.metric_group import MetricGroup, typed_family, with_options
from pfsm.metrics.names import Options, number, read_options, whole
from pfsm.metrics.ngram_table import INFO, known_table
from pfsm.metrics.reference_fitted import counted_name
from pfsm.metrics.syntax.constituent import DEEPEST, DEPTH, subtree_layer, tree_cosines
from pfsm.metrics.syntax.layers import CONSTITUENTS, LAYERS, Layer, has_constituents
from pfsm.metrics.syntax.overlap import (
    PARSER,
    Measure,
    average_fraction,
    average_overlap,
    clipped_scores,
    layer_scores,
    pooled_overlap,
    read_typed,
)
from pfsm.metrics.syntax.sequences import SequenceNist

Float = NDArray[np.float64]


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


DECAY = {"decay": number(1.0, math.ulp(0.0), 1.0, "above 0 and at most 1")}
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


def overlap_metric(name: str, options: Options) -> AnalysedMetric:
    """An overlap over linguistic elements.

    Several references: the best one counts (Giménez and Màrquez 2009, section 2).

    Args:
        name: ``LAYER-*`` or ``LAYER-TYPE``, options in parentheses.
        options: As `read_typed` takes them.
    """
    typed = read_typed(name, options, _check_type)
    layer = _OVERLAPS[typed.stem].layer
    return _counted(
        typed.base,
        {"layer": layer, "type": typed.entries["type"], "case": "lc", **typed.entries},
        typed.options["parser"],
        LAYERS[layer],
        pooled_overlap if typed.is_pooled else average_overlap,
        typed.only,
    )


def _check_type(name: str, stem: str, only: str) -> None:
    overlap = _OVERLAPS[stem]
    if not re.fullmatch(overlap.form, only):
        raise PfsmError(
            f"metric {name}: {only!r} is no type of {overlap.what}; write it as in {stem}-{overlap.example}"
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
    chosen = read_options(name, options, PARSER | {"depth": whole(DEPTH, DEEPEST)})
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
    """SP-NIST: NIST over lemmas, tags, chunks or IOB labels."""
    table = known_table(options.get(INFO), f"metric {name}")
    others = {key: value for key, value in options.items() if key != INFO}
    chosen = read_options(name, others, PARSER)
    return SequenceNist(name, name.rpartition("-")[2], chosen["parser"], table)


GROUPS: tuple[MetricGroup, ...] = (
    typed_family(
        {stem: f"lexical overlap within {of.what}" for stem, of in _OVERLAPS.items()},
        "mean over all",
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
