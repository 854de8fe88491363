"""Lattices to test the kernels on: named ones as the oracle takes them, numbered ones as the kernels do."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.inference import DELETE, INSERT, BestPath, Expectations, Jumps, Weights, find_jumps
from pfsm_kernels.inference import JUMP as JUMPED
from pfsm_kernels.lattice.lattices import Lattices, table_shape
from tests.oracles.enumeration import JUMP, Arc, EditLattice, Link, Move, legal_moves
from tests.oracles.jumping import Configuration

Int = NDArray[np.int64]


@dataclass(frozen=True)
class Numbered:
    """A batch of named lattices as arrays."""

    named: tuple[EditLattice, ...]
    states: tuple[str, ...]
    order: tuple[tuple[int, ...], ...]
    lattices: Lattices
    weights: Weights
    jumps: Jumps | None = None

    def oracle_order(self, pair: int, values: NDArray[np.float64]) -> list[float]:
        """Values per arc of the whole batch, as those of one pair in the order of the oracle."""
        first = int(self.lattices.offsets[pair, 2])
        result = [math.nan] * len(self.order[pair])
        for row, index in enumerate(self.order[pair]):
            result[index] = float(values[first + row])
        return result

    def named_counts(self, pair: int, expected: Expectations) -> dict[str, float]:
        """Expected number of uses of every named weight, also of those that cannot occur."""
        counts = {}
        for cur, name in enumerate(self.states):
            counts[name] = float(expected.table[pair, :, cur].sum())
            for prev, before in enumerate(self.states):
                counts[f"{before}>{name}"] = float(expected.table[pair, prev, cur])
        lattice = self.named[pair]
        if lattice.links:
            links = self.oracle_order(pair, expected.links)
            for link in lattice.links:
                begins = [
                    index for index, arc in enumerate(lattice.arcs) if (arc.i, arc.j) == (link.i, link.j)
                ]
                counts[link.feature] = counts.get(link.feature, 0.0) + sum(links[index] for index in begins)
        return counts

    def replay(self, pair: int, path: BestPath) -> tuple[Move, ...]:
        """The edits of a path as the moves they stand for; fails where one of them is not legal."""
        lattice, here = self.named[pair], Configuration()
        max_jump = self.jumps.crossings.max_jump if self.jumps else 0
        edits = path.edits.tolist()
        moves = []
        for edit, following in itertools.zip_longest(edits, edits[1:]):
            legal = legal_moves(lattice, here, max_jump)
            possible = [move for move in legal if self._is(pair, edit, move)]
            if len(possible) > 1:
                # A jump forward lands where the substitution after it begins.
                begins = _begin(lattice.arcs[self.order[pair][following]])
                possible = [move for move in possible if (move.target.i, move.target.j) == begins]
            if len(possible) != 1:
                raise AssertionError(f"edit {edit} is one of {len(possible)} at {here}")
            moves += possible
            here = possible[0].target
        if not here.is_final or (here.i, here.j) != (lattice.m, lattice.n):
            raise AssertionError(f"the path stops at {here}")
        return tuple(moves)

    def _is(self, pair: int, edit: int, move: Move) -> bool:
        """Whether the kernels write ``edit`` for the move."""
        if edit >= 0:
            return move.arc == self.order[pair][edit]
        if edit == JUMPED or move.state == JUMP:
            return edit == JUMPED and move.state == JUMP
        consumed = {INSERT: (0, 1), DELETE: (1, 0)}.get(edit)
        return move.arc is None and consumed == (move.target.i - move.source.i, move.target.j - move.source.j)


def number(named: Sequence[EditLattice], weights: Mapping[str, float], max_jump: int = 0) -> Numbered:
    """Turns named lattices and weights into arrays; arcs are sorted on the way."""
    names = {name for lattice in named for name in _states(lattice)}
    states = tuple(sorted(names | {JUMP} if max_jump else names))
    ids = {name: k for k, name in enumerate(states)}
    order = tuple(_sorted(lattice.arcs) for lattice in named)
    arcs = [lattice.arcs[index] for lattice, rows in zip(named, order, strict=True) for index in rows]
    links = np.array([arc.link for arc in arcs])
    for row, (pair, index) in enumerate((pair, index) for pair, rows in enumerate(order) for index in rows):
        lattice = named[pair]
        places = [link for link in lattice.links if (link.i, link.j) == _begin(lattice.arcs[index])]
        links[row] += sum(weights.get(link.feature, 0.0) for link in places)
    sizes = [(lattice.m, lattice.n, len(lattice.arcs)) for lattice in named]
    has_links = any(lattice.links for lattice in named) or any(arc.link for arc in arcs)
    lattices = Lattices(
        len(states),
        np.array([ids[name] for lattice in named for name in lattice.delete_states], dtype=np.int32),
        np.array([ids[name] for lattice in named for name in lattice.insert_states], dtype=np.int32),
        np.array([(a.i, a.p, a.j, a.q, ids[a.state]) for a in arcs], dtype=np.int32).reshape(-1, 5),
        np.cumsum([(0, 0, 0), *sizes], axis=0, dtype=np.int64),
    )
    arc_weights = np.array([arc.weight for arc in arcs]) if any(arc.weight for arc in arcs) else None
    return Numbered(
        tuple(named), states, order, lattices,
        Weights(table(states, weights), arc_weights, links if has_links else None),
        find_jumps(lattices, ids[JUMP], max_jump) if max_jump else None,
    )  # fmt: skip


def table(states: Sequence[str], weights: Mapping[str, float]) -> NDArray[np.float64]:
    """W[prev, cur] = u[cur] + t[prev > cur]; the last row, Start, is u[cur]."""
    result = np.zeros(table_shape(len(states)))
    for cur, name in enumerate(states):
        result[:, cur] = weights.get(name, 0.0)
        for prev, before in enumerate(states):
            result[prev, cur] += weights.get(f"{before}>{name}", 0.0)
    return result


def _states(lattice: EditLattice) -> Iterable[str]:
    return itertools.chain(lattice.delete_states, lattice.insert_states, (arc.state for arc in lattice.arcs))


def _sorted(arcs: Sequence[Arc]) -> tuple[int, ...]:
    return tuple(sorted(range(len(arcs)), key=lambda index: _begin(arcs[index])))


def _begin(arc: Arc) -> tuple[int, int]:
    return arc.i, arc.j


def random_named(
    rng: np.random.Generator,
    inserts: Sequence[str],
    deletes: Sequence[str],
    matches: Sequence[str],
    sides: Sequence[int] = (0, 1, 2, 3, 3, 4, 4),
    most_offers: int = 10,
) -> EditLattice:
    """A lattice of few tokens a side: blocks of up to 3 tokens, overlapping offers, weights and links."""
    m, n = (int(size) for size in rng.choice(sides, 2))
    blocks = [
        (i, p, j, q)
        for i, p, j, q in itertools.product(range(m), range(1, 4), range(n), range(1, 4))
        if i + p <= m and j + q <= n
    ]
    # Diagonals of 1:1 arcs are where links live: half of the offers are 1:1.
    single = [block for block in blocks if block[1] == block[3] == 1]
    arcs = []
    for _ in range(int(rng.integers(0, most_offers + 1)) if blocks else 0):
        pool = single if rng.random() < 0.5 else blocks
        i, p, j, q = pool[rng.integers(len(pool))]
        weight = float(rng.normal()) if rng.random() < 0.5 else 0.0
        link = float(rng.normal()) if rng.random() < 0.3 else 0.0
        arcs += [Arc(i, p, j, q, str(rng.choice(matches)), weight, link) for _ in range(rng.integers(1, 3))]
    links = [
        Link(arc.i, arc.j, f"link:{rng.choice(['subject', 'object'])}") for arc in arcs if rng.random() < 0.3
    ]
    return EditLattice(
        tuple(rng.choice(deletes, m).tolist()),
        tuple(rng.choice(inserts, n).tolist()),
        tuple(arcs[index] for index in rng.permutation(len(arcs))),
        tuple(links),
    )


def random_lattices(
    rng: np.random.Generator,
    sizes: Sequence[tuple[int, int]],
    n_states: int = 5,
    max_block: int = 1,
    arcs: float = 1.5,
    spread: int = 2,
) -> Lattices:
    """Numbered lattices of given sizes, with ``arcs`` arcs per token of the longer side on average."""
    rows = [_random_arcs(rng, (m, n), n_states, max_block, arcs, spread) for m, n in sizes]
    m_total, n_total = (sum(size[side] for size in sizes) for side in (0, 1))
    steps = [(m, n, len(own)) for (m, n), own in zip(sizes, rows, strict=True)]
    return Lattices(
        n_states,
        rng.integers(2, 4, m_total).astype(np.int32),
        rng.integers(0, 2, n_total).astype(np.int32),
        np.concatenate(rows).astype(np.int32).reshape(-1, 5),
        np.cumsum([(0, 0, 0), *steps], axis=0, dtype=np.int64),
    )


def _random_arcs(
    rng: np.random.Generator, size: tuple[int, int], n_states: int, max_block: int, arcs: float, spread: int
) -> Int:
    """Arcs around the diagonal, half of them with a 1:1 arc that begins where they end."""
    m, n = size
    if m == 0 or n == 0:
        return np.zeros((0, 5), dtype=np.int64)
    count = int(rng.poisson(arcs * max(m, n) / 1.5))
    p, q = (
        np.where(rng.random(count) < 0.5, 1, rng.integers(1, min(max_block, side) + 1, count))
        for side in (m, n)
    )
    i = rng.integers(0, m - p + 1)
    j = np.clip(i * n // m + rng.integers(-spread, spread + 1, count), 0, n - q)
    follow = (i + p < m) & (j + q < n) & (rng.random(count) < 0.5)
    ones = np.ones(follow.sum(), dtype=np.int64)
    first = np.stack([i, p, j, q], axis=1)
    second = np.stack([(i + p)[follow], ones, (j + q)[follow], ones], axis=1)
    blocks = np.concatenate([first, second])
    states = rng.integers(4, n_states, len(blocks))
    return np.column_stack([blocks, states])[np.lexsort((blocks[:, 2], blocks[:, 0]))]


def random_weights(rng: np.random.Generator, lattices: Lattices, scale: float) -> Weights:
    """Normal weights of the given standard deviation in the table, on arcs and on links."""
    states, arcs = lattices.n_states, lattices.arcs.shape[0]
    table, arc_weights, links = (
        rng.normal(0.0, scale, size) for size in (table_shape(states), (arcs,), (arcs,))
    )
    return Weights(table, arc_weights, links)
