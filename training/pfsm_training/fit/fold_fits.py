"""Fits to the training data of the folds of cross-validation: quick, and blind to what is held out.

With many judgments the data is fitted in two halves first: the folds with even numbers, and those with odd numbers. A
fold starts from the minima of the half that holds none of its held-out rows, and with the next lambda, mixture or
weight from its own minima before. So its model depends on nothing that it is tested on. Where lambda falls, a fold goes
back to the half: what is one minimum under the larger lambda may be several under the smaller.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from pfsm_training.data.training_set import TrainingSet
from pfsm_training.fit.crossval import Folds
from pfsm_training.fit.fitting import Choice, Fitted, Fitter
from pfsm_training.fit.starts import is_sampled


@dataclass(frozen=True, eq=False)
class FoldFits:
    """Fits folds; a `pfsm_training.fit.crossval.Fit`.

    Attributes:
        fitter: For models that are only compared (`Fitter.quick`). Folds keep to its constraints on pairs of their own
            training references.
        data: All training data.
        folds: Its division.
        steps: What to call the fits in the progress, by choice. All of one fold are fitted before those of the next.
    """

    fitter: Fitter
    data: TrainingSet
    folds: Folds
    steps: Mapping[Choice, str]
    _halves: dict[tuple[int, Choice], Fitted | None] = field(default_factory=dict)
    _before: dict[int, tuple[Choice, Fitted]] = field(default_factory=dict)

    def __call__(self, train: TrainingSet, choice: Choice, fold: int) -> Fitted | None:
        """The fit to the training data of a fold; None if the scores are constant."""
        near = None
        if is_sampled(train):
            near = self._own(fold, choice) or self._half(1 - fold % 2, choice)
        fitted = self._without([fold]).fit(train, choice, self.steps[choice], near)
        self._before.clear()
        if fitted is not None:
            self._before[fold] = choice, fitted
        return fitted

    def _own(self, fold: int, choice: Choice) -> Fitted | None:
        """The fold's fit before; None if there was none, or if it was under a larger lambda."""
        before, fitted = self._before.get(fold, (choice, None))
        return fitted if before.penalty <= choice.penalty else None

    def _without(self, held_out: list[int]) -> Fitter:
        """The fitter without the pairs of the references of some folds."""
        constraints = [one.outside(tuple(held_out)) for one in self.fitter.constraints]
        return replace(self.fitter, constraints=constraints)

    def _half(self, parity: int, choice: Choice) -> Fitted | None:
        """The fit to the folds with even numbers, or to those with odd ones."""
        if (parity, choice) not in self._halves:
            self._halves[parity, choice] = self._fitted(parity, choice)
        return self._halves[parity, choice]

    def _fitted(self, parity: int, choice: Choice) -> Fitted | None:
        rows, preferences = (
            np.flatnonzero(member % 2 == parity)
            for member in (self.folds.member, self.folds.preference_member)
        )
        if not rows.size + preferences.size:
            return None
        # The training data of a fold is about so many times as large.
        count = len(self.folds.names)
        scaled = replace(choice, penalty=choice.penalty * count / (2 * (count - 1)))
        half = self.data.select(rows, preferences)
        others = [fold for fold in range(count) if fold % 2 != parity]
        return self._without(others).fit(half, scaled, f"{self.steps[choice]}, half of the folds")
