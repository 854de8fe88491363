"""The log-linear machine by brute force: lattices and weights by name, every edit sequence written out."""

import math
from collections.abc import Mapping

from pfsm.lattice.arrays import ArcFeatures, LatticeBatch
from tests.oracles.enumeration import Arc, EditLattice, enumerate_all, legal_moves
from tests.oracles.jumping import Configuration


def edit_lattice(batch: LatticeBatch, pair: int, weights: Mapping[str, float]) -> EditLattice:
    """One pair of a batch as the enumeration takes it; features on arcs become weights of arcs."""
    lattices = batch.lattices
    (d0, i0, a0), (d1, i1, a1) = lattices.offsets[pair : pair + 2].tolist()
    arcs = []
    for row in range(a0, a1):
        i, p, j, q, state = lattices.arcs[row].tolist()
        weight = feature_sum(batch.arc_features, row, weights)
        link = feature_sum(batch.link_features, row, weights)
        arcs.append(Arc(i, p, j, q, batch.states[state], weight, link))
    return EditLattice(
        tuple(batch.states[state] for state in lattices.delete_states[d0:d1]),
        tuple(batch.states[state] for state in lattices.insert_states[i0:i1]),
        tuple(arcs),
    )


def feature_sum(features: ArcFeatures, arc: int, weights: Mapping[str, float]) -> float:
    """What the features on one arc weigh together."""
    entries = zip(features.arc.tolist(), features.feature.tolist(), features.value.tolist(), strict=True)
    return math.fsum(
        weights.get(features.names[name], 0.0) * value for at, name, value in entries if at == arc
    )


def predictions(batch: LatticeBatch, weights: Mapping[str, float], alpha: float) -> list[float]:
    """``y / (m + n) + alpha`` of every pair, ``y / (m + n)`` being 0 for an empty one."""
    result = []
    for pair in range(len(batch)):
        lattice = edit_lattice(batch, pair, weights)
        length = lattice.m + lattice.n
        result.append((enumerate_all(lattice, weights).log_sum / length if length else 0.0) + alpha)
    return result


def instances(batch: LatticeBatch) -> dict[str, int]:
    """Instances of every feature that has any, cell by cell from the definition."""
    counts: dict[str, int] = {}
    for pair in range(len(batch)):
        lattice = edit_lattice(batch, pair, {})
        cells = [Configuration(i, j) for i in range(lattice.m + 1) for j in range(lattice.n + 1)]
        moves = [move for cell in cells for move in legal_moves(lattice, cell)]
        for cell in cells:
            begin = {move.state for move in moves if move.source == cell}
            end = {move.state for move in moves if move.target == cell}
            for name in [*begin, *(f"{prev}>{cur}" for prev in end for cur in begin)]:
                counts[name] = counts.get(name, 0) + 1
    for features in (batch.arc_features, batch.link_features):
        carriers = {
            (arc, features.names[name])
            for arc, name in zip(features.arc.tolist(), features.feature.tolist(), strict=True)
        }
        for _, carried in carriers:
            counts[carried] = counts.get(carried, 0) + 1
    return counts
