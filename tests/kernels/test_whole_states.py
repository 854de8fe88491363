"""Sums by whole states against sums over all parts of states, which other tests compare with enumeration."""

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm_kernels.inference import Jumps, Weights, expectations, find_jumps, log_sum
from pfsm_kernels.lattice.lattices import Lattices
from pfsm_kernels.whole_states import (
    LARGEST_PART,
    Parts,
    add_visits,
    are_small,
    whole_expectations,
    whole_log_sum,
)
from tests.kernels.lattice_cases import random_lattices, random_weights

Float = NDArray[np.float64]

SIZES = [(0, 0), (3, 0), (0, 2), (1, 1), (4, 6), (9, 7), (14, 14), (30, 26)]
# Insert, Delete and a substitution in two parts each, two more substitutions, and Jump.
STATES = 8
PARTS = Parts(np.array([0, 0, 1, 1, 2, 2, 3, 4, 5], dtype=np.int32), 6)


def whole_table(rng: np.random.Generator, scale: float) -> Float:
    return np.asarray(rng.normal(0.0, scale, (PARTS.n_whole + 1, PARTS.n_whole)))


def spread(table: Float, parts: Parts, visits: Float) -> Float:
    """The same over all parts."""
    rows = np.append(parts.whole, parts.n_whole)
    return np.ascontiguousarray(table[np.ix_(rows, parts.whole)] + visits)


def case(seed: int, max_jump: int, scale: float) -> tuple[Lattices, Weights, Weights, Float, Jumps | None]:
    """Lattices; weights over whole states and over parts; what visits of parts weigh; jumps."""
    rng = np.random.default_rng(seed)
    lattices = random_lattices(rng, SIZES, STATES + 1, max_block=3)
    arcs = lattices.arcs.copy()
    arcs[:, 4] = np.minimum(arcs[:, 4], STATES - 1)
    lattices = Lattices(STATES + 1, lattices.delete_states, lattices.insert_states, arcs, lattices.offsets)
    table, visits = whole_table(rng, 1.0), rng.normal(0.0, scale, STATES + 1)
    visits[STATES] = 0.0
    extra = random_weights(rng, lattices, 1.0)
    whole = Weights(table, extra.arcs, extra.links)
    every = Weights(spread(table, PARTS, visits), extra.arcs, extra.links)
    return lattices, whole, every, visits, find_jumps(lattices, STATES, max_jump)


@pytest.mark.parametrize("scale", [0.0, 1.0, 12.0])
@pytest.mark.parametrize("max_jump", [0, 1, 40])
@pytest.mark.parametrize("seed", range(2))
def test_sums_and_expected_counts(seed: int, max_jump: int, scale: float) -> None:
    lattices, whole, every, visits, jumps = case(seed, max_jump, scale)
    expected = expectations(lattices, every, 1, jumps)
    found = whole_expectations(lattices, whole, PARTS, visits, 1, jumps)
    sums = whole_log_sum(lattices, whole, PARTS, visits, 1, jumps)
    assert sums == pytest.approx(log_sum(lattices, every, 1, jumps), rel=1e-12, abs=1e-11)
    assert found.log_sum == pytest.approx(expected.log_sum, rel=1e-12, abs=1e-11)
    np.testing.assert_allclose(found.arcs, expected.arcs, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(found.links, expected.links, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(found.table, gathered(expected.table), rtol=0.0, atol=1e-9)
    # A state without a column of its own counts nowhere.
    counts, places = np.zeros((len(lattices), STATES + 1)), np.arange(STATES + 1)
    places[3] = STATES + 1
    add_visits(lattices, found.arcs, places, counts)
    of_each = expected.table.sum(axis=1)
    of_each[:, 3] = 0.0
    # Jumps consume nothing: their visits stand in the table alone.
    of_each[:, STATES] = 0.0
    np.testing.assert_allclose(counts, of_each, rtol=0.0, atol=1e-9)


def gathered(table: Float) -> Float:
    """Counts over parts as counts over whole states."""
    rows = np.append(PARTS.whole, PARTS.n_whole)
    result = np.zeros((len(table), PARTS.n_whole + 1, PARTS.n_whole))
    for prev, row in enumerate(rows.tolist()):
        for cur, column in enumerate(PARTS.whole.tolist()):
            result[:, row, column] += table[:, prev, cur]
    return result


@pytest.mark.parametrize("max_jump", [0, 4])
def test_a_pair_has_the_same_bits_in_any_batch(max_jump: int) -> None:
    lattices, whole, _, visits, jumps = case(11, max_jump, 2.0)
    together = whole_log_sum(lattices, whole, PARTS, visits, 2, jumps)
    for pair in range(len(lattices)):
        own = slice(*lattices.offsets[pair : pair + 2, 2].tolist())
        alone = lattices.select(np.array([pair]))
        assert whole.arcs is not None
        assert whole.links is not None
        given = Weights(whole.table, whole.arcs[own], whole.links[own])
        own_jumps = find_jumps(alone, STATES, max_jump)
        found = whole_log_sum(alone, given, PARTS, visits, 1, own_jumps)
        assert found.tobytes() == together[pair : pair + 1].tobytes()


def test_the_longest_lines_keep_their_digits() -> None:
    """Parts of the largest weight, with signs that cancel, over a thousand words."""
    rng = np.random.default_rng(5)
    lattices = random_lattices(rng, [(1000, 900)], STATES + 1)
    arcs = lattices.arcs.copy()
    arcs[:, 4] = np.minimum(arcs[:, 4], STATES - 1)
    lattices = Lattices(STATES + 1, lattices.delete_states, lattices.insert_states, arcs, lattices.offsets)
    table = whole_table(rng, 1.0)
    visits = np.array([LARGEST_PART, -LARGEST_PART] * 4 + [0.0])
    every = log_sum(lattices, Weights(spread(table, PARTS, visits)))
    found = whole_log_sum(lattices, Weights(table), PARTS, visits)
    assert found == pytest.approx(every, rel=1e-12, abs=1e-9)
    assert are_small(visits)
    assert not any(are_small(np.array([0.0, weight])) for weight in (50.1, np.nan, -np.inf))
