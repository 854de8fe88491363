"""Options of the metrics over linguistic elements, checked."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pfsm.analysis.analysers import DEFAULT_PARSER
from pfsm.errors import PfsmError
from pfsm.metrics.syntax.constituent import DEEPEST

TYPES, ELEMENTS = "types", "elements"


class Option(NamedTuple):
    """One option.

    Attributes:
        default: Its value where nothing is said.
        is_good: Whether something is a value of it.
        what: What a value must be, for messages.
    """

    default: Any
    is_good: Callable[[Any], bool]
    what: str


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_depth(value: Any) -> bool:
    return type(value) is int and 1 <= value <= DEEPEST


def _is_share(value: Any) -> bool:
    return type(value) in {int, float} and 0 < value <= 1


PARSER = {"parser": Option(DEFAULT_PARSER, _is_text, "the name of a parser")}
AVERAGE = {
    "average": Option(TYPES, lambda value: value in {TYPES, ELEMENTS}, f"{TYPES} or {ELEMENTS}"),
}
DECAY = {"decay": Option(1.0, _is_share, "above 0 and at most 1")}


def depth_option(default: int) -> dict[str, Option]:
    """The option ``depth`` with this default."""
    return {"depth": Option(default, _is_depth, f"a whole number from 1 to {DEEPEST}")}


def read_options(name: str, given: Mapping[str, Any], known: Mapping[str, Option]) -> dict[str, Any]:
    """Values of all options of a metric.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    for key, value in given.items():
        if key not in known:
            raise PfsmError(f"metric {name}: unknown option {key!r}; known are {', '.join(known)}")
        if not known[key].is_good(value):
            raise PfsmError(f"metric {name}: {key} is {value!r}, it must be {known[key].what}")
    return {key: given.get(key, option.default) for key, option in known.items()}
