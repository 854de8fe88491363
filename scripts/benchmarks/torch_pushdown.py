"""The restricted pushdown machine in plain PyTorch, with autograd: each configuration is visited after all its sources.

The rules are those of docs/model.md. A configuration is a tuple ``(mode, i, j, side, start, landing, end)``. What
follows ``j`` describes a jump: its side (0 the reference, 1 the hypothesis), the start and the end of the gap, and the
end of the block in which it landed.
"""

from collections.abc import Callable, Iterator

import torch
from plain_torch import Combine, add_up, arcs_of, onward
from torch import Tensor

from pfsm_kernels.inference import Jumps
from pfsm_kernels.lattice.lattices import Lattices

NORMAL, LANDED, MOVED, BACK, GAP = range(5)
Configuration = tuple[int, ...]
# The configuration to which an operation leads, and its state.
Move = tuple[Configuration, int]


def pushdown_sums(lattices: Lattices, jumps: Jumps, table: Tensor, combine: Combine = add_up) -> Tensor:
    """y of every lattice, float64 [n_pairs], configuration by configuration."""
    return torch.stack(
        [_pushdown_sum(lattices, pair, jumps, table, combine) for pair in range(len(lattices))]
    )


def _pushdown_sum(lattices: Lattices, pair: int, jumps: Jumps, table: Tensor, combine: Combine) -> Tensor:
    pair_moves = _Pair(lattices, pair, jumps)
    begin = (NORMAL, 0, 0)
    start = table.shape[0] - 1
    reached: dict[Configuration, list[tuple[Tensor, int]]] = {begin: [(table.new_zeros(()), start)]}
    final = []
    for here, moves in _in_order(begin, pair_moves.moves):
        masses = reached.pop(here)
        if here[0] == NORMAL and here[1:3] == pair_moves.ends:
            final += [mass for mass, _ in masses]
        elif moves:
            sums = onward(masses, table, combine)
            for there, state in moves:
                reached.setdefault(there, []).append((sums[state], state))
    return combine(torch.stack(final)[:, None])[0]


def _in_order(
    begin: Configuration, moves: Callable[[Configuration], list[Move]]
) -> list[tuple[Configuration, list[Move]]]:
    """All reachable configurations in topological order: by depth-first search, the last finished first."""
    found = {begin: moves(begin)}
    finished = []
    open_ones = [(begin, iter(found[begin]))]
    while open_ones:
        here, others = open_ones[-1]
        there = next((target for target, _ in others if target not in found), None)
        if there is None:
            finished.append((here, found[here]))
            open_ones.pop()
        else:
            found[there] = moves(there)
            open_ones.append((there, iter(found[there])))
    return finished[::-1]


class _Pair:
    """The operations that each configuration of a pair allows."""

    def __init__(self, lattices: Lattices, pair: int, jumps: Jumps) -> None:
        (d0, i0, _), (d1, i1, _) = lattices.offsets[pair : pair + 2].tolist()
        self.deletes = lattices.delete_states[d0:d1].tolist()
        self.inserts = lattices.insert_states[i0:i1].tolist()
        self.ends = (len(self.deletes), len(self.inserts))
        self.arcs = arcs_of(lattices, pair)
        self.jump, self.limit = jumps.state, jumps.crossings.max_jump

    def moves(self, here: Configuration) -> list[Move]:
        """All operations that a configuration allows."""
        mode, i, j = here[:3]
        edits = [
            (there, state)
            for p, q, state, matches in self._edits(i, j)
            if (there := self._after_edit(here, p, q, matches)) is not None
        ]
        if mode == NORMAL:
            return [*edits, *((there, self.jump) for there in self._landings(i, j))]
        if mode == MOVED:
            side, first = here[3:5]
            back = (first, j) if side == 0 else (i, first)
            return [*edits, ((BACK, *back, *here[3:6], here[1 + side]), self.jump)]
        if mode in {BACK, GAP} and here[1 + here[3]] == here[5]:
            side, end = here[3], here[6]
            return [((NORMAL, end, j) if side == 0 else (NORMAL, i, end), self.jump)]
        return edits

    def _edits(self, i: int, j: int) -> Iterator[tuple[int, int, int, bool]]:
        """The edits at a position: numbers of reference and hypothesis tokens, state, and whether it is a match."""
        for _, p, _, q, state in self.arcs.get((i, j), []):
            yield p, q, state, True
        if i < self.ends[0]:
            yield 1, 0, self.deletes[i], False
        if j < self.ends[1]:
            yield 0, 1, self.inserts[j], False

    def _landings(self, i: int, j: int) -> Iterator[Configuration]:
        """Configurations to which a first jump may lead: not behind the last token, and only where a match begins."""
        for distance in range(1, self.limit + 1):
            if (i + distance, j) in self.arcs:
                yield LANDED, i + distance, j, 0, i, i + distance, -1
            if (i, j + distance) in self.arcs:
                yield LANDED, i, j + distance, 1, j, j + distance, -1

    def _after_edit(self, here: Configuration, p: int, q: int, matches: bool) -> Configuration | None:
        """The configuration to which an edit leads; None if the mode forbids the edit."""
        mode, i, j = here[0], here[1] + p, here[2] + q
        if mode == NORMAL:
            return NORMAL, i, j
        side, landing = here[3], here[5]
        reaches = (i, j)[side]
        if mode in {LANDED, MOVED}:
            allowed = reaches <= landing + self.limit and (matches or mode == MOVED)
            return (MOVED, i, j, *here[3:]) if allowed else None
        consumes = (p, q)[side] > 0
        if reaches > landing or (mode == BACK and consumes and not matches):
            return None
        return (GAP if matches else mode, i, j, *here[3:])
