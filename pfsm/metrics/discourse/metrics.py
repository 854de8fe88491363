"""Metrics over discourse representation structures, named as in Giménez and Màrquez (2009, section 2.1), in lower case.

``dr-or-*`` is the average over all types of conditions, ``dr-or-pred`` counts one; ``dr-orp-…`` has tags for words.

DR-STM compares structures as trees. Nodes are boxes (``drs``), conditions (``type:symbol``) and referents, without
their names but with their kind (``x``, ``e``, ``s``, ``t``). What a condition holds carries its place: ``1:e``,
``2:x``. Conditions stand in a box in the order of the text; presupposed boxes are merged into the box that
presupposes them.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.clauses import PRESUPPOSITION
from pfsm.analysis.constituents import Constituent
from pfsm.analysis.sentence import Analysis, structure_of
from pfsm.analysis.wanted import Wanted
from pfsm.errors import PfsmError
from pfsm.metrics.analysed import OF_HYPOTHESIS, SHARED, AnalysedMetric
from pfsm.metrics.discourse.conditions import POSITIONED, TYPES, Condition, conditions_of, root_boxes
from pfsm.metrics.inputs import quotient
from pfsm.metrics.metric_group import MetricGroup, typed_family, with_options
from pfsm.metrics.names import read_options
from pfsm.metrics.syntax.fragments import chains, fragment_counts, subtrees
from pfsm.metrics.syntax.layers import Element, Layer, has_tags
from pfsm.metrics.syntax.overlap import layer_metric, read_typed
from pfsm.metrics.syntax.tree_metrics import DEPTH, MOST_LEVELS
from pfsm.metrics.syntax.trees import PARSER, Trees, constituent_trees, words_of
from pfsm.runtime.options import Options, one_of, whole

_BOX = "drs"


def discourse_trees(analysis: Analysis) -> list[Constituent]:
    """One tree for each box that stands in no other."""
    conditions = conditions_of(analysis)
    merged = _merged(analysis)
    in_box: dict[str, list[Condition]] = {}
    for one in sorted(conditions, key=lambda each: each.first):
        in_box.setdefault(merged.get(one.box, one.box), []).append(one)
    # Boxes in the order in which they are reached; each is made once, the inner ones first.
    roots = root_boxes(conditions, merged) or [merged.get(one.box, one.box) for one in conditions[:1]]
    reached = dict.fromkeys(roots)
    waiting = list(roots)
    holder: dict[str, Condition] = {}
    while waiting:
        for one in in_box.get(waiting.pop(), ()):
            for part in one.parts:
                inner = merged.get(part, part)
                if inner in in_box and inner not in reached:
                    reached[inner] = None
                    holder[inner] = one
                    waiting.append(inner)
    made: dict[str, Constituent] = {}
    for box in reversed(list(reached)):
        made[box] = _box(in_box.get(box, []), made, merged, holder)
    return [made[box] for box in roots]


def _box(
    conditions: list[Condition],
    made: dict[str, Constituent],
    merged: dict[str, str],
    holder: dict[str, Condition],
) -> Constituent:
    children = []
    for one in conditions:
        parts = []
        for place, part in enumerate(one.parts, 1):
            inner = merged.get(part, part)
            if holder.get(inner) is one and inner in made:
                parts.append(Constituent(f"{place}:{_BOX}", 0, 0, made[inner].children))
            else:
                parts.append(Constituent(f"{place}:{_BOX if part.startswith('b') else part[:1]}", 0, 0, ()))
        children.append(Constituent(_label(one), 0, 0, tuple(parts)))
    return Constituent(_BOX, 0, 0, tuple(children))


def _label(condition: Condition) -> str:
    symbol = condition.symbol.lower().replace("(", "[").replace(")", "]").replace(" ", "_")
    return f"{condition.kind}:{symbol}"


def _merged(analysis: Analysis) -> dict[str, str]:
    """From every presupposed box to the box that it is merged into in the end."""
    into = {
        one.box: one.arguments[0]
        for one in structure_of(analysis).clauses
        if one.operator == PRESUPPOSITION and one.arguments[0] != one.box
    }
    found: dict[str, str] = {}
    for box, first in into.items():
        way, last = {box}, first
        while last in into and last not in way:
            way.add(last)
            last = into[last]
        found[box] = last
    return found


Float = NDArray[np.float64]
TREE = "dr-stm"
SUBTREES, PATHS = "subtrees", "paths"
_WANTED = Wanted(roles=True)
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
    return _elements(analysis, words_of(analysis))


def _tags(analysis: Analysis) -> Iterable[Element]:
    return _elements(analysis, analysis.xpos or analysis.upos)


# A line without a structure, an empty one too, has no analysis, so the score of two of them is 0.
LAYERS: Mapping[str, Layer] = {
    "dr-or": Layer(_words, has_structure, _WANTED, 0.0),
    "dr-orp": Layer(_tags, _has_tagged_structure, _WANTED, 0.0),
}


def condition_metric(name: str, options: Options) -> AnalysedMetric:
    """An overlap over the conditions of discourse structures. Several references: the best one counts.

    Args:
        name: ``dr-or-*``, ``dr-orp-pred`` and so on, options in parentheses.
        options: As `read_typed` takes them.
    """
    typed = read_typed(name, options, _check_type)
    words = typed.stem == "dr-or"
    entries = {"layer": "drs-words" if words else "drs-tags", "type": typed.entries["type"]}
    return layer_metric(typed, LAYERS[typed.stem], entries | ({"case": "lc"} if words else {}))


def _check_type(name: str, _: str, only: str) -> None:
    if only not in TYPES:
        raise PfsmError(f"metric {name}: {only!r} is not a type of condition; known are {', '.join(TYPES)}")


def _trees(analyses: Sequence[Analysis]) -> Trees:
    return constituent_trees([discourse_trees(one) if has_structure(one) else () for one in analyses])


def tree_metric(name: str, options: Options) -> AnalysedMetric:
    """DR-STM: mean clipped share of the pieces of the hypothesis's discourse trees, over the sizes 1 to ``depth``.

    A size that the hypothesis has no piece of counts 0, so only trees that deep reach 1. Several references: the best
    one counts.
    """
    chosen = read_options(
        name, options, PARSER | {"depth": whole(DEPTH, MOST_LEVELS), "pieces": one_of(SUBTREES, PATHS)}
    )
    depth: int = chosen["depth"]
    fragments = chains if chosen["pieces"] == PATHS else subtrees

    def compute(hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        counts = fragment_counts(fragments, _trees, hypotheses, [(one,) for one in references], depth)
        shares = quotient(counts[..., SHARED], counts[..., OF_HYPOTHESIS])
        return np.asarray(shares.sum(axis=1, keepdims=True) / depth)

    entries = {"depth": str(depth), "pieces": chosen["pieces"]}
    return AnalysedMetric(name, entries, chosen["parser"], _WANTED, compute, has_structure)


GROUPS: tuple[MetricGroup, ...] = (
    typed_family(_DESCRIPTIONS, "mean over types", condition_metric),
    MetricGroup(
        {TREE: "pieces of discourse structures as trees in common, up to a depth"}, with_options(tree_metric)
    ),
)
