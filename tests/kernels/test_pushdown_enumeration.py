"""The pushdown kernels against every edit sequence written out, and on longer pairs against its graph."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pfsm_kernels.inference import Expectations, best_path, expectations, log_sum
from tests.kernels.kernel_runs import in_linear_space, in_log_space
from tests.kernels.lattice_cases import Numbered, number, random_named
from tests.kernels.pushdown_cases import Case, random_case, random_named_weights, swaps_side_by_side
from tests.oracles.configuration_graph import add_up
from tests.oracles.enumeration import JUMP, Enumeration, enumerate_all, score

KINDS = ("moderate", "large", "mixture", "impossible")
SEEDS = 50
PAIRS = 3


def close(found: float, truth: float) -> bool:
    return found == truth or abs(found - truth) <= 1e-9 * max(1.0, abs(truth))


def check(batch: Numbered, pair: int, expected: Expectations, truth: Enumeration) -> None:
    assert close(expected.log_sum[pair], truth.log_sum)
    for name, value in batch.named_counts(pair, expected).items():
        assert close(value, truth.expected_counts.get(name, 0.0)), name
    assert batch.oracle_order(pair, expected.arcs) == pytest.approx(truth.arc_posteriors, abs=1e-9)
    if batch.weights.links is not None:
        links = batch.oracle_order(pair, expected.links)
        assert links == pytest.approx(truth.link_posteriors, abs=1e-9)


def check_all(case: Case, oracle: Callable[..., Enumeration]) -> None:
    """Linear space where it accepts, log space, and the front that chooses between them."""
    batch = number(case.lattices, case.weights, case.max_jump)
    front = expectations(batch.lattices, batch.weights, jumps=batch.jumps)
    in_logs = in_log_space(batch.lattices, batch.weights, batch.jumps)
    values = log_sum(batch.lattices, batch.weights, jumps=batch.jumps)
    np.testing.assert_allclose(values, front.log_sum, rtol=1e-13)
    accepted = np.zeros(len(case.lattices), dtype=np.bool_)
    # Interpreted or compiled, linear space is offered no weight that it does not take.
    if all(np.abs(part[part > -np.inf]).max(initial=0.0) < 600.0 for part in weight_arrays(batch)):
        accepted, linear = in_linear_space(batch.lattices, batch.weights, batch.jumps)
    for pair, lattice in enumerate(case.lattices):
        truth = oracle(lattice, case.weights, case.max_jump)
        check(batch, pair, front, truth)
        check(batch, pair, in_logs, truth)
        if accepted[pair]:
            check(batch, pair, linear, truth)
        check_best(batch, pair, case, truth)


def check_best(batch: Numbered, pair: int, case: Case, truth: Enumeration) -> None:
    path = best_path(batch.lattices, batch.weights, pair, batch.jumps)
    assert close(path.score, truth.best_score)
    if truth.best_score == -np.inf:
        assert path.edits.size == 0
    else:
        replayed = batch.replay(pair, path)
        assert close(score(case.lattices[pair], case.weights, replayed), truth.best_score)


def weight_arrays(batch: Numbered) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    weights = batch.weights
    return [part for part in (weights.table, weights.arcs, weights.links) if part is not None]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_sums_and_derivatives_are_those_of_all_sequences(kind: str, seed: int) -> None:
    case = random_case(np.random.default_rng([seed, KINDS.index(kind)]), kind, PAIRS)
    check_all(case, enumerate_all)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("size", "max_jump"), [(8, 2), (8, 7), (10, 3), (12, 10)])
def test_longer_pairs_agree_with_the_graph_of_configurations(kind: str, size: int, max_jump: int) -> None:
    rng = np.random.default_rng([size, max_jump, KINDS.index(kind)])
    matches, inserts, deletes = ["S_a", "S_b", "S_c"], ["Insert:0", "Insert:1"], ["Delete:0", "Delete:1"]
    sizes = (size - 2, size - 1, size)
    lattices = [random_named(rng, inserts, deletes, matches, sizes, 16) for _ in range(2)]
    weights = random_named_weights(rng, kind, [*matches, *inserts, *deletes, JUMP])
    check_all(Case(lattices, weights, max_jump), add_up)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("split", [False, True])
def test_swaps_side_by_side(kind: str, split: bool) -> None:
    counts = []
    for seed in range(12):
        rng = np.random.default_rng([seed, KINDS.index(kind), split])
        case = swaps_side_by_side(rng, kind, 2 + seed % 2, split)
        check_all(case, add_up)
        counts.append(add_up(case.lattices[0], {}, case.max_jump).expected_counts.get(f"{JUMP}>{JUMP}", 0.0))
    assert sum(count > 0.0 for count in counts) >= 5


@pytest.mark.parametrize("seed", range(6))
def test_long_blocks(seed: int) -> None:
    """Blocks longer than the jump limit, as long as it, and longer than a window."""
    rng = np.random.default_rng([seed, 5])
    case = random_case(rng, "moderate", PAIRS)
    grown = []
    for lattice in case.lattices:
        arcs = [
            replace(
                arc,
                p=int(rng.integers(1, lattice.m - arc.i + 1)),
                q=int(rng.integers(1, lattice.n - arc.j + 1)),
            )
            for arc in lattice.arcs
        ]
        grown.append(replace(lattice, arcs=tuple(arcs)))
    for max_jump in (1, 2, 3, 9):
        check_all(Case(grown, case.weights, max_jump), add_up)


def test_the_random_cases_hold_what_they_are_meant_to_test() -> None:
    cases = [random_case(np.random.default_rng([seed, 0]), "moderate", PAIRS) for seed in range(SEEDS)]
    lattices = [(lattice, case) for case in cases for lattice in case.lattices]
    assert {(lattice.m, lattice.n) for lattice, _ in lattices} >= set(
        itertools.product(range(1, 4), range(1, 4))
    )
    arcs = [arc for lattice, _ in lattices for arc in lattice.arcs]
    assert {(arc.p, arc.q) for arc in arcs} == set(itertools.product(range(1, 4), range(1, 4)))
    swapped = [
        add_up(lattice, {}, case.max_jump)
        for lattice, case in lattices
        if f"{JUMP}>S_a" in add_up(lattice, {}, case.max_jump).expected_counts
    ]
    assert len(swapped) > 30
    assert {case.max_jump for case in cases} == {1, 2, 3, 4, 5}
    assert sum(max(found.link_posteriors, default=0.0) > 0.0 for found in swapped) > 10
