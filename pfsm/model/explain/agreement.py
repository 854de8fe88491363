"""What matchers without a state of their own, such as ``dep`` and ``role``, say of the words that an edit matches."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pfsm.lattice.arrays import LatticeBatch
from pfsm.matchers.registry import MATCHERS, matcher_state
from pfsm.model.explain.contributions import Range
from pfsm.model.file import Model


@dataclass(frozen=True)
class Agreement:
    """What holds of two substituted words.

    Attributes:
        state: State of the substitution, such as ``S_word``.
        reference: Tokens of the reference, [first, last).
        hypothesis: Tokens of the hypothesis, [first, last).
        feature: Name of the feature, such as ``role:same``.
        value: 1, or the probability that it holds.
        points: What it adds to the score if the substitution is made.
    """

    state: str
    reference: Range
    hypothesis: Range
    feature: str
    value: float
    points: float


def agreements_of(batch: LatticeBatch, model: Model, pair: int, length: int) -> tuple[Agreement, ...]:
    """What holds of each substitution of a pair, in the order of the reference, then of features.

    Args:
        batch: The lattices.
        model: The model.
        pair: The pair.
        length: Tokens of the two lines together, at least 1.
    """
    given = batch.arc_features
    names = _annotated(given.names, model.settings.matchers)
    first, last = batch.lattices.offsets[pair : pair + 2, 2].tolist()
    own = np.flatnonzero((given.arc >= first) & (given.arc < last)) if names else np.zeros(0, dtype=np.int64)
    found = []
    for entry in own.tolist():
        name, value = given.names[given.feature[entry]], float(given.value[entry])
        if name in names:
            i, p, j, q, state = batch.lattices.arcs[given.arc[entry]].tolist()
            points = model.scale.sd * model.weights.get(name, 0.0) * value / length
            found.append(Agreement(batch.states[state], (i, i + p), (j, j + q), name, value, points))
    return tuple(sorted(found, key=lambda one: (one.reference, one.hypothesis, one.state, one.feature)))


def _annotated(names: Sequence[str], matchers: Sequence[str]) -> frozenset[str]:
    """Those of the names that belong to matchers without a state."""
    stateless = {name for name in matchers if name in MATCHERS and not matcher_state(name)}
    return frozenset(name for name in names if name.partition(":")[0] in stateless)
