"""Where a minimisation starts. The squared error of a log-sum has several minima, and the start decides which is found.

With few or noisy judgments there are two valleys. In one, matches carry the probability mass and the prediction. In the
other they hardly occur among all the sequences of Inserts and Deletes, so that their weights have hardly a gradient,
and the prediction lives on the two lengths. The start at zero lies on the slope of the second, the start at matches in
the first. Both are tried, and the lower minimum is kept.

Where lambda is small for so few judgments, there are more valleys, mostly two for each way in which Inserts and Deletes
between two matches may be ordered: Inserts first, Deletes first, in long runs or by turns. So on few judgments each
order is a start, too; and where not all of these end in one minimum, so are weights scattered widely.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.names import ARROW, DELETE, INSERT, SUBSTITUTION, class_of, transition
from pfsm_training.config import BEST, MATCHES, ZERO
from pfsm_training.data.training_set import TrainingSet
from pfsm_training.fit.lbfgs import Secant

Rows = NDArray[np.int64]

# Weights of whole states: e^4 for a match rather than two edits. From 1 to 4 each leads to the same minima.
MATCH, SKIP = 1.0, -1.0
# The other starts: transitions that the start makes rare, in addition to likely matches; e^-2 each.
INSERTS_FIRST, DELETES_FIRST, RUNS, TURNS = "inserts first", "deletes first", "runs", "turns"
RARE = {
    MATCHES: (),
    INSERTS_FIRST: (transition(DELETE, INSERT),),
    DELETES_FIRST: (transition(INSERT, DELETE),),
    RUNS: (transition(DELETE, INSERT), transition(INSERT, DELETE)),
    TURNS: (transition(INSERT, INSERT), transition(DELETE, DELETE)),
}
AVOIDED = -2.0
# Scattered weights lie between this and its negative.
SCATTERED, WIDEST = "scattered", 2.0
# These other starts are for so many judgments and preferences, where they take moments. The number of scattered starts
# falls with the number of judgments and preferences.
MOST_EXPLORED, MOST_SCATTERED, SCATTERED_IN_ALL = 500, 8, 2400
# Judgments and preferences, evenly spread, on which starts are compared where there are more.
MOST_COMPARED = 1000
# A part of much data is fitted first: one of so many, if it has so many judgments and preferences.
PARTS, FEWEST_OF_PART = 8, 5000
# To begin with near a minimum, as a share of the largest curvature.
LEAST_DAMPING = 1e-7
# Of the objective: closer minima are taken for one.
SAME = 1e-5


def weights_of(start: str, learned: tuple[str, ...]) -> dict[str, float]:
    """The weights a start stands for, by name; what is not named is zero."""
    if start == ZERO:
        return {}
    if start not in RARE:
        return {name: _scattered(start, name) for name in learned}
    rare = {name: AVOIDED for name in RARE[start] if name in learned}
    return {name: value for name in learned if (value := _at_matches(name))} | rare


def _at_matches(name: str) -> float:
    if ARROW in name or class_of(name):
        return 0.0
    if name in {INSERT, DELETE}:
        return SKIP
    return MATCH if name.startswith(SUBSTITUTION) else 0.0


def _scattered(start: str, name: str) -> float:
    """A number that looks random, the same wherever and whenever a weight of this name is learned."""
    digest = hashlib.sha256(f"{start}, {name}".encode()).digest()
    return WIDEST * (int.from_bytes(digest[:6], "big") / 2.0**47 - 1.0)


def starts_of(wanted: str, learned: tuple[str, ...], amount: int) -> list[tuple[str, ...]]:
    """The starts to try, in groups: a group is tried only where those before it found several minima.

    There is one start alone where there is no match to tell the others apart.

    Args:
        wanted: The option ``start``.
        learned: Names of the weights to learn.
        amount: Judgments and preferences on which the starts are compared.
    """
    if wanted != BEST:
        return [(wanted,)]
    if MATCH not in weights_of(MATCHES, learned).values():
        return [(ZERO,)]
    if amount > MOST_EXPLORED:
        return [(MATCHES, ZERO)]
    orders = [start for start, rare in RARE.items() if rare and set(rare) <= set(learned)]
    first = [start for start in (INSERTS_FIRST, DELETES_FIRST) if start in orders]
    number = min(MOST_SCATTERED, SCATTERED_IN_ALL // max(1, amount))
    scattered = [f"{SCATTERED} {place + 1}" for place in range(number)]
    return [
        (MATCHES, ZERO, *first),
        (*(start for start in orders if start not in first), *scattered),
    ]


@dataclass(frozen=True, eq=False)
class Minimum:
    """A point to start from, or what a minimisation came to.

    Attributes:
        start: Name of the start.
        weights: By name; absent: zero.
        alpha: The constant.
        objective: There; infinite where it is not known.
        secant: What Gauss-Newton learned on its way there.
    """

    start: str
    weights: Mapping[str, float]
    alpha: float = 0.0
    objective: float = np.inf
    secant: Secant | None = None

    def secant_for(self, learned: tuple[str, ...], share: float) -> Secant | None:
        """For a minimisation over ``share`` times as many pairs; None where the weights are others."""
        if self.secant is None or tuple(self.weights) != learned:
            return None
        return Secant(max(LEAST_DAMPING, self.secant.damping), share * self.secant.correction)


def distinct(minima: list[Minimum]) -> list[Minimum]:
    """Those of different depth, the lowest first; of equal ones the one found first."""
    levels: list[list[int]] = []
    for number in sorted(range(len(minima)), key=lambda number: minima[number].objective):
        depth = minima[number].objective
        if levels and depth - minima[levels[-1][0]].objective <= SAME * abs(depth):
            levels[-1].append(number)
        else:
            levels.append([number])
    return [minima[min(level)] for level in levels]


@dataclass(frozen=True)
class Comparison:
    """How starts compared.

    Attributes:
        kept: The start whose minimum was kept.
        compared_on: Judgments and preferences on which the starts were compared.
        objectives: Where each start ended on these.
        others: By start, minima on all data that were not kept: how much higher the objective is, as a share of the
            one that was kept, and Pearson's r between the predictions.
    """

    kept: str
    compared_on: int = 0
    objectives: Mapping[str, float] = field(default_factory=dict)
    others: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """For the record of a model file."""
        if not self.objectives:
            return {"start": self.kept}
        others = {
            start: {"objective_above": above, "pearson_with_kept": r if np.isfinite(r) else None}
            for start, (above, r) in self.others.items()
        }
        compared = {"compared_on": self.compared_on, "objectives": dict(self.objectives)}
        return {"start": self.kept, "starts": {**compared, **({"other_minima": others} if others else {})}}


def is_sampled(data: TrainingSet) -> bool:
    """Whether starts are compared on a part of the data only."""
    return data.scores.size + data.votes.size > MOST_COMPARED


def sample_of(data: TrainingSet) -> tuple[Rows, Rows]:
    """Which judgments and which preferences starts are compared on: evenly spread, all where they are few."""
    return _spread(data, MOST_COMPARED)


def part_of(data: TrainingSet) -> tuple[Rows, Rows] | None:
    """Which judgments and which preferences are fitted before all, evenly spread.

    None where there are so few that this would save no time.
    """
    size = (data.scores.size + data.votes.size) // PARTS
    return _spread(data, size) if size >= FEWEST_OF_PART else None


def _spread(data: TrainingSet, most: int) -> tuple[Rows, Rows]:
    scored, preferences = data.scores.size, data.votes.size
    amount = scored + preferences
    return _evenly(scored, most, amount), _evenly(preferences, most, amount)


def _evenly(number: int, most: int, amount: int) -> Rows:
    """So many of ``number`` that ``most`` of ``amount`` remain; one at least of each kind that there is."""
    count = max(min(number, 1), number * min(most, amount) // max(1, amount))
    return np.arange(count, dtype=np.int64) * number // max(1, count)
