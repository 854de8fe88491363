"""Names of features: the whole grammar, in one place; states, and their parts where word classes split them.

| name | feature |
|---|---|
| ``Insert``, ``Delete``, ``Jump``, ``S_*`` | a visit of a state |
| ``STATE:CLASS`` | a visit of the part of a state that takes words of one class |
| ``Insert:repeat`` | a visit of the part of ``Insert`` that takes words said twice in a row |
| ``STATE>STATE`` | a transition, between whole states or parts of them |
| ``link:CLASS`` | two substitutions in a row whose words stand in one relation on both sides |
| ``MATCHER:NAME`` | a number that a matcher puts on its arcs |
| ``feature:NAME`` | a sentence-level feature |
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pfsm.arrays import Int32
from pfsm.matchers.protocol import Matcher

INSERT, DELETE, JUMP = "Insert", "Delete", "Jump"
REPEAT = "repeat"
"""Class of words that are said twice in a row; of `INSERT` alone."""
SUBSTITUTION = "S_"
"""How every state of a substitution begins."""
CLASS_MARK = ":"
ARROW = ">"
FEATURE_PREFIX, LINK_PREFIX = "feature:", "link:"


def transition(before: str, after: str) -> str:
    """Name of the transition feature between two states."""
    return f"{before}{ARROW}{after}"


def is_state(name: str) -> bool:
    """Whether it names a state, whole or of one word class."""
    base = base_state(name)
    return base in {INSERT, DELETE, JUMP} or base.startswith(SUBSTITUTION)


def ends(name: str) -> tuple[str, str] | None:
    """The two states of a transition feature; None for any other feature."""
    before, arrow, after = name.partition(ARROW)
    return (before, after) if arrow and is_state(before) and is_state(after) else None


def states_of(name: str) -> tuple[str, ...]:
    """The states that a feature of states or transitions speaks of; none for any other feature."""
    if is_state(name) and ARROW not in name:
        return (name,)
    return ends(name) or ()


def base_state(state: str) -> str:
    """The state without its word class: ``Insert`` for ``Insert:function``."""
    return state.partition(CLASS_MARK)[0]


def of_class(state: str, word_class: str) -> str:
    """The part of a state that takes words of one class."""
    return f"{state}{CLASS_MARK}{word_class}"


def inserted_repeat() -> str:
    """The part of ``Insert`` that takes words said twice in a row."""
    return of_class(INSERT, REPEAT)


def class_of(state: str) -> str:
    """The word class of a state; empty for a whole state."""
    return state.partition(CLASS_MARK)[2]


def shared(name: str) -> tuple[str, ...]:
    """The feature of a state or transition without word classes, where it differs from the feature itself."""
    base = ARROW.join(map(base_state, name.split(ARROW)))
    return () if base == name else (base,)


def sentence_feature(name: str) -> str:
    """Name of the weight of a sentence-level feature."""
    return f"{FEATURE_PREFIX}{name}"


if TYPE_CHECKING:
    from pfsm.text.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class Split:
    """Which states are split by the class of the word they consume, and into what.

    The class is that of the hypothesis's word for Insert, else of the first word of the reference's block.

    Attributes:
        states: Names of the states that are split, such as ``Insert``.
        classes: Names of the classes.
        of_types: From a vocabulary to int32 [n_types], the class of each token type.
        repeats: Whether words that the hypothesis says twice in a row (`pfsm.lattice.building`) have an Insert of
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
