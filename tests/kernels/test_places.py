"""Sums for every place of a lattice, against all edit sequences written out and against a state for every place."""

import dataclasses
import math
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm_kernels.inference import Weights, expectations, place_sums
from pfsm_kernels.lattice.lattices import Lattices
from tests.kernels.lattice_cases import number, random_lattices, random_weights
from tests.kernels.pushdown_cases import random_case
from tests.oracles.enumeration import EditLattice, Move, linked, score, sequences

Float = NDArray[np.float64]


def by_hand(
    lattice: EditLattice, weights: dict[str, float]
) -> tuple[float, dict[tuple[str, int], list[float]]]:
    """y, and of every place, ``(side, number)``, its expected number and what its weights add to the mean score."""
    every = list(sequences(lattice))
    scores = [score(lattice, weights, sequence) for sequence in every]
    best = max(scores, default=-math.inf)
    found: dict[tuple[str, int], list[float]] = {}
    if best == -math.inf:
        return best, found
    total = math.fsum(math.exp(value - best) for value in scores)
    for sequence, value in zip(every, scores, strict=True):
        probability = math.exp(value - best) / total
        if not probability:
            continue
        for before, move in pairwise((None, *sequence)):
            assert move is not None
            own = found.setdefault(place_of(move), [0.0, 0.0])
            own[0] += probability
            own[1] += probability * added(lattice, weights, before, move)
    return best + math.log(total), found


def place_of(move: Move) -> tuple[str, int]:
    if move.arc is not None:
        return "arc", move.arc
    return ("insert", move.source.j) if move.target.j > move.source.j else ("delete", move.source.i)


def added(lattice: EditLattice, weights: dict[str, float], before: Move | None, move: Move) -> float:
    """The weights that one edit adds to a score."""
    alone = weights.get(move.state, 0.0)
    if before is not None:
        alone += weights.get(f"{before.state}>{move.state}", 0.0)
    if move.arc is None:
        return alone
    alone += lattice.arcs[move.arc].weight
    if before is not None and linked(lattice, before, move):
        here = (move.source.i, move.source.j)
        alone += lattice.arcs[move.arc].link
        alone += sum(weights.get(link.feature, 0.0) for link in lattice.links if (link.i, link.j) == here)
    return alone


@pytest.mark.parametrize("kind", ["moderate", "large", "mixture", "impossible"])
@pytest.mark.parametrize("seed", range(4))
def test_places_are_those_of_all_sequences(kind: str, seed: int) -> None:
    case = random_case(np.random.default_rng([seed, len(kind)]), kind, 3, jumping=False)
    batch = number(case.lattices, case.weights)
    found = place_sums(batch.lattices, batch.weights)
    for pair, lattice in enumerate(case.lattices):
        y, truth = by_hand(lattice, case.weights)
        assert found.log_sum[pair] == pytest.approx(y, rel=1e-9, abs=1e-9)
        d, i, _ = batch.lattices.offsets[pair].tolist()
        rows = {("delete", k): found.deletes[d + k] for k in range(lattice.m)}
        rows |= {("insert", k): found.inserts[i + k] for k in range(lattice.n)}
        numbers, sums = (batch.oracle_order(pair, found.arcs[:, column]) for column in (0, 1))
        rows |= {("arc", k): np.array([numbers[k], sums[k]]) for k in range(len(lattice.arcs))}
        for place, row in rows.items():
            assert row.tolist() == pytest.approx(truth.get(place, [0.0, 0.0]), rel=1e-8, abs=1e-9), place


def with_a_state_for_every_place(
    lattices: Lattices, weights: Weights
) -> tuple[Lattices, Weights, NDArray[np.int32]]:
    """One pair in which every place has a state of its own; and the states that they had."""
    states = np.concatenate([lattices.delete_states, lattices.insert_states, lattices.arcs[:, 4]])
    m, n = lattices.delete_states.size, lattices.insert_states.size
    arcs = lattices.arcs.copy()
    arcs[:, 4] = np.arange(arcs.shape[0]) + m + n
    numbers = np.arange(m + n, dtype=np.int32)
    split = Lattices(states.size, numbers[:m], numbers[m:], arcs, lattices.offsets)
    table = weights.table[np.ix_(np.append(states, lattices.n_states), states)]
    return split, dataclasses.replace(weights, table=np.ascontiguousarray(table)), states


@pytest.mark.parametrize("scale", [1.0, 60.0, 400.0])
@pytest.mark.parametrize("size", [(70, 12), (60, 50)])
def test_places_of_long_pairs_are_those_of_states_of_their_own(size: tuple[int, int], scale: float) -> None:
    rng = np.random.default_rng([*size, int(scale)])
    lattices = random_lattices(rng, [size], max_block=3, arcs=2.0)
    weights = random_weights(rng, lattices, 1.0)
    weights = dataclasses.replace(weights, table=weights.table * scale)
    split, own, _ = with_a_state_for_every_place(lattices, weights)
    expected = expectations(split, own)
    counts = expected.table[0]
    products = (counts * own.table).sum(axis=0)
    first = sum(size)
    if own.arcs is not None:
        products[first:] += own.arcs * expected.arcs
    if own.links is not None:
        products[first:] += own.links * expected.links
    found = place_sums(lattices, weights)
    rows = np.concatenate([found.deletes, found.inserts, found.arcs])
    np.testing.assert_allclose(found.log_sum, expected.log_sum, rtol=1e-10)
    np.testing.assert_allclose(rows[:, 0], counts.sum(axis=0), atol=1e-8)
    np.testing.assert_allclose(rows[:, 1], products, rtol=1e-7, atol=1e-7 * scale)
