"""The oracle of the pushdown machine against its definition, rule by rule, and against the graph of configurations."""

import itertools
from collections import Counter

import numpy as np
import pytest

from tests.kernels.pushdown_cases import random_case
from tests.oracles.configuration_graph import add_up
from tests.oracles.enumeration import (
    JUMP,
    Arc,
    EditLattice,
    Link,
    enumerate_all,
    features,
    sequences,
)
from tests.oracles.jumping import HYPOTHESIS, REFERENCE, Configuration, Mode

Ops = tuple[tuple[int, int, bool], ...]


def plain_lattice(m: int, n: int, *blocks: tuple[int, int, int, int]) -> EditLattice:
    return EditLattice(("Delete",) * m, ("Insert",) * n, tuple(Arc(*block, "S") for block in blocks))


def test_swaps_may_stand_side_by_side() -> None:
    # Four matches, two swaps, nothing between: "red blue cat dog", "blue red dog cat".
    lattice = plain_lattice(4, 4, (0, 1, 1, 1), (1, 1, 0, 1), (2, 1, 3, 1), (3, 1, 2, 1))
    swaps = [sequence for sequence in sequences(lattice, 1) if len(sequence) == 10]
    assert [[move.state for move in every] for every in swaps] == [[JUMP, "S", JUMP, "S", JUMP] * 2] * 4
    sides = {tuple(move.target.memory.side for move in every if move.target.memory) for every in swaps}
    assert {(found[0], found[-1]) for found in sides} == set(
        itertools.product((REFERENCE, HYPOTHESIS), repeat=2)
    )
    assert all(f"{JUMP}>{JUMP}" in features(lattice, every) for every in swaps)


def test_the_machine_stops_only_in_normal_mode() -> None:
    assert [mode for mode in Mode if Configuration(mode=mode).is_final] == [Mode.NORMAL]
    # Two matches cross; only sequences that resume are complete, and one may stop directly after it.
    lattice = plain_lattice(2, 2, (0, 1, 1, 1), (1, 1, 0, 1))
    swaps = [sequence for sequence in sequences(lattice, 1) if any(move.state == JUMP for move in sequence)]
    assert sorted([[move.state for move in swap] for swap in swaps]) == [[JUMP, "S", JUMP, "S", JUMP]] * 2
    assert {tuple((move.target.i, move.target.j) for move in swap) for swap in swaps} == {
        ((0, 1), (1, 2), (1, 0), (2, 1), (2, 2)),
        ((1, 0), (2, 1), (0, 1), (1, 2), (2, 2)),
    }


def test_jump_is_a_state_with_features_and_breaks_a_link() -> None:
    links = tuple(Link(i, j, "link:subject") for i, j in ((0, 1), (1, 0), (2, 2)))
    lattice = plain_lattice(3, 3, (0, 1, 1, 1), (1, 1, 0, 1), (2, 1, 2, 1))
    lattice = EditLattice(lattice.delete_states, lattice.insert_states, lattice.arcs, links)
    alternating = [JUMP, "S"] * 3
    found = [every for every in sequences(lattice, 1) if [move.state for move in every] == alternating]
    assert len(found) == 2
    for swap in found:
        assert Counter(features(lattice, swap)) == {JUMP: 3, "S": 3, f"{JUMP}>S": 3, f"S>{JUMP}": 2}


@pytest.mark.parametrize("seed", range(20))
def test_both_formulations_agree(seed: int) -> None:
    rng = np.random.default_rng([seed, 77])
    for max_jump in (1, 2, 4):
        case = random_case(rng, "moderate")
        lattice = case.lattices[0]
        truth = enumerate_all(lattice, case.weights, max_jump)
        graph = add_up(lattice, case.weights, max_jump)
        assert graph.n_sequences == truth.n_sequences
        assert graph.log_sum == pytest.approx(truth.log_sum, rel=1e-12, abs=1e-12)
        assert graph.best_score == pytest.approx(truth.best_score, rel=1e-12, abs=1e-12)
        assert graph.expected_counts == pytest.approx(truth.expected_counts, rel=1e-10, abs=1e-12)
        assert graph.arc_posteriors == pytest.approx(truth.arc_posteriors, rel=1e-10, abs=1e-12)
        assert graph.link_posteriors == pytest.approx(truth.link_posteriors, rel=1e-10, abs=1e-12)
