"""Names of features: the whole grammar, in one place.

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


def link_feature(relation: str) -> str:
    """Name of the weight of a link feature."""
    return f"{LINK_PREFIX}{relation}"
