"""What options of metrics and matchers may be, and their check."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pfsm.errors import PfsmError

Options = Mapping[str, Any]


class Option(NamedTuple):
    """What an option may be.

    Attributes:
        default: Its value where it is not given.
        holds: Whether a value is one.
        what: What it must be, in words.
    """

    default: Any
    holds: Callable[[Any], bool]
    what: str


def one_of(*values: str) -> Option:
    """One of some names, the first by default."""
    what = " or ".join(values) if len(values) == 2 else f"one of {', '.join(values)}"
    return Option(values[0], lambda value: isinstance(value, str) and value in values, what)


def whole(default: int, most: int) -> Option:
    """A whole number from 1 to ``most``."""
    return Option(
        default, lambda value: type(value) is int and 1 <= value <= most, f"a whole number from 1 to {most}"
    )


def number(default: float | None, least: float, most: float, what: str = "") -> Option:
    """A finite number between two."""
    return Option(
        default,
        lambda value: type(value) in {int, float} and least <= value <= most,
        what or f"a number from {least:g} to {most:g}",
    )


def flag(default: bool) -> Option:
    """True or false."""
    return Option(default, lambda value: isinstance(value, bool), "true or false")


def text(default: str, what: str) -> Option:
    """A string that is not blank, unless the default is."""
    return Option(default, lambda value: isinstance(value, str) and bool(value.strip() or not default), what)


def with_defaults(known: Mapping[str, Option], **defaults: Any) -> dict[str, Option]:
    """The same options with some other defaults."""
    return {key: option._replace(default=defaults.get(key, option.default)) for key, option in known.items()}


def anything(default: Any = None) -> Option:
    """What is checked elsewhere."""
    return Option(default, lambda _: True, "")


def chosen_options(
    where: str, given: Options, known: Mapping[str, Option], hint: Callable[[str], str]
) -> dict[str, Any]:
    """Values of all options, those that are not given with their defaults.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    for key, value in given.items():
        if key not in known:
            raise PfsmError(f"{where}: unknown option {key!r}; {hint(key)}")
        if not known[key].holds(value):
            raise PfsmError(f"{where}: {key} is {value!r}, it must be {known[key].what}")
    return {key: given.get(key, option.default) for key, option in known.items()}
