"""Counter: how many clauses two structures share (van Noord et al. 2018, "Evaluating scoped meaning representations").

Variables of one structure are mapped to those of the other, boxes to boxes and referents to referents, none of them
twice. The number of matching clauses is that of the best mapping found: hill climbing by single changes and swaps,
from a start that matches likely variables and from several drawn ones. The drawn starts are the same in every run.

Before the comparison equal clauses count once, and a clause ``b REF x`` is left out if another clause of b has x.
"""

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pfsm.analysis.clauses import Clause, Drs, is_constant

RESTARTS = 15
_BOX = re.compile(r"b[0-9]+")
_NOT_MAPPED = -1
# A pair of variables: ours, theirs.
Pair = tuple[int, int]


@dataclass(frozen=True)
class ClauseCounts:
    """Numbers of clauses.

    Attributes:
        shared: Clauses that match.
        ours: Clauses of the structure that is judged.
        gold: Clauses of the gold standard.
    """

    shared: int = 0
    ours: int = 0
    gold: int = 0

    def __add__(self, other: "ClauseCounts") -> "ClauseCounts":
        return ClauseCounts(self.shared + other.shared, self.ours + other.ours, self.gold + other.gold)

    @property
    def precision(self) -> float:
        """Share of our clauses that match, 0 to 1; 1 where there is none."""
        return self.shared / self.ours if self.ours else 1.0

    @property
    def recall(self) -> float:
        """Share of the gold standard's clauses that match, 0 to 1; 1 where there is none."""
        return self.shared / self.gold if self.gold else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, 0 to 1; 1 where neither side has a clause."""
        total = self.ours + self.gold
        return 2.0 * self.shared / total if total else 1.0


def count_matches(ours: Drs, gold: Drs, *, plain: bool = False, restarts: int = RESTARTS) -> ClauseCounts:
    """Numbers of matching clauses of two structures.

    Args:
        ours: The structure that is judged.
        gold: The gold standard.
        plain: Whether senses and names of roles are left out of account.
        restarts: Number of drawn starts.
    """
    sides = [_compared(one, plain) for one in (ours, gold)]
    shared = _Climb(*sides).best(restarts) if all(sides) else 0
    return ClauseCounts(shared, len(sides[0]), len(sides[1]))


def _compared(drs: Drs, plain: bool) -> list[Clause]:
    """The clauses that are compared, each once, without their words."""
    bare = [replace(one, words=()) for one in drs.clauses]
    used = {(one.box, name) for one in bare if not one.is_reference for name in one.arguments}
    kept = [one for one in bare if not (one.is_reference and (one.box, one.arguments[0]) in used)]
    return list(dict.fromkeys(map(_without_names, kept) if plain else kept))


def _without_names(clause: Clause) -> Clause:
    if clause.is_concept:
        return replace(clause, arguments=('""', clause.arguments[1]))
    return replace(clause, operator="Role") if clause.is_role else clause


class _Climb:
    """Hill climbing over mappings of variables."""

    def __init__(self, ours: Sequence[Clause], gold: Sequence[Clause]) -> None:
        left, right = _numbered(ours), _numbered(gold)
        self._limit = min(len(ours), len(gold))
        self._needs: list[tuple[Pair, ...]] = []
        by_form: dict[tuple[str, ...], list[list[int]]] = defaultdict(list)
        for one in gold:
            by_form[_form(one)].append(_variables(one, right))
        for one in ours:
            mine = _variables(one, left)
            for theirs in by_form.get(_form(one), []):
                pairs = tuple(sorted(set(zip(mine, theirs, strict=True))))
                if len({a for a, _ in pairs}) == len(pairs) == len({b for _, b in pairs}):
                    self._needs.append(pairs)
        self._of_pair: dict[Pair, list[int]] = defaultdict(list)
        for k, pairs in enumerate(self._needs):
            for pair in pairs:
                self._of_pair[pair].append(k)
        self._n_left, self._n_right = len(left), len(right)
        self._partners = [sorted({b for a, b in self._of_pair if a == k}) for k in range(len(left))]

    def best(self, restarts: int) -> int:
        dice = random.Random(0)  # the same in every run
        found = 0
        for start in range(restarts + 1):
            found = max(found, self._climbed(self._likely() if start == 0 else self._drawn(dice)))
            if found == self._limit:
                break
        return found

    def _likely(self) -> list[int]:
        """Pairs that most clauses speak for, first those of clauses with few other possibilities."""
        weight: dict[Pair, float] = defaultdict(float)
        ways: dict[int, int] = defaultdict(int)
        for pairs in self._needs:
            for a, _ in pairs:
                ways[a] += 1
        for pairs in self._needs:
            for pair in pairs:
                weight[pair] += 1.0 / ways[pair[0]]
        return self._greedy(sorted(weight, key=lambda pair: (-len(self._of_pair[pair]) * weight[pair], pair)))

    def _drawn(self, dice: random.Random) -> list[int]:
        pairs = sorted(self._of_pair)
        dice.shuffle(pairs)
        return self._greedy(pairs)

    def _greedy(self, pairs: Sequence[Pair]) -> list[int]:
        mapping = [_NOT_MAPPED] * self._n_left
        taken: set[int] = set()
        for a, b in pairs:
            if mapping[a] == _NOT_MAPPED and b not in taken:
                mapping[a] = b
                taken.add(b)
        return mapping

    def _climbed(self, mapping: list[int]) -> int:
        """The number of clauses that match when no change or swap adds any."""
        score = sum(all(mapping[a] == b for a, b in pairs) for pairs in self._needs)
        holder = [_NOT_MAPPED] * self._n_right
        for a, b in enumerate(mapping):
            if b != _NOT_MAPPED:
                holder[b] = a
        improved = True
        while improved and score < self._limit:
            improved = False
            for a in range(self._n_left):
                for b in self._partners[a]:
                    if mapping[a] == b:
                        continue
                    gain = self._change(mapping, holder, a, b)
                    if gain > 0:
                        score, improved = score + gain, True
        return score

    def _change(self, mapping: list[int], holder: list[int], a: int, b: int) -> int:
        """Maps a to b, and who had b to what a had; undone if nothing is gained. The number of clauses gained."""
        before, other = mapping[a], holder[b]
        touched = {(a, before), (a, b), (other, b), (other, before)}
        clauses = {k for pair in touched for k in self._of_pair.get(pair, ())}
        old = self._holding(mapping, clauses)
        mapping[a] = b
        if other != _NOT_MAPPED:
            mapping[other] = before
        gain = self._holding(mapping, clauses) - old
        if gain > 0:
            holder[b] = a
            if before != _NOT_MAPPED:
                holder[before] = other
            return gain
        mapping[a] = before
        if other != _NOT_MAPPED:
            mapping[other] = b
        return 0

    def _holding(self, mapping: list[int], clauses: set[int]) -> int:
        return sum(all(mapping[a] == b for a, b in self._needs[k]) for k in clauses)


def _names(clause: Clause) -> list[str]:
    return [clause.box, *(name for name in clause.arguments if not is_constant(name))]


def _numbered(clauses: Sequence[Clause]) -> dict[str, int]:
    return {name: k for k, name in enumerate(dict.fromkeys(name for one in clauses for name in _names(one)))}


def _variables(clause: Clause, numbers: dict[str, int]) -> list[int]:
    return [numbers[name] for name in _names(clause)]


def _form(clause: Clause) -> tuple[str, ...]:
    """What two clauses must have in common to match: everything but the names of their variables."""
    kinds = (
        name if is_constant(name) else "box" if _BOX.fullmatch(name) else "referent"
        for name in clause.arguments
    )
    return (clause.operator, *kinds)
