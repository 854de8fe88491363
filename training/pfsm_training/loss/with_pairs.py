"""An objective to which the loss of pairs that nobody judged is added."""

from dataclasses import dataclass

from torch import Tensor

from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Minimised, Quadratic


@dataclass(frozen=True, eq=False)
class WithPairs:
    """The objective of training plus the loss of such pairs; a `pfsm_training.loss.objective.Minimised`.

    Attributes:
        objective: Of what people said, with the penalty.
        pairs: Of the pairs, without a penalty.
    """

    objective: Minimised
    pairs: Minimised

    @property
    def penalty(self) -> float:
        """As in `pfsm_training.loss.objective.Objective`."""
        return self.objective.penalty

    @property
    def centre(self) -> Tensor:
        """As in `pfsm_training.loss.objective.Objective`."""
        return self.objective.centre

    def quadratic(self, machine: LogLinearMachine, *, free_alpha: bool) -> tuple[float, Quadratic]:
        """As `pfsm_training.loss.objective.Minimised.quadratic`."""
        value, model = self.objective.quadratic(machine, free_alpha=free_alpha)
        more, added = self.pairs.quadratic(machine, free_alpha=free_alpha)
        return value + more, model + added
