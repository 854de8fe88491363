"""Lattices in which matches cross, and weights for them: named ones for the oracle, numbered for the kernels."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pfsm_kernels.inference import Weights
from pfsm_kernels.lattice.lattices import Lattices
from tests.kernels.lattice_cases import random_lattices, random_named, random_weights
from tests.oracles.configuration_graph import add_up
from tests.oracles.enumeration import JUMP, Arc, EditLattice, Link

# The enumeration writes every sequence out.
MOST_SEQUENCES = 1200
SIDES = (0, 1, 2, 3, 3, 4, 4, 5)


@dataclass(frozen=True)
class Case:
    """Named lattices, named weights of all their states and of Jump, and a jump limit, 0 without jumps."""

    lattices: list[EditLattice]
    weights: dict[str, float]
    max_jump: int


def random_case(rng: np.random.Generator, kind: str, pairs: int = 1, jumping: bool = True) -> Case:
    """Lattices of 0 to 5 tokens a side with a jump limit of 1 to 5, or 0."""
    matches = [f"S_{name}" for name in "abcd"[: rng.integers(1, 5)]]
    inserts = [f"Insert:{k}" for k in range(rng.integers(1, 4))]
    deletes = [f"Delete:{k}" for k in range(rng.integers(1, 4))]
    if rng.random() < 0.33:
        inserts, deletes = inserts[:1], deletes[:1]
    elif rng.random() < 0.3:
        # A state may serve in several roles: what an operation consumes counts, not its name.
        matches = inserts = deletes = [*matches, *inserts[:1], *deletes[:1]]
    max_jump = int(rng.integers(1, 6)) if jumping else 0
    lattices = [
        with_few_sequences(random_named(rng, inserts, deletes, matches, SIDES, 14), max_jump)
        for _ in range(pairs)
    ]
    weights = random_named_weights(rng, kind, sorted({*matches, *inserts, *deletes, JUMP}))
    if kind == "impossible":
        lattices = [without_some_arcs(rng, lattice) for lattice in lattices]
    return Case(lattices, weights, max_jump)


def random_named_weights(rng: np.random.Generator, kind: str, states: Sequence[str]) -> dict[str, float]:
    names = [*states, *(f"{prev}>{cur}" for prev, cur in itertools.product(states, states))]
    names += ["link:subject", "link:object"]
    scale = np.full(len(names), {"moderate": 1.5, "large": 50.0}.get(kind, 1.5))
    if kind == "mixture":
        scale = rng.choice([0.1, 1.5, 20.0, 50.0], len(names))
    values = rng.uniform(-1.0, 1.0, len(names)) * scale
    if kind == "impossible":
        values[rng.random(len(names)) < 0.12] = -np.inf
        values[-2:] = rng.normal(size=2)
    weights = dict(zip(names, values.tolist(), strict=True))
    weights[JUMP] += float(rng.choice([-30.0, -3.0, 0.0, 3.0]))
    return weights


def swaps_side_by_side(rng: np.random.Generator, kind: str, swaps: int, split: bool) -> Case:
    """A lattice of crossing blocks one after the other."""
    inserts, deletes = (
        (["Insert:0", "Insert:1"], ["Delete:0", "Delete:1"]) if split else (["Insert"], ["Delete"])
    )
    arcs, i, j = list[Arc](), 0, 0
    for (p, q), (p2, q2) in rng.choice([1, 1, 1, 2], (swaps, 2, 2)).tolist():
        for one in ((i, p, j + q2, q), (i + p, p2, j, q2)):
            state, (weight, link) = str(rng.choice(["S_a", "S_b"])), rng.normal(size=2).tolist()
            arcs.append(Arc(one[0], one[1], one[2], one[3], state, weight, link))
        i, j = i + p + p2, j + q + q2
    links = tuple(Link(arc.i, arc.j, "link:subject") for arc in arcs[::3])
    lattice = EditLattice(
        tuple(rng.choice(deletes, i).tolist()), tuple(rng.choice(inserts, j).tolist()), tuple(arcs), links
    )
    weights = random_named_weights(rng, kind, ["S_a", "S_b", *inserts, *deletes, JUMP])
    return Case([lattice], weights, 2)


def with_few_sequences(lattice: EditLattice, max_jump: int) -> EditLattice:
    """The lattice with as many of its arcs as ``MOST_SEQUENCES`` edit sequences leave room for."""
    while add_up(lattice, {}, max_jump).n_sequences > MOST_SEQUENCES:
        lattice = replace(lattice, arcs=lattice.arcs[:-2])
    return lattice


def without_some_arcs(rng: np.random.Generator, lattice: EditLattice) -> EditLattice:
    """The lattice with a tenth of its arcs impossible."""
    arcs = tuple(replace(arc, weight=-np.inf) if rng.random() < 0.1 else arc for arc in lattice.arcs)
    return replace(lattice, arcs=arcs)


def random_batch(
    rng: np.random.Generator,
    sizes: Sequence[tuple[int, int]],
    scale: float,
    max_block: int = 3,
    arcs: float = 2.0,
    spread: int = 5,
) -> tuple[Lattices, Weights, int]:
    """Numbered lattices whose matches cross, weights of a standard deviation, and the id of Jump."""
    drawn = random_lattices(rng, sizes, 7, max_block, arcs, spread)
    lattices = replace(drawn, n_states=8)
    return lattices, random_weights(rng, lattices, scale), 7
