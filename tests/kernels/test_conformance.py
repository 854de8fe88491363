"""What every implementation must do: of the finite-state and of the pushdown machine, in linear and in log space.

The truth is independent of the kernels: every edit sequence of small pairs written out, the graph of configurations
for longer ones.
"""

import dataclasses
from collections.abc import Callable
from functools import partial

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm_kernels import inference, linear_space
from pfsm_kernels.inference import Weights, best_path, expectations, find_jumps, log_sum
from pfsm_kernels.lattice.lattices import Lattices
from tests.kernels.kernel_runs import (
    OVERFLOWS,
    Outcome,
    largest_difference,
    outcomes,
    run_linear,
    uniform,
)
from tests.kernels.lattice_cases import Numbered, number, random_named
from tests.kernels.pushdown_cases import (
    Case,
    random_batch,
    random_case,
    random_named_weights,
    swaps_side_by_side,
)
from tests.oracles.configuration_graph import add_up
from tests.oracles.enumeration import JUMP, Enumeration, enumerate_all, score

pytestmark = OVERFLOWS

Float = NDArray[np.float64]
KINDS = ("moderate", "large", "mixture", "impossible")
SEEDS = 8
PAIRS = 6
SIZES = [(0, 0), (0, 3), (4, 0), (1, 1), (2, 2), (5, 7), (9, 4), (12, 12), (20, 17)]


def arrays(weights: Weights) -> tuple[Float, Float]:
    assert weights.arcs is not None
    assert weights.links is not None
    return weights.arcs, weights.links


def close(found: float, truth: float) -> bool:
    return found == truth or abs(found - truth) <= 1e-9 * max(1.0, abs(truth))


def check_all(case: Case, oracle: Callable[..., Enumeration]) -> set[str]:
    """Every implementation, where it accepts, and the best path; the implementations that accepted something."""
    batch = number(case.lattices, case.weights, case.max_jump)
    found = outcomes(batch.lattices, batch.weights, batch.jumps)
    for pair, lattice in enumerate(case.lattices):
        truth = oracle(lattice, case.weights, case.max_jump)
        for outcome in found:
            if outcome.accepted[pair]:
                check(batch, pair, outcome, truth)
        check_best(batch, pair, case, truth)
    return {outcome.name for outcome in found if outcome.accepted.any()}


def check(batch: Numbered, pair: int, outcome: Outcome, truth: Enumeration) -> None:
    expected = outcome.expected
    assert close(expected.log_sum[pair], truth.log_sum), outcome.name
    assert close(outcome.sums[pair], truth.log_sum), outcome.name
    for name, value in batch.named_counts(pair, expected).items():
        assert close(value, truth.expected_counts.get(name, 0.0)), (outcome.name, name)
    assert batch.oracle_order(pair, expected.arcs) == pytest.approx(truth.arc_posteriors, abs=1e-9)
    if batch.weights.links is not None:
        links = batch.oracle_order(pair, expected.links)
        assert links == pytest.approx(truth.link_posteriors, abs=1e-9), outcome.name


def check_best(batch: Numbered, pair: int, case: Case, truth: Enumeration) -> None:
    path = best_path(batch.lattices, batch.weights, pair, batch.jumps)
    assert close(path.score, truth.best_score)
    if truth.best_score == -np.inf:
        assert path.edits.size == 0
    else:
        replayed = batch.replay(pair, path)
        assert close(score(case.lattices[pair], case.weights, replayed), truth.best_score)


@pytest.mark.parametrize("jumping", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_sums_derivatives_and_best_paths_are_those_of_all_sequences(
    kind: str, seed: int, jumping: bool
) -> None:
    case = random_case(np.random.default_rng([seed, KINDS.index(kind), jumping]), kind, PAIRS, jumping)
    check_all(case, enumerate_all)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("size", "max_jump"), [(10, 0), (8, 4)])
