"""The training option ``edit_cost``: an edited copy of a reference must score below the reference itself.

A penalty in the objective on `pfsm_training.data.edited_copies` (`pfsm_training.loss.edit_cost`). It is steep enough
to act as a constraint on the copies of the training references. ``edit_cost`` above 0 leaves room, so that other
sentences keep to it, too; how many copies of held-out references do not is counted in cross-validation.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.model.settings import Settings
from pfsm_training.data.edited_copies import edited_copies
from pfsm_training.data.training_set import Encoder
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.crossval import Folds
from pfsm_training.fit.fitting import Amounts, Choice
from pfsm_training.fit.made_pairs import Data, MadePairs, as_preferences, folds_of_references, in_folds
from pfsm_training.loss.edit_cost import EditCost
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Minimised
from pfsm_training.loss.with_pairs import WithPairs

# How much the mean over the copies weighs, in terms of the mean over what people said.
STRENGTH = 30.0


@dataclass(frozen=True, eq=False)
class Copies(MadePairs):
    """Edited copies, each with the reference as the better side.

    Attributes:
        lengths: float64 [n_copies], as `pfsm_training.data.edited_copies.EditedCopies` has them.
        cost: ``edit_cost``.
    """

    lengths: NDArray[np.float64]
    cost: float

    def added_to(self, objective: Minimised, choice: Choice, amounts: Amounts) -> Minimised:  # noqa: ARG002
        """The objective with the loss of the copies, which grows with the judgments and preferences as theirs does."""
        if not len(self):
            return objective
        factor = STRENGTH * amounts.people / len(self)
        loss = EditCost(self.data.better, self.data.worse, self.lengths, self.cost, factor)
        return WithPairs(objective, self.data.objective(loss, 0.0, objective.centre))

    def chosen(self, rows: NDArray[np.int64]) -> "Copies":
        """As `MadePairs.chosen`."""
        return Copies(self.part_of_data(rows), self.in_fold[rows], self.lengths[rows], self.cost)

    def number_above(self, machine: LogLinearMachine) -> int:
        """How many copies do not score below their reference."""
        if not len(self):
            return 0
        predictions = self.data.predictions(machine)
        return int((predictions[self.data.worse] >= predictions[self.data.better]).sum())


def copies_to_train(
    sources: Data, settings: Settings, cost: float, folds: Folds, encoder: Encoder
) -> Copies | None:
    """The copies of the training references; None where an edit need not cost anything.

    Args:
        sources: The training data.
        settings: Settings with nothing left to learn.
        cost: ``edit_cost``.
        folds: The folds of the data.
        encoder: Builds lattices.
    """
    if not cost:
        return None
    held = folds_of_references(sources, folds)
    copies = edited_copies(sorted(held))
    lines = [(line,) for line in copies.references]
    preferences = as_preferences(lines, copies.references, copies.edited, settings)
    data = encoder(TrainingText(None, preferences, settings))
    return Copies(data, in_folds(lines, held, folds), copies.lengths, cost)


def held_out_record(copies: Copies | None, above: int | None) -> dict[str, Any]:
    """For the record of a training: how many copies of held-out references did not score below them."""
    if copies is None:
        return {}
    return {"edit_cost": {"cost": copies.cost, "copies": len(copies), "held_out_above": above}}
