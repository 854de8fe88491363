"""The training option ``edit_cost``: an edited copy of a reference must score below the reference itself.

A penalty in the objective on `pfsm_training.data.edited_copies` (`pfsm_training.loss.edit_cost`). It is steep enough
to act as a constraint on the copies of the training references. ``edit_cost`` above 0 leaves room, so that other
sentences keep to it, too; how many copies of held-out references do not is counted in cross-validation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.metrics.data_columns import columns_of
from pfsm.model.settings import Settings
from pfsm_training.data.edited_copies import EditedCopies, edited_copies
from pfsm_training.data.training_set import Encoder, TrainingSet
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.crossval import NEVER_HELD_OUT, Folds
from pfsm_training.loss.edit_cost import EditCost, WithCopies
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Minimised

Bool = NDArray[np.bool_]
Data = tuple[Judgments | None, Preferences | None]
# How much the mean over the copies weighs, in terms of the mean over what people said.
STRENGTH = 30.0


@dataclass(frozen=True, eq=False)
class Copies:
    """Edited copies as a `pfsm_training.fit.fitting.Constraint`.

    Attributes:
        data: Their lattices, as preferences of the references over the copies.
        lengths: float64 [n_copies], as `pfsm_training.data.edited_copies.EditedCopies` has them.
        cost: ``edit_cost``.
        in_fold: bool [n_copies, n_folds], the folds in which the reference of a copy is held out.
    """

    data: TrainingSet
    lengths: NDArray[np.float64]
    cost: float
    in_fold: Bool
    _parts: dict[tuple[bool, tuple[int, ...]], "Copies"] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.lengths.size

    def added_to(self, objective: Minimised, n_people: int) -> Minimised:
        """The objective with the loss of the copies, which grows with the judgments and preferences as theirs does."""
        if not len(self):
            return objective
        factor = STRENGTH * n_people / len(self)
        loss = EditCost(self.data.better, self.data.worse, self.lengths, self.cost, factor)
        return WithCopies(objective, self.data.objective(loss, 0.0, objective.centre))

    def outside(self, folds: tuple[int, ...]) -> "Copies":
        """The copies of references that none of these folds holds out."""
        inside: Bool = np.asarray(self.in_fold[:, list(folds)].any(axis=1))
        return self._part(~inside, (False, folds))

    def held_out(self, fold: int) -> "Copies":
        """The copies of references that a fold holds out."""
        return self._part(self.in_fold[:, fold], (True, (fold,)))

    def number_above(self, machine: LogLinearMachine) -> int:
        """How many copies do not score below their reference."""
        if not len(self):
            return 0
        predictions = self.data.predictions(machine)
        return int((predictions[self.data.worse] >= predictions[self.data.better]).sum())

    def _part(self, chosen: Bool, key: tuple[bool, tuple[int, ...]]) -> "Copies":
        """Some of the copies; cut out once."""
        if key not in self._parts:
            rows = np.flatnonzero(chosen)
            data = self.data.select(np.zeros(0, dtype=np.int64), rows)
            self._parts[key] = Copies(data, self.lengths[rows], self.cost, self.in_fold[rows])
        return self._parts[key]


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
    judgments, preferences = sources
    held: dict[str, set[int]] = {}
    for data, member in ((judgments, folds.member), (preferences, folds.preference_member)):
        for several, fold in zip(
            data.all_references if data is not None else (), member.tolist(), strict=True
        ):
            for line in several:
                held.setdefault(line, set()).add(fold)
    copies = edited_copies(sorted(held))
    in_fold = np.zeros((len(copies), len(folds.names)), dtype=np.bool_)
    for row, line in enumerate(copies.references):
        in_fold[row, sorted(held[line] - {NEVER_HELD_OUT})] = True
    text = TrainingText(None, _as_preferences(copies, columns_of(tuple(settings.features))), settings)
    return Copies(encoder(text), copies.lengths, cost, in_fold)


def _as_preferences(copies: EditedCopies, columns: Sequence[str]) -> Preferences:
    """Each reference is preferred to its copy; numbers that come with translations are the same for both."""
    nought = ("0",) * len(copies)
    sides = {f"{name}_{side}": nought for name in columns for side in ("better", "worse")}
    return Preferences(copies.references, copies.references, copies.edited, np.ones(len(copies)), sides, ())


def held_out_record(copies: Copies | None, above: int | None) -> dict[str, Any]:
    """For the record of a training: how many copies of held-out references did not score below them."""
    if copies is None:
        return {}
    return {"edit_cost": {"cost": copies.cost, "copies": len(copies), "held_out_above": above}}
