"""The states of a machine, and their parts where word classes split them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.names import DELETE, INSERT, JUMP, base_state, ends, inserted_repeat, of_class, shared
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
        repeats: Whether words that the hypothesis says twice in a row (`pfsm.lattice.repeats`) have an Insert of
            their own, whatever their class.
    """

    states: frozenset[str] = frozenset()
    classes: tuple[str, ...] = ()
    of_types: "Callable[[Vocabulary], Int32] | None" = None
    repeats: bool = False

    def names(self, state: str) -> tuple[str, ...]:
        """The states that a state becomes: itself, or one for each class; of Insert last that of repeated words."""
        parts = tuple(of_class(state, name) for name in self.classes) if state in self.states else (state,)
        return (*parts, inserted_repeat()) if self.repeats and state == INSERT else parts


NO_SPLIT = Split()


def state_names(matchers: Sequence[Matcher], max_jump: int = 0, split: Split = NO_SPLIT) -> tuple[str, ...]:
    """States of the machine that these matchers make."""
    bases = (INSERT, DELETE, *(matcher.state for matcher in matchers if matcher.state))
    return (*(name for base in bases for name in split.names(base)), *([JUMP] if max_jump else []))


def state_parts(states: Sequence[str], weighted: Iterable[str]) -> tuple[tuple[str, ...], Int32] | None:
    """The whole states, and which of them each state is a part of, where parts differ in what a visit weighs alone.

    Args:
        states: States of a machine.
        weighted: Names of the features that have weights.

    Returns:
        Names of the whole states; int32 [n_states]. None where no state is split, or a transition of a part has a
        weight.
    """
    whole = tuple(dict.fromkeys(map(base_state, states)))
    if len(whole) == len(states) or any(ends(name) and shared(name) for name in weighted):
        return None
    return whole, np.array([whole.index(base_state(state)) for state in states], dtype=np.int32)
