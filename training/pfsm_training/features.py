"""Which features a machine has, how often they occur in the training lattices, and which of them are learned."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice import ArcFeatures, LatticeBatch, transition
from pfsm.model import JUMP
from pfsm_kernels.instances import count_instances

# Section 2.3 of Wang and Manning (2012): "We also threw away features occurring fewer than five times".
FEWEST_INSTANCES = 5


def instances(batch: LatticeBatch) -> dict[str, int]:
    """Number of instances of every feature, in the order states, transitions, arc features, link features."""
    counts = count_instances(batch.lattices)
    result = {state: int(count) for state, count in zip(batch.states, counts.states, strict=True)}
    for prev, before in enumerate(batch.states):
        for cur, after in enumerate(batch.states):
            result[transition(before, after)] = int(counts.transitions[prev, cur])
    for features in (batch.arc_features, batch.link_features):
        carried = np.bincount(features.feature, minlength=len(features.names))
        result |= {name: int(count) for name, count in zip(features.names, carried, strict=True)}
    return result


def frequent(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Names of the features with at least ``FEWEST_INSTANCES`` instances; those of ``Jump`` always."""
    return tuple(
        name for name, count in counts.items() if count >= FEWEST_INSTANCES or JUMP in name.split(">")
    )


@dataclass(frozen=True, eq=False)
class FeatureIndex:
    """Where each entry of the weight table and of the arc weights finds its weight in the parameter vector.

    An index of ``n_learned`` + k points at the k-th fixed weight; the very last one at zero.

    Attributes:
        learned: Names of the learned weights, the parameter vector's order.
        fixed: float64 [n_fixed + 1], weights that stay as they are, and a zero.
        states: int64 [S].
        transitions: int64 [S + 1, S]; the row of Start is zero throughout.
        arcs: int64 [number of names of arc features].
        links: int64 [number of names of link features].
    """

    learned: tuple[str, ...]
    fixed: NDArray[np.float64]
    states: NDArray[np.int64]
    transitions: NDArray[np.int64]
    arcs: NDArray[np.int64]
    links: NDArray[np.int64]


def feature_index(batch: LatticeBatch, learned: tuple[str, ...], fixed: Mapping[str, float]) -> FeatureIndex:
    """Index of a batch's features into learned and fixed weights; what is in neither weighs nothing."""
    others = {name: weight for name, weight in fixed.items() if name not in set(learned)}
    place = {name: at for at, name in enumerate((*learned, *others))}
    zero = len(place)

    def look_up(names: tuple[str, ...]) -> NDArray[np.int64]:
        return np.array([place.get(name, zero) for name in names], dtype=np.int64)

    transitions = [
        look_up(tuple(transition(before, after) for after in batch.states)) for before in batch.states
    ]
    transitions.append(np.full(len(batch.states), zero, dtype=np.int64))
    return FeatureIndex(
        learned,
        np.array([*others.values(), 0.0]),
        look_up(batch.states),
        np.stack(transitions),
        look_up(batch.arc_features.names),
        look_up(batch.link_features.names),
    )


def select_pairs(batch: LatticeBatch, pairs: NDArray[np.int64]) -> LatticeBatch:
    """The lattices of some pairs, with their features."""
    lattices = batch.lattices.select(pairs)
    new_arc = np.full(batch.lattices.arcs.shape[0], -1, dtype=np.int64)
    kept = np.concatenate(
        [np.arange(*batch.lattices.offsets[pair : pair + 2, 2]) for pair in pairs]
        or [np.zeros(0, dtype=np.int64)]
    )
    new_arc[kept] = np.arange(kept.size)
    return LatticeBatch(
        batch.states, lattices, _moved(batch.arc_features, new_arc), _moved(batch.link_features, new_arc)
    )


def _moved(features: ArcFeatures, new_arc: NDArray[np.int64]) -> ArcFeatures:
    arc = new_arc[features.arc]
    kept = arc >= 0
    return ArcFeatures(features.names, arc[kept], features.feature[kept], features.value[kept])
