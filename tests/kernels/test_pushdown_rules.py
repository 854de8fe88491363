"""The oracle of the pushdown machine against its definition, rule by rule, and against two other formulations."""

import itertools
from collections import Counter
from collections.abc import Iterator

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


def transposed(lattice: EditLattice) -> EditLattice:
    return EditLattice(
        lattice.insert_states,
        lattice.delete_states,
        tuple(Arc(arc.j, arc.q, arc.i, arc.p, arc.state, arc.weight, arc.link) for arc in lattice.arcs),
        tuple(Link(link.j, link.i, link.feature) for link in lattice.links),
    )


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


# A third formulation, without modes: a swap is two plain stretches of edits, and a sequence is made of edits
# and swaps.


def stretches(lattice: EditLattice, i: int, j: int, i2: int, j2: int) -> Iterator[Ops]:
    """All sequences of plain edits from (i, j) to (i2, j2)."""
    if (i, j) == (i2, j2):
        yield ()
    steps = [(0, 1, False), (1, 0, False)]
    steps += [(arc.p, arc.q, True) for arc in lattice.arcs if (arc.i, arc.j) == (i, j)]
    for p, q, is_substitution in steps:
        if i + p <= i2 and j + q <= j2:
            for rest in stretches(lattice, i + p, j + q, i2, j2):
                yield (p, q, is_substitution), *rest


def is_landed_block(ops: Ops) -> bool:
    return bool(ops) and ops[0][2]


def is_gap(ops: Ops) -> bool:
    """Consumes no hypothesis token before the first substitution, and some with the last operation."""
    leading = list(itertools.takewhile(lambda op: not op[2], ops))
    return bool(ops) and ops[-1][1] > 0 and all(q == 0 for _, q, _ in leading) and len(leading) < len(ops)


def swaps_on_hypothesis(lattice: EditLattice, max_jump: int) -> Counter[tuple[int, int, int, int]]:
    """How many swaps lead from (i, j) to (i2, j2)."""
    m, n = lattice.m, lattice.n
    result: Counter[tuple[int, int, int, int]] = Counter()
    for i, start, landing in itertools.product(range(m + 1), range(n), range(n)):
        if not 1 <= landing - start <= max_jump:
            continue
        for i1, end in itertools.product(range(i, m + 1), range(landing, min(n, landing + max_jump) + 1)):
            landed = sum(map(is_landed_block, stretches(lattice, i, landing, i1, end)))
            for i2 in range(i1, m + 1) if landed else ():
                gaps = sum(map(is_gap, stretches(lattice, i1, start, i2, landing)))
                result[i, start, i2, end] += landed * gaps
    return result


def count_by_swaps(lattice: EditLattice, max_jump: int) -> int:
    swaps = swaps_on_hypothesis(lattice, max_jump)
    for (j, i, j2, i2), many in swaps_on_hypothesis(transposed(lattice), max_jump).items():
        swaps[i, j, i2, j2] += many
    edits = Counter((arc.i, arc.j, arc.i + arc.p, arc.j + arc.q) for arc in lattice.arcs)
    for i, j in itertools.product(range(lattice.m + 1), range(lattice.n + 1)):
        edits[i, j, i + 1, j] += i < lattice.m
        edits[i, j, i, j + 1] += j < lattice.n

    steps = edits + swaps

    def count(i: int, j: int) -> int:
        total = int((i, j) == (lattice.m, lattice.n))
        return total + sum(many * count(*to[2:]) for to, many in steps.items() if to[:2] == (i, j))

    return count(0, 0)


@pytest.mark.parametrize("seed", range(20))
def test_three_formulations_agree(seed: int) -> None:
    rng = np.random.default_rng([seed, 77])
    for max_jump in (1, 2, 4):
        case = random_case(rng, "moderate")
        lattice = case.lattices[0]
        truth = enumerate_all(lattice, case.weights, max_jump)
        graph = add_up(lattice, case.weights, max_jump)
        assert graph.n_sequences == truth.n_sequences == count_by_swaps(lattice, max_jump)
        assert graph.log_sum == pytest.approx(truth.log_sum, rel=1e-12, abs=1e-12)
        assert graph.best_score == pytest.approx(truth.best_score, rel=1e-12, abs=1e-12)
        assert graph.expected_counts == pytest.approx(truth.expected_counts, rel=1e-10, abs=1e-12)
        assert graph.arc_posteriors == pytest.approx(truth.arc_posteriors, rel=1e-10, abs=1e-12)
        assert graph.link_posteriors == pytest.approx(truth.link_posteriors, rel=1e-10, abs=1e-12)


def test_no_sequence_is_listed_twice() -> None:
    for seed in range(20):
        lattice = random_case(np.random.default_rng([seed, 78]), "moderate").lattices[0]
        every = [
            tuple((move.state, move.arc, move.source.i, move.source.j) for move in sequence)
            + tuple((move.target.i, move.target.j) for move in sequence if move.state == JUMP)
            for sequence in sequences(lattice, 3)
        ]
        assert len(every) == len(set(every))
