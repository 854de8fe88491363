"""Counter: clauses that two structures share under the best renaming of variables found (van Noord et al. 2018)."""

import random
from collections.abc import Sequence
from dataclasses import replace

from pfsm.analysis.clauses import Clause, Drs, is_box, is_constant

RESTARTS = 15
Pair = tuple[str, str]


def count_matches(ours: Drs, gold: Drs, *, plain: bool = False) -> tuple[int, int, int]:
    """Numbers of matching clauses, of our clauses and of those of the gold standard.

    Equal clauses count once; a clause ``b REF x`` is left out if another clause of b has x.

    Args:
        ours: The structure that is judged.
        gold: The gold standard.
        plain: Whether senses and names of roles are left out of account.
    """
    left, right = (_compared(one, plain) for one in (ours, gold))
    # For each pair of clauses that may match, the variables that have to correspond.
    needs = [
        pairs
        for one in left
        for other in right
        if _form(one) == _form(other)
        and (pairs := frozenset(zip(_names(one), _names(other), strict=True)))
        and len({a for a, _ in pairs}) == len(pairs) == len({b for _, b in pairs})
    ]
    known, dice = sorted({pair for some in needs for pair in some}), random.Random(0)
    best = 0
    for _ in range(RESTARTS + 1):
        best = max(best, _climbed(known, needs))
        if best == min(len(left), len(right)):
            break
        dice.shuffle(known)
    return best, len(left), len(right)


def _compared(drs: Drs, plain: bool) -> list[Clause]:
    bare = [replace(one, words=()) for one in drs.clauses]
    used = {(one.box, name) for one in bare if not one.is_reference for name in one.arguments}
    kept = [one for one in bare if not (one.is_reference and (one.box, one.arguments[0]) in used)]
    return list(dict.fromkeys(map(_without_names, kept) if plain else kept))


def _without_names(clause: Clause) -> Clause:
    if clause.is_concept:
        return replace(clause, arguments=('""', clause.arguments[1]))
    return replace(clause, operator="Role") if clause.is_role else clause


def _names(clause: Clause) -> list[str]:
    return [clause.box, *(name for name in clause.arguments if not is_constant(name))]


def _form(clause: Clause) -> tuple[object, ...]:
    """What two clauses must have in common to match: everything but the names of their variables."""
    return (clause.operator, *(name if is_constant(name) else is_box(name) for name in clause.arguments))


def _climbed(pairs: Sequence[Pair], needs: Sequence[frozenset[Pair]]) -> int:
    """The number of clauses that match when no change or swap of the mapping adds any."""
    mapping: dict[str, str] = {}
    for a, b in pairs:
        if a not in mapping and b not in mapping.values():
            mapping[a] = b
    score, improved = _score(mapping, needs), True
    while improved:
        improved = False
        for a, b in pairs:
            holder = next((one for one, other in mapping.items() if other == b), a)
            changed = mapping | {a: b}
            if holder != a:
                changed |= {holder: mapping.get(a, "")}
            if (found := _score(changed, needs)) > score:
                mapping, score, improved = changed, found, True
    return score


def _score(mapping: dict[str, str], needs: Sequence[frozenset[Pair]]) -> int:
    return sum(all(mapping.get(a) == b for a, b in some) for some in needs)
