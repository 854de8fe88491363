"""Names of the metrics over discourse structures: those of Giménez and Màrquez (2009), in lower case.

``dr-or-*`` is the average over all types of conditions, ``dr-or-pred`` counts one; ``dr-orp-…`` has tags for words.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.sentence import Analysis
from pfsm.analysis.wanted import Wanted
from pfsm.errors import PfsmError
from pfsm.metrics.analysed import AnalysedMetric
from pfsm.metrics.discourse.conditions import POSITIONED, TYPES, conditions_of
from pfsm.metrics.discourse.trees import tree_elements
from pfsm.metrics.metric_group import MetricGroup, parse_name, with_options
from pfsm.metrics.syntax.layers import Element, Layer, has_tags, words_of_line
from pfsm.metrics.syntax.overlap import (
    Measure,
    TypeCounts,
    average_overlap,
    layer_scores,
    pooled_overlap,
    sum_of_fractions,
)
from pfsm.metrics.syntax.overlap_options import AVERAGE, PARSER, Option, depth_option, read_options
from pfsm.metrics.syntax.overlap_options import TYPES as BY_TYPE

Float = NDArray[np.float64]
Options = Mapping[str, Any]
ALL = "*"
TREE = "dr-stm"
DEPTH = 4
SUBTREES, PATHS = "subtrees", "paths"
_WANTED = Wanted(roles=True)
_PIECES = {"pieces": Option(SUBTREES, lambda value: value in {SUBTREES, PATHS}, f"{SUBTREES} or {PATHS}")}
_DESCRIPTIONS: Mapping[str, str] = {
    "dr-or": "words of discourse conditions of the same type",
    "dr-orp": "parts of speech in discourse conditions of the same type",
}


def has_structure(analysis: Analysis) -> bool:
    """Whether a line has a discourse structure with a condition.

    Raises:
        PfsmError: If neither a structure nor a dependency tree is given, but something else is.
    """
    if not analysis.tokens or analysis.is_failed:
        return False
    if analysis.drs is None and not analysis.trees:
        raise PfsmError(
            "the parser gives no dependency trees, which this metric needs for discourse structures; choose another, "
            "or give a file of clauses, as in parser=file:lines.clf"
        )
    return bool(conditions_of(analysis))


def _has_tagged_structure(analysis: Analysis) -> bool:
    return has_structure(analysis) and has_tags(analysis)


def _elements(analysis: Analysis, names: Sequence[str]) -> Iterable[Element]:
    """The (type, item) elements of all conditions; of imp and whq with their position."""
    return [
        (one.kind, (place, names[word]) if one.kind in POSITIONED else names[word])
        for one in conditions_of(analysis)
        if one.kind in TYPES
        for place, words in enumerate(one.words, 1)
        for word in sorted(words)
    ]


def _words(analysis: Analysis) -> Iterable[Element]:
    return _elements(analysis, words_of_line(analysis))


def _tags(analysis: Analysis) -> Iterable[Element]:
    return _elements(analysis, analysis.xpos or analysis.upos)


# A line without a structure, an empty one too, has no analysis, so the score of two of them is 0.
LAYERS: Mapping[str, Layer] = {
    "dr-or": Layer(_words, has_structure, _WANTED, 0.0),
    "dr-orp": Layer(_tags, _has_tagged_structure, _WANTED, 0.0),
}


class DiscourseFamily(MetricGroup):
    """``dr-or-*``, ``dr-or-TYPE`` and ``dr-orp-…``."""

    def knows(self, name: str) -> bool:
        """Whether it is an overlap over conditions, of whatever type."""
        stem, only = _stem_and_type(name)
        return stem in _DESCRIPTIONS and bool(only)

    def is_metric(self, name: str) -> bool:
        """All of them are."""
        return self.knows(name)

    def describe(self, name: str) -> str:
        """A metric in half a line."""
        stem, only = _stem_and_type(name)
        return f"{_DESCRIPTIONS[stem]}, {'mean over types' if only == ALL else only}"


def _stem_and_type(name: str) -> tuple[str, str]:
    """The parts of a name: dr-or and pred of ``dr-or-pred(parser=…)``."""
    stem, _, only = name.partition("(")[0].rpartition("-")
    return stem, only


def condition_metric(name: str, options: Options) -> AnalysedMetric:
    """An overlap over the conditions of discourse structures. Several references: the best one counts.

    Args:
        name: ``dr-or-*``, ``dr-orp-pred`` and so on, options in parentheses.
        options: ``parser``; of averages ``average``: over ``types`` (the default), each counting alike, or over all
            ``elements`` together.

    Raises:
        PfsmError: If there is no such option, value or type.
    """
    parsed = parse_name(name)
    if parsed.part:
        raise PfsmError(f"metric {name}: has no parts, but {parsed.part!r} follows the point")
    stem, only = _stem_and_type(parsed.base)
    if only not in {ALL, *TYPES}:
        raise PfsmError(
            f"metric {parsed.base}: {only!r} is no type of condition; known are {', '.join(TYPES)}"
        )
    known = PARSER | (AVERAGE if only == ALL else {})
    chosen = read_options(parsed.base, {**parsed.options, **options}, known)
    average = chosen.get("average", BY_TYPE)
    entries = {
        "layer": "drs-words" if stem == "dr-or" else "drs-tags",
        "type": "all" if only == ALL else only,
        **({"case": "lc"} if stem == "dr-or" else {}),
        **({"average": average} if only == ALL else {}),
    }
    layer = LAYERS[stem]
    measure: Measure = average_overlap if average == BY_TYPE else pooled_overlap

    def compute(hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        return layer_scores(hypotheses, references, layer, measure, None if only == ALL else only)[
            :, np.newaxis
        ]

    return AnalysedMetric(parsed.base, entries, chosen["parser"], _WANTED, compute, layer.is_there)


def tree_metric(name: str, options: Options) -> AnalysedMetric:
    """DR-STM: mean clipped share of the pieces of the hypothesis's discourse trees, over the sizes 1 to ``depth``.

    A size that the hypothesis has no piece of counts 0, so only trees that deep reach 1. Several references: the best
    one counts.

    Raises:
        PfsmError: If there is no such option or value.
    """
    chosen = read_options(name, options, PARSER | depth_option(DEPTH) | _PIECES)
    depth: int = chosen["depth"]
    paths = chosen["pieces"] == PATHS
    layer = Layer(lambda one: tree_elements(one, depth, paths=paths), has_structure, _WANTED, 0.0)

    def measure(counts: TypeCounts) -> Float:
        return sum_of_fractions(counts) / depth

    def compute(hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        return layer_scores(hypotheses, references, layer, measure)[:, np.newaxis]

    entries = {"depth": str(depth), "pieces": chosen["pieces"]}
    return AnalysedMetric(name, entries, chosen["parser"], _WANTED, compute, has_structure)


GROUPS: tuple[MetricGroup, ...] = (
    DiscourseFamily(
        {f"{stem}-{ALL}": f"{what}, mean over types" for stem, what in _DESCRIPTIONS.items()},
        condition_metric,
    ),
    MetricGroup(
        {TREE: "pieces of discourse structures as trees in common, up to a depth"}, with_options(tree_metric)
    ),
)
