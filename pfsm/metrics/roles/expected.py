"""Expected overlap of semantic roles, so that one wrong decision of the labeller does not decide a score.

An element e counts as often as is expected: the sum of the probabilities of the arguments that it is in. With h_e and
r_e these expectations in hypothesis and reference, O_t = sum min(h_e, r_e) / sum max(h_e, r_e) over the elements of
type t. The average over types weighs each by the probability that either line has it,

    w_t = 1 - prod over possible arguments a of type t, in both lines, of (1 - p(a)),

so that a type which hardly occurs hardly counts. With certain roles this is the plain overlap.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.sentence import Analysis
from pfsm.metrics.roles.layers import RoleLayer, may_have_arguments

Float = NDArray[np.float64]


@dataclass
class _Line:
    """What is expected of a line.

    Attributes:
        counts: By type, how often each item is expected.
        absent: By type, the probability that the line has no argument of it.
        is_there: Whether the line may have an argument.
    """

    is_there: bool
    counts: dict[str, dict[object, float]] = field(default_factory=lambda: defaultdict(dict))
    absent: dict[str, float] = field(default_factory=dict)


def expected_scores(
    hypotheses: Sequence[Analysis],
    references: Sequence[Analysis],
    layer: RoleLayer,
    only: str | None = None,
    *,
    pooled: bool = False,
) -> Float:
    """Expected overlaps of pairs, float64 [n_pairs], 0 to 1; 0 where a line has no possible argument.

    Args:
        hypotheses: Analyses with roles.
        references: As many.
        layer: What to count.
        only: The one type to count; None for all.
        pooled: Whether the elements of all types count together, instead of the average over types.
    """
    known: dict[int, _Line] = {}
    for one in (*hypotheses, *references):
        if id(one) not in known:
            known[id(one)] = _line(one, layer, only)
    pairs = zip(hypotheses, references, strict=True)
    return np.array([_score(known[id(h)], known[id(r)], pooled) for h, r in pairs], dtype=np.float64)


def _line(analysis: Analysis, layer: RoleLayer, only: str | None) -> _Line:
    line = _Line(may_have_arguments(analysis))
    certain: dict[tuple[str, object], list[float]] = defaultdict(list)
    for element, probability in layer.elements(analysis, expected=True):
        if only in {None, element[0]}:
            certain[element].append(probability)
    for (kind, item), probabilities in certain.items():
        line.counts[kind][item] = math.fsum(probabilities)
    for frame in analysis.frames or ():
        for argument in frame.possible:
            kinds = {kind for kind, _ in layer.of_argument(frame, argument, list(analysis.tokens))}
            for kind in kinds & set(line.counts):
                line.absent[kind] = line.absent.get(kind, 1.0) * (1.0 - argument.probability)
    return line


def _score(ours: _Line, theirs: _Line, pooled: bool) -> float:
    if not (ours.is_there and theirs.is_there):
        return 0.0
    over, under, weights = [], [], []
    for kind in sorted(set(ours.counts) | set(theirs.counts)):
        h, r = ours.counts.get(kind, {}), theirs.counts.get(kind, {})
        items = h.keys() | r.keys()
        over.append(math.fsum(min(h.get(item, 0.0), r.get(item, 0.0)) for item in items))
        under.append(math.fsum(max(h.get(item, 0.0), r.get(item, 0.0)) for item in items))
        weights.append(1.0 - ours.absent.get(kind, 1.0) * theirs.absent.get(kind, 1.0))
    if pooled:
        over, under, weights = [math.fsum(over)], [math.fsum(under)], [1.0]
    total = math.fsum(weights) if any(under) else 0.0
    if not total:
        return 1.0
    parts = [w * a / b for a, b, w in zip(over, under, weights, strict=True) if b > 0]
    return min(1.0, math.fsum(parts) / total)