@pytest.mark.parametrize("split", [False, True])
def test_longer_pairs_agree_with_the_graph_of_configurations(
    kind: str, size: int, max_jump: int, split: bool
) -> None:
    rng = np.random.default_rng([size, max_jump, KINDS.index(kind), split])
    matches = ["S_a", "S_b", "S_c"]
    inserts, deletes = (
        (["Insert:0", "Insert:1"], ["Delete:0", "Delete:1"]) if split else (["Insert"], ["Delete"])
    )
    sizes = (size - 2, size - 1, size)
    lattices = [random_named(rng, inserts, deletes, matches, sizes, 16) for _ in range(2)]
    weights = random_named_weights(rng, kind, [*matches, *inserts, *deletes, JUMP])
    names = check_all(Case(lattices, weights, max_jump), add_up)
    uniformly = {"arc to arc"} if max_jump else {"by diagonals", "wide"}
    expected = ({"cell to cell"} if max_jump else set()) | (set() if split else uniformly)
    assert expected <= names or kind != "moderate"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("split", [False, True])
def test_swaps_side_by_side(kind: str, split: bool) -> None:
    for seed in range(4):
        rng = np.random.default_rng([seed, KINDS.index(kind), split])
        check_all(swaps_side_by_side(rng, kind, 2 + seed % 2, split), add_up)


@pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="hundreds of thousands of cells need compiled kernels"
)
@pytest.mark.parametrize("max_jump", [0, 4])
@pytest.mark.parametrize(("scale", "split"), [(0.5, True), (8.0, True), (1.0, False)])
def test_a_pair_does_not_depend_on_its_batch_or_on_threads(
    monkeypatch: pytest.MonkeyPatch, scale: float, split: bool, max_jump: int
) -> None:
    # Several tasks' worth of cells, and with scale 8 some pairs that linear space does not accept.
    monkeypatch.setattr(inference, "CELLS_PER_TASK", 20_000)
    rng = np.random.default_rng(8)
    sizes = [*SIZES, *((int(m), int(n)) for m, n in rng.integers(30, 80, (30, 2)))]
    drawn, weights, state = random_batch(rng, sizes, scale)
    # One state of Insert and one of Delete, but not the same ones in all pairs.
    lattices = drawn if split else several(uniform(drawn), uniform(drawn, 1, 3))
    jumps = find_jumps(lattices, state, max_jump)
    if max_jump or not split:
        way = partial(run_linear, linear_space.cell_to_cell if max_jump else linear_space.by_wide_diagonal)
        accepted, _ = way(lattices, weights, True, *filter(None, [jumps]))
        assert accepted.any()
        assert accepted[1:].all() or scale > 0.5
    whole, sums = expectations(lattices, weights, 1, jumps), log_sum(lattices, weights, 1, jumps)
    for threads in (2, 3):
        again = expectations(lattices, weights, threads, jumps)
        for name in ("log_sum", "table", "arcs", "links"):
            assert np.array_equal(getattr(whole, name), getattr(again, name)), name
        assert np.array_equal(sums, log_sum(lattices, weights, threads, jumps))
    arc_weights, links = arrays(weights)
    turned = np.arange(len(lattices))[::-1].copy()
    for pairs in (turned, *(np.array([pair]) for pair in (0, 4, 7, 8, 9, len(lattices) - 1))):
        selected = lattices.select(pairs)
        arcs = np.concatenate([np.flatnonzero(lattices.pair_of_arc == pair) for pair in pairs])
        of_them = Weights(weights.table, arc_weights[arcs], links[arcs])
        own_jumps = find_jumps(selected, state, max_jump)
        part = expectations(selected, of_them, 1, own_jumps)
        assert np.array_equal(part.log_sum, whole.log_sum[pairs])
        assert np.array_equal(part.table, whole.table[pairs])
        assert np.array_equal(part.arcs, whole.arcs[arcs])
        assert np.array_equal(part.links, whole.links[arcs])
        assert np.array_equal(log_sum(selected, of_them, 1, own_jumps), sums[pairs])
        for pair in range(min(3, len(selected))):
            here = best_path(selected, of_them, pair, own_jumps)
            there = best_path(lattices, weights, int(pairs[pair]), jumps)
            assert here.score == there.score
            assert np.array_equal(here.edits, there.edits)
    assert largest_difference(sums, whole.log_sum) < 1e-13


def several(one: Lattices, other: Lattices) -> Lattices:
    """The first half of the pairs as in one batch, the second as in the other."""
    middle = one.offsets[len(one) // 2]
    return dataclasses.replace(
        one,
        delete_states=np.concatenate([one.delete_states[: middle[0]], other.delete_states[middle[0] :]]),
        insert_states=np.concatenate([one.insert_states[: middle[1]], other.insert_states[middle[1] :]]),
    )
