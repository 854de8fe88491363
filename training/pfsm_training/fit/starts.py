"""Where a minimisation starts. The squared error of a log-sum has several minima, and the start decides which is found.

With few or noisy judgments there are two valleys. In one, matches carry the probability mass and the prediction. In the
other they hardly occur among all the sequences of Inserts and Deletes, so that their weights have hardly a gradient,
and the prediction lives on the two lengths. The start at zero lies on the slope of the second, the start at matches in
the first. Both are tried, and the lower minimum is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.names import ARROW, DELETE, INSERT, SUBSTITUTION, class_of
from pfsm_training.config import BEST, MATCHES, ZERO
from pfsm_training.data.training_set import TrainingSet
from pfsm_training.fit.lbfgs import Secant

Rows = NDArray[np.int64]

# Weights of whole states: e^4 for a match rather than two edits. From 1 to 4 each leads to the same minima.
MATCH, SKIP = 1.0, -1.0
# Judgments and preferences, evenly spread, on which starts are compared where there are more.
MOST_COMPARED = 1000
# To begin with near a minimum, as a share of the largest curvature.
LEAST_DAMPING = 1e-7
# Of the objective: closer minima are taken for one.
SAME = 1e-5


def weights_of(start: str, learned: tuple[str, ...]) -> dict[str, float]:
    """The weights a start stands for, by name; what is not named is zero."""
    if start == ZERO:
        return {}
    return {name: value for name in learned if (value := _at_matches(name))}


def _at_matches(name: str) -> float:
    if ARROW in name or class_of(name):
        return 0.0
    if name in {INSERT, DELETE}:
        return SKIP
    return MATCH if name.startswith(SUBSTITUTION) else 0.0


def starts_of(wanted: str, learned: tuple[str, ...]) -> tuple[str, ...]:
    """The starts to try: one where there is no match to tell them apart."""
    if wanted != BEST:
        return (wanted,)
    return (MATCHES, ZERO) if MATCH in weights_of(MATCHES, learned).values() else (ZERO,)


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
    kept: list[Minimum] = []
    for minimum in sorted(minima, key=lambda minimum: minimum.objective):
        if not kept or minimum.objective - kept[-1].objective > SAME * abs(kept[-1].objective):
            kept.append(minimum)
    return kept


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
            start: {"objective_above": above, "pearson_with_kept": r}
            for start, (above, r) in self.others.items()
        }
        compared = {"compared_on": self.compared_on, "objectives": dict(self.objectives)}
        return {"start": self.kept, "starts": {**compared, **({"other_minima": others} if others else {})}}


def is_sampled(data: TrainingSet) -> bool:
    """Whether starts are compared on a part of the data only."""
    return data.scores.size + data.votes.size > MOST_COMPARED


def sample_of(data: TrainingSet) -> tuple[Rows, Rows]:
    """Which judgments and which preferences starts are compared on: evenly spread, all where they are few."""
    scored, preferences = data.scores.size, data.votes.size
    wanted = min(1.0, MOST_COMPARED / max(1, scored + preferences))
    return _evenly(scored, wanted), _evenly(preferences, wanted)


def _evenly(number: int, share: float) -> Rows:
    count = int(np.ceil(number * share))
    return np.arange(count, dtype=np.int64) * number // max(1, count)
