"""Reads the fields of a configuration from plain values; an error names the file, the key and what is needed."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pfsm.errors import PfsmError
from pfsm.model.file import check_line
from pfsm.runtime.places import unknown_key

T = TypeVar("T")


class Fields:
    """The fields of one mapping.

    Args:
        values: The mapping, as read from YAML.
        where: Name of the mapping in messages, such as ``table1.yaml: row 2``.
        known: All keys that it may have.

    Raises:
        PfsmError: If `values` is not a mapping, or has an unknown key.
    """

    def __init__(self, values: object, where: str, known: Sequence[str]) -> None:
        self.where = where
        if not isinstance(values, Mapping):
            raise PfsmError(f"{where}: is {values!r}, it must hold `key: value`; keys are {', '.join(known)}")
        for key in values:
            if key not in known:
                raise PfsmError(
                    f"{where}: unknown key {key!r}; {unknown_key(str(key), known, '`pfsm help experiments`')}"
                )
        self.values: dict[str, Any] = dict(values)

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def fault(self, key: str, needed: str) -> PfsmError:
        """The error for an invalid value; ``needed`` says what is valid."""
        return PfsmError(f"{self.where}: {key} is {self.values.get(key)!r}, it must be {needed}")

    def line(self, key: str, default: str | None = None) -> str:
        """A line of text; an error if it is absent and has no default."""
        if key not in self.values:
            if default is None:
                raise PfsmError(f"{self.where}: the key {key!r} is missing")
            return default
        return check_line(self.values[key], f"{self.where}: {key}")

    def text(self, key: str) -> str:
        """Text of any length; empty if absent."""
        value = self.values.get(key, "")
        if not isinstance(value, str):
            raise self.fault(key, "text")
        return value.strip()

    def count(self, key: str, default: int, lowest: int = 1) -> int:
        """A whole number of at least ``lowest``."""
        value = self.values.get(key, default)
        if type(value) is not int or value < lowest:
            raise self.fault(key, f"a whole number from {lowest}")
        return value

    def flag(self, key: str) -> bool:
        """True or false; false if absent."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self.fault(key, "true or false")
        return value

    def choice(self, key: str, known: Sequence[str], default: str) -> str:
        """One of the known names."""
        value = self.values.get(key, default)
        if value not in known:
            raise self.fault(key, f"one of {', '.join(known)}")
        return str(value)

    def mapping(self, key: str) -> dict[str, Any]:
        """A mapping with text as keys; empty if absent."""
        value = self.values.get(key, {})
        if value is None:  # `train:` with nothing after it
            value = {}
        if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
            raise self.fault(key, "lines `key: value`")
        return value

    def items(self, key: str, make: Callable[[Any, str], T]) -> tuple[T, ...]:
        """The items of a list, or a single item given without a list; none if absent."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            value = [value]
        return tuple(make(item, f"{self.where}: {key} {number}") for number, item in enumerate(value, 1))


def name_or_number(value: object, where: str) -> str:
    """A value of a column of a data file, as it is written in the file.

    Raises:
        PfsmError: If YAML does not read it as text or a whole number; it reads ``no`` without quotes as false.
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise PfsmError(f"{where}: is {value!r}, it must be text; put it in quotes")
    return str(value)


def two_names(value: object, where: str) -> tuple[str, str]:
    """The names of two rows, ``[A, B]``.

    Raises:
        PfsmError: If it is not a list of two, or YAML does not read a name as text or a whole number.
    """
    if not isinstance(value, list) or len(value) != 2:
        raise PfsmError(f"{where}: is {value!r}, it must be the names of two rows, [A, B]")
    return name_or_number(value[0], where), name_or_number(value[1], where)
