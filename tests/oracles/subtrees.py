"""Subtrees of constituent trees, listed one by one: what counts and kernels of subtrees must agree with."""

import itertools
from collections import Counter
from collections.abc import Iterator

from pfsm.analysis.constituents import Constituent


def cut(node: Constituent, depth: int) -> str:
    """The node and everything down to ``depth - 1`` steps below it, as brackets without words."""
    if depth == 1 or node.is_leaf:
        return f"[{node.label}]"
    return f"[{node.label}{''.join(cut(child, depth - 1) for child in node.children)}]"


def height(node: Constituent) -> int:
    """Nodes on the longest way down."""
    return 1 + max(map(height, node.children), default=0)


def subtrees_of_depth(tree: Constituent, depth: int) -> Counter[str]:
    """Subtrees that are exactly so deep."""
    return Counter(cut(node, depth) for node in tree.nodes() if height(node) >= depth)


def fragments(node: Constituent) -> Iterator[tuple[str, int]]:
    """Subtrees rooted in a node with one production at least, and their numbers of productions."""
    if node.is_leaf:
        return
    choices = [[(f"[{child.label}]", 0), *fragments(child)] for child in node.children]
    for chosen in itertools.product(*choices):
        text = "".join(part for part, _ in chosen)
        yield f"[{node.label}{text}]", 1 + sum(size for _, size in chosen)


def fragment_kernel(one: Constituent, other: Constituent, decay: float) -> float:
    """Inner product of the vectors of fragment counts, a fragment of k productions weighing ``decay ** k``."""
    ours, theirs = (
        Counter(part for node in tree.nodes() for part in fragments(node)) for tree in (one, other)
    )
    return float(sum(count * theirs[part] * decay ** part[1] for part, count in ours.items()))
