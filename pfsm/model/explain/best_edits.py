"""The best edit sequence of a pair: the path that a kernel finds, as edits with the tokens that they consume."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import JUMP
from pfsm.model.explain.explanation import Edit, Range

if TYPE_CHECKING:
    from pfsm_kernels.inference import Weights


def best_edits(batch: LatticeBatch, weights: "Weights", pair: int) -> tuple[Edit, ...]:
    """The edits of the best sequence of one pair of a batch, in order."""
    from pfsm_kernels.inference import best_path  # noqa: PLC0415 - brings numba

    path = best_path(batch.lattices, weights, pair, batch.jumps).edits
    return edits_of_path(batch, path.tolist(), pair)


def edits_of_path(batch: LatticeBatch, path: list[int], pair: int) -> tuple[Edit, ...]:
    """The edits of a path of one pair, as `pfsm_kernels.inference.best_path` gives it, in order."""
    return _edits(batch, path, batch.lattices.offsets[pair : pair + 2].tolist())


@dataclass
class _Walk:
    """The state of the machine while a path is replayed: its positions, and the memory of the current swap."""

    i: int = 0
    j: int = 0
    jumps: int = 0
    on_hypothesis: bool = True
    start: int = 0
    end: int = 0

    def jump(self, next_i: int, next_j: int) -> None:
        """One of the three jumps of a swap; the first goes to the place of the next edit."""
        step = self.jumps % 3
        self.jumps += 1
        if step == 0:
            self.on_hypothesis = next_j != self.j
            self.start = self.j if self.on_hypothesis else self.i
            self.i, self.j = next_i, next_j
            return
        here = self.j if self.on_hypothesis else self.i
        target = self.start if step == 1 else self.end
        if step == 1:
            self.end = here
        if self.on_hypothesis:
            self.j = target
        else:
            self.i = target

    def take(self, p: int, q: int) -> tuple[Range, Range]:
        """Consumes tokens; returns their ranges."""
        ranges = (self.i, self.i + p), (self.j, self.j + q)
        self.i += p
        self.j += q
        return ranges


def _edits(batch: LatticeBatch, codes: list[int], offsets: list[list[int]]) -> tuple[Edit, ...]:
    """The edits of a path; ``offsets`` says where the pair begins and ends in the arrays of the batch."""
    from pfsm_kernels.inference import DELETE as DELETED  # noqa: PLC0415 - brings numba
    from pfsm_kernels.inference import INSERT as INSERTED  # noqa: PLC0415
    from pfsm_kernels.inference import JUMP as JUMPED  # noqa: PLC0415

    walk = _Walk()
    (d0, i0, a0), (d1, i1, a1) = offsets
    arcs = batch.lattices.arcs[a0:a1].tolist()
    deletes = batch.lattices.delete_states[d0:d1].tolist()
    inserts = batch.lattices.insert_states[i0:i1].tolist()
    edits = []
    for place, code in enumerate(codes):
        if code == JUMPED:
            # The edit after a first jump is a substitution; its start is the landing.
            following = codes[place + 1] if place + 1 < len(codes) else -1
            landing = (arcs[following][0], arcs[following][2]) if following >= 0 else (walk.i, walk.j)
            walk.jump(*landing)
            edits.append(Edit(JUMP, (walk.i, walk.i), (walk.j, walk.j), walk.jumps))
        elif code == INSERTED:
            edits.append(Edit(batch.states[inserts[walk.j]], *walk.take(0, 1)))
        elif code == DELETED:
            edits.append(Edit(batch.states[deletes[walk.i]], *walk.take(1, 0)))
        else:
            _, p, _, q, state = arcs[code]
            edits.append(Edit(batch.states[state], *walk.take(p, q)))
    return tuple(edits)
