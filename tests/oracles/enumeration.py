"""The edit model by brute force: every edit sequence of a small lattice, written out and scored one by one.

Slow and obvious on purpose. Nothing is shared between sequences, no recurrence is used: a configuration
says where the machine stands, ``legal_moves`` lists what it may do there, ``sequences`` walks the tree of
all of them, and ``score`` adds up the weights of one sequence by name:

    Q(e) = sum_k u[e_k] + t[e_{k-1} > e_k] (k > 1) + arc weights + link features

With ``max_jump`` 0 the machine is the finite-state one; above, it may jump (the rules are in ``jumping``).
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.oracles.jumping import Configuration, after_edit, after_jump

JUMP = "Jump"


@dataclass(frozen=True)
class Arc:
    """An offered substitution of p reference tokens from i by q hypothesis tokens from j."""

    i: int
    p: int
    j: int
    q: int
    state: str
    weight: float = 0.0
    link: float = 0.0


@dataclass(frozen=True)
class Link:
    """A link feature on the 1:1 substitutions that begin at (i, j)."""

    i: int
    j: int
    feature: str


@dataclass(frozen=True)
class EditLattice:
    """Everything that can be done to one sentence pair, with states by name."""

    delete_states: tuple[str, ...]
    insert_states: tuple[str, ...]
    arcs: tuple[Arc, ...] = ()
    links: tuple[Link, ...] = ()

    @property
    def m(self) -> int:
        """Number of reference tokens."""
        return len(self.delete_states)

    @property
    def n(self) -> int:
        """Number of hypothesis tokens."""
        return len(self.insert_states)


@dataclass(frozen=True)
class Move:
    """One positioned operation: from one configuration to another."""

    source: Configuration
    target: Configuration
    state: str
    arc: int | None = None


Sequence = tuple[Move, ...]


@dataclass(frozen=True)
class Enumeration:
    """What all edit sequences of a lattice say together."""

    log_sum: float
    best_score: float
    n_sequences: int
    expected_counts: dict[str, float]
    arc_posteriors: list[float]
    link_posteriors: list[float]


def legal_moves(lattice: EditLattice, here: Configuration, max_jump: int = 0) -> Iterator[Move]:
    """All operations the machine may make in a configuration."""
    if here.j < lattice.n:
        inserted = after_edit(here, 0, 1, False, max_jump)
        if inserted:
            yield Move(here, inserted, lattice.insert_states[here.j])
    if here.i < lattice.m:
        deleted = after_edit(here, 1, 0, False, max_jump)
        if deleted:
            yield Move(here, deleted, lattice.delete_states[here.i])
    for index, arc in enumerate(lattice.arcs):
        if (arc.i, arc.j) == (here.i, here.j):
            substituted = after_edit(here, arc.p, arc.q, True, max_jump)
            if substituted:
                yield Move(here, substituted, arc.state, index)
    for landed in after_jump(here, lattice.m, lattice.n, max_jump):
        yield Move(here, landed, JUMP)


def sequences(lattice: EditLattice, max_jump: int = 0) -> Iterator[Sequence]:
    """Every edit sequence from (0, 0) to (m, n), each once."""

    def walk(here: Configuration, made: Sequence) -> Iterator[Sequence]:
        if here.is_final and (here.i, here.j) == (lattice.m, lattice.n):
            yield made
        for move in legal_moves(lattice, here, max_jump):
            yield from walk(move.target, (*made, move))

    return walk(Configuration(), ())


def linked(lattice: EditLattice, before: Move, move: Move) -> bool:
    """Whether both moves are 1:1 substitutions, the second beginning where the first ends."""
    if before.arc is None or move.arc is None or before.target != move.source:
        return False
    return all(lattice.arcs[index].p == lattice.arcs[index].q == 1 for index in (before.arc, move.arc))


def features(lattice: EditLattice, sequence: Sequence) -> list[str]:
    """Names of the weights that a sequence uses, as often as it uses them."""
    names = [move.state for move in sequence]
    for before, move in itertools.pairwise(sequence):
        names.append(f"{before.state}>{move.state}")
        if linked(lattice, before, move):
            place = (move.source.i, move.source.j)
            names += [link.feature for link in lattice.links if (link.i, link.j) == place]
    return names


def taken_arcs(sequence: Sequence) -> list[int]:
    """Indices of the arcs that a sequence takes."""
    return [move.arc for move in sequence if move.arc is not None]


def linked_arcs(lattice: EditLattice, sequence: Sequence) -> list[int]:
    """Indices of the arcs that a sequence takes as the second of two linked ones."""
    pairs = itertools.pairwise(sequence)
    return [move.arc for before, move in pairs if move.arc is not None and linked(lattice, before, move)]


def score(lattice: EditLattice, weights: Mapping[str, float], sequence: Sequence) -> float:
    """Q(e) of one sequence; a weight that is absent is zero."""
    parts = [weights.get(name, 0.0) for name in features(lattice, sequence)]
    parts += [lattice.arcs[index].weight for index in taken_arcs(sequence)]
    parts += [lattice.arcs[index].link for index in linked_arcs(lattice, sequence)]
    return math.fsum(parts)


def enumerate_all(lattice: EditLattice, weights: Mapping[str, float], max_jump: int = 0) -> Enumeration:
    """Walks every edit sequence of the lattice and adds up what they say together."""
    every = list(sequences(lattice, max_jump))
    scores = [score(lattice, weights, sequence) for sequence in every]
    best = max(scores, default=-math.inf)
    arc_terms: list[list[float]] = [[] for _ in lattice.arcs]
    link_terms: list[list[float]] = [[] for _ in lattice.arcs]
    name_terms: dict[str, list[float]] = {}
    total = 0.0
    if best > -math.inf:
        shares = [math.exp(value - best) for value in scores]
        total = math.fsum(shares)
        for sequence, share in zip(every, shares, strict=True):
            for name in features(lattice, sequence):
                name_terms.setdefault(name, []).append(share / total)
            for index in taken_arcs(sequence):
                arc_terms[index].append(share / total)
            for index in linked_arcs(lattice, sequence):
                link_terms[index].append(share / total)
    return Enumeration(
        log_sum=best + math.log(total) if total else -math.inf,
        best_score=best,
        n_sequences=len(every),
        expected_counts={name: math.fsum(terms) for name, terms in name_terms.items()},
        arc_posteriors=[math.fsum(terms) for terms in arc_terms],
        link_posteriors=[math.fsum(terms) for terms in link_terms],
    )
