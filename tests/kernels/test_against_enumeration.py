"""The finite-state kernels against every edit sequence written out, on small random lattices."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from pfsm_kernels.inference import Expectations, best_path, expectations, log_sum
from tests.kernels.kernel_runs import in_log_space
from tests.kernels.lattice_cases import Numbered, number, random_named
from tests.oracles.enumeration import EditLattice, enumerate_all, score, sequences

KINDS = ("moderate", "large", "mixture", "impossible")
SEEDS = 80
LATTICES_PER_SEED = 4


def random_case(rng: np.random.Generator, kind: str) -> tuple[list[EditLattice], dict[str, float]]:
    matches = [f"S_{name}" for name in "abcd"[: rng.integers(1, 5)]]
    inserts = [f"Insert:{k}" for k in range(rng.integers(1, 4))]
    deletes = [f"Delete:{k}" for k in range(rng.integers(1, 4))]
    if rng.random() < 0.3:
        # A state may serve in several roles: what an operation consumes counts, not its name.
        matches = inserts = deletes = [*matches, *inserts[:1], *deletes[:1]]
    lattices = [random_named(rng, inserts, deletes, matches) for _ in range(LATTICES_PER_SEED)]
    states = sorted({*matches, *inserts, *deletes})
    names = states + [f"{prev}>{cur}" for prev, cur in itertools.product(states, states)]
    names += ["link:subject", "link:object"]
    scale = np.full(len(names), {"moderate": 1.5, "large": 50.0}.get(kind, 1.5))
    if kind == "mixture":
        scale = rng.choice([0.1, 1.5, 20.0, 50.0], len(names))
    values = rng.uniform(-1.0, 1.0, len(names)) * scale
    if kind == "impossible":
        values[rng.random(len(names)) < 0.12] = -np.inf
        values[-2:] = rng.normal(size=2)
        lattices = [without_some_arcs(rng, lattice) for lattice in lattices]
    return lattices, dict(zip(names, values.tolist(), strict=True))


def without_some_arcs(rng: np.random.Generator, lattice: EditLattice) -> EditLattice:
    arcs = tuple(replace(arc, weight=-np.inf) if rng.random() < 0.1 else arc for arc in lattice.arcs)
    return replace(lattice, arcs=arcs)


def close(found: float, truth: float) -> bool:
    return found == truth or abs(found - truth) <= 1e-9 * max(1.0, abs(truth))


def check(case: Numbered, weights: dict[str, float], expected: Expectations) -> None:
    for pair, lattice in enumerate(case.named):
        truth = enumerate_all(lattice, weights)
        assert close(expected.log_sum[pair], truth.log_sum)
        for name, value in case.named_counts(pair, expected).items():
            assert value == pytest.approx(truth.expected_counts.get(name, 0.0), abs=1e-9), name
        assert case.oracle_order(pair, expected.arcs) == pytest.approx(truth.arc_posteriors, abs=1e-9)
        if case.weights.links is not None:
            links = case.oracle_order(pair, expected.links)
            assert links == pytest.approx(truth.link_posteriors, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_sums_derivatives_and_best_paths_are_those_of_all_sequences(kind: str, seed: int) -> None:
    named, weights = random_case(np.random.default_rng([seed, KINDS.index(kind)]), kind)
    case = number(named, weights)
    expected = expectations(case.lattices, case.weights)
    check(case, weights, expected)
    check(case, weights, in_log_space(case.lattices, case.weights))
    np.testing.assert_allclose(log_sum(case.lattices, case.weights), expected.log_sum, rtol=1e-13)
    for pair, lattice in enumerate(named):
        best = max(score(lattice, weights, sequence) for sequence in sequences(lattice))
        path = best_path(case.lattices, case.weights, pair)
        assert close(path.score, best)
        if best > -math.inf:
            assert close(score(lattice, weights, case.replay(pair, path)), best)
        else:
            assert path.edits.size == 0


def test_the_random_lattices_hold_what_they_are_meant_to_test() -> None:
    lattices = [
        lattice
        for seed in range(SEEDS)
        for lattice in random_case(np.random.default_rng([seed, 0]), "moderate")[0]
    ]
    arcs = [arc for lattice in lattices for arc in lattice.arcs]
    assert {(lattice.m, lattice.n) for lattice in lattices} >= set(
        itertools.product(range(1, 4), range(1, 4))
    )
    assert {(arc.p, arc.q) for arc in arcs} == set(itertools.product(range(1, 4), range(1, 4)))
    assert any(lattice.m == 0 for lattice in lattices)
    assert any(lattice.n == 0 for lattice in lattices)
    assert (
        sum(max(enumerate_all(lattice, {}).link_posteriors, default=0.0) > 0.0 for lattice in lattices) > 10
    )
