"""Discourse representation structures as trees, for DR-STM (Giménez and Màrquez 2009, section 2.1).

Nodes are boxes (``drs``), conditions (``type:symbol``) and referents, without their names but with their kind (``x``,
``e``, ``s``, ``t``). What a condition holds carries its place: ``1:e``, ``2:x``. Conditions stand in a box in the order
of the text; presupposed boxes are merged into the box that presupposes them.
"""

from pfsm.analysis.clauses import PRESUPPOSITION
from pfsm.analysis.constituents import Constituent
from pfsm.analysis.sentence import Analysis
from pfsm.analysis.structures import structure_of
from pfsm.metrics.discourse.conditions import Condition, conditions_of, root_boxes
from pfsm.metrics.syntax.constituent import DEPTH, subtree_elements
from pfsm.metrics.syntax.layers import Element

_BOX = "drs"


def discourse_trees(analysis: Analysis) -> list[Constituent]:
    """One tree for each box that stands in no other."""
    conditions = conditions_of(analysis)
    merged = _merged(analysis)
    in_box: dict[str, list[Condition]] = {}
    for one in sorted(conditions, key=lambda each: each.first):
        in_box.setdefault(merged.get(one.box, one.box), []).append(one)
    # Boxes in the order in which they are reached; each is made once, the inner ones first.
    roots = root_boxes(conditions, merged) or [merged.get(one.box, one.box) for one in conditions[:1]]
    reached = dict.fromkeys(roots)
    waiting = list(roots)
    holder: dict[str, Condition] = {}
    while waiting:
        for one in in_box.get(waiting.pop(), ()):
            for part in one.parts:
                inner = merged.get(part, part)
                if inner in in_box and inner not in reached:
                    reached[inner] = None
                    holder[inner] = one
                    waiting.append(inner)
    made: dict[str, Constituent] = {}
    for box in reversed(list(reached)):
        made[box] = _box(in_box.get(box, []), made, merged, holder)
    return [made[box] for box in roots]


def _box(
    conditions: list[Condition],
    made: dict[str, Constituent],
    merged: dict[str, str],
    holder: dict[str, Condition],
) -> Constituent:
    children = []
    for one in conditions:
        parts = []
        for place, part in enumerate(one.parts, 1):
            inner = merged.get(part, part)
            if holder.get(inner) is one and inner in made:
                parts.append(Constituent(f"{place}:{_BOX}", 0, 0, made[inner].children))
            else:
                parts.append(Constituent(f"{place}:{_BOX if part.startswith('b') else part[:1]}", 0, 0, ()))
        children.append(Constituent(_label(one), 0, 0, tuple(parts)))
    return Constituent(_BOX, 0, 0, tuple(children))


def _label(condition: Condition) -> str:
    symbol = condition.symbol.lower().replace("(", "[").replace(")", "]").replace(" ", "_")
    return f"{condition.kind}:{symbol}"


def _merged(analysis: Analysis) -> dict[str, str]:
    """From every presupposed box to the box that it is merged into in the end."""
    into = {
        one.box: one.arguments[0]
        for one in structure_of(analysis).clauses
        if one.operator == PRESUPPOSITION and one.arguments[0] != one.box
    }
    found: dict[str, str] = {}
    for box, first in into.items():
        way, last = {box}, first
        while last in into and last not in way:
            way.add(last)
            last = into[last]
        found[box] = last
    return found


def tree_elements(analysis: Analysis, depth: int = DEPTH, *, paths: bool = False) -> list[Element]:
    """Pieces of a line's trees, as (their size, themselves), up to a size.

    Args:
        analysis: The line.
        depth: The largest size.
        paths: Whether to take ways down the tree, instead of nodes with everything below them down to a depth.
    """
    trees = discourse_trees(analysis)
    if not paths:
        return subtree_elements(trees, depth)
    found: list[Element] = []
    waiting: list[tuple[Constituent, tuple[str, ...]]] = [(tree, ()) for tree in trees]
    while waiting:
        node, above = waiting.pop()
        way = (*above, node.label)[-depth:]
        found += [(str(size), way[-size:]) for size in range(1, len(way) + 1)]
        waiting += [(child, way) for child in node.children]
    return found
