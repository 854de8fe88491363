"""Structures printed as boxes: referents before the bar, conditions behind it, one box a line."""

from collections.abc import Iterator

from pfsm.analysis.clauses import Drs


def box_lines(drs: Drs) -> Iterator[str]:
    """One line for each box, as in ``b1: x1 e1 | dog(x1), bark(e1), A0(e1, x1)``."""
    for box in drs.boxes:
        own = [one for one in drs.clauses if one.box == box]
        referents = dict.fromkeys(one.arguments[0] for one in own if one.is_reference)
        conditions = [
            f"{one.operator}({', '.join(one.arguments[1:] if one.is_concept else one.arguments)})"
            for one in own
            if not one.is_reference
        ]
        yield " ".join(f"{box}: {' '.join(referents)} | {', '.join(conditions)}".split())
