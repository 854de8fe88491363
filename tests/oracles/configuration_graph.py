"""The edit model on pairs too long to write every sequence out: the same moves, summed over a graph.

A node is what the rest of a score depends on: the configuration, the state of the last operation, and whether
that was a 1:1 substitution. Every sequence is a path from the start to a final node and every path a sequence;
sums run over the nodes in the order in which they are reached. Only the moves are shared with the enumeration.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tests.oracles.enumeration import EditLattice, Enumeration, Move, legal_moves
from tests.oracles.jumping import Configuration


@dataclass(frozen=True)
class Node:
    """Where the machine stands and what its next operation is scored by."""

    here: Configuration
    state: str | None = None
    was_single: bool = False


START = Node(Configuration())


@dataclass(frozen=True)
class Edge:
    """One operation: the node it leads to, the weights it uses by name, and their sum."""

    target: Node
    names: tuple[str, ...]
    arc: int | None
    is_linked: bool
    score: float


@dataclass
class Graph:
    """All nodes that can be reached, each after every node that leads to it, with their edges."""

    edges: dict[Node, list[Edge]] = field(default_factory=dict)
    final: list[Node] = field(default_factory=list)


def edges_from(
    lattice: EditLattice, weights: Mapping[str, float], node: Node, moves: list[Move]
) -> Iterator[Edge]:
    """One edge for every move."""
    for move in moves:
        names = [move.state] if node.state is None else [move.state, f"{node.state}>{move.state}"]
        arc = None if move.arc is None else lattice.arcs[move.arc]
        single = arc is not None and arc.p == arc.q == 1
        is_linked = single and node.was_single
        parts = []
        if is_linked:
            place = (move.source.i, move.source.j)
            names += [link.feature for link in lattice.links if (link.i, link.j) == place]
        if arc is not None:
            parts += [arc.weight, arc.link if is_linked else 0.0]
        parts += [weights.get(name, 0.0) for name in names]
        yield Edge(Node(move.target, move.state, single), tuple(names), move.arc, is_linked, math.fsum(parts))


def build(lattice: EditLattice, weights: Mapping[str, float], max_jump: int) -> Graph:
    """The graph of a lattice, without nodes from which no final one can be reached."""
    moves: dict[Configuration, list[Move]] = {}
    leads_home: dict[Node, list[Edge]] = {}
    dead: set[Node] = set()

    def visit(node: Node) -> bool:
        if node in leads_home or node in dead:
            return node not in dead
        if node.here not in moves:
            moves[node.here] = list(legal_moves(lattice, node.here, max_jump))
        every = edges_from(lattice, weights, node, moves[node.here])
        alive = [edge for edge in every if visit(edge.target)]
        if alive or is_final(lattice, node):
            leads_home[node] = alive
            return True
        dead.add(node)
        return False

    visit(START)
    ordered = dict(reversed(leads_home.items()))
    return Graph(ordered, [node for node in ordered if is_final(lattice, node)])


def is_final(lattice: EditLattice, node: Node) -> bool:
    """Whether the machine may stop in a node."""
    return node.here.is_final and (node.here.i, node.here.j) == (lattice.m, lattice.n)


def log_add(left: float, right: float) -> float:
    """log(exp(left) + exp(right))."""
    high, low = max(left, right), min(left, right)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


def add_up(lattice: EditLattice, weights: Mapping[str, float], max_jump: int = 0) -> Enumeration:
    """What all edit sequences of the lattice say together, as ``enumerate_all`` does."""
    graph = build(lattice, weights, max_jump)
    inside, outside = {START: 0.0}, dict.fromkeys(graph.final, 0.0)
    paths, best = {START: 1}, {START: 0.0}
    for node, edges in graph.edges.items():
        for edge in edges:
            to, score = edge.target, edge.score
            inside[to] = log_add(inside.get(to, -math.inf), inside[node] + score)
            best[to] = max(best.get(to, -math.inf), best[node] + score)
            paths[to] = paths.get(to, 0) + paths[node]
    total = -math.inf
    for node in graph.final:
        total = log_add(total, inside[node])
    counts: dict[str, float] = {}
    arcs, links = ([0.0] * len(lattice.arcs) for _ in range(2))
    for node, edges in reversed(graph.edges.items()):
        for edge in edges:
            through = outside[edge.target] + edge.score
            outside[node] = log_add(outside.get(node, -math.inf), through)
            share = math.exp(inside[node] + through - total) if total > -math.inf else 0.0
            for name in edge.names:
                counts[name] = counts.get(name, 0.0) + share
            if edge.arc is not None:
                arcs[edge.arc] += share
                links[edge.arc] += share if edge.is_linked else 0.0
    return Enumeration(
        log_sum=total,
        best_score=max((best[node] for node in graph.final), default=-math.inf),
        n_sequences=sum(paths[node] for node in graph.final),
        expected_counts=counts,
        arc_posteriors=arcs,
        link_posteriors=links,
    )
