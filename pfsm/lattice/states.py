"""The states of a machine, and their parts where word classes split them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.names import DELETE, INSERT, JUMP, of_class
from pfsm.matchers.protocol import Matcher

if TYPE_CHECKING:
    from pfsm.text.vocabulary import Vocabulary

Int32 = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Split:
    """Which states are split by the class of the word they consume, and into what.

    The class is that of the hypothesis's word for Insert, else of the first word of the reference's block.

    Attributes:
        states: Names of the states that are split, such as ``Insert``.
        classes: Names of the classes.
        of_types: From a vocabulary to int32 [n_types], the class of each token type.
    """

    states: frozenset[str] = frozenset()
    classes: tuple[str, ...] = ()
    of_types: "Callable[[Vocabulary], Int32] | None" = None

    def names(self, state: str) -> tuple[str, ...]:
        """The states that a state becomes: itself, or one for each class."""
        if state not in self.states:
            return (state,)
        return tuple(of_class(state, name) for name in self.classes)


NO_SPLIT = Split()


def state_names(matchers: Sequence[Matcher], max_jump: int = 0, split: Split = NO_SPLIT) -> tuple[str, ...]:
    """States of the machine that these matchers make."""
    bases = (INSERT, DELETE, *(matcher.state for matcher in matchers if matcher.state))
    return (*(name for base in bases for name in split.names(base)), *([JUMP] if max_jump else []))
