"""The JSON of a request: read strictly, every field checked, errors with the place of the field."""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NoReturn

from pfsm.serve.problems import RequestError, invalid

# Of a value that an error shows.
_SHOWN = 40
_NAMES: Mapping[type, str] = {
    dict: "an object", list: "a list", str: "a string", bool: "true or false",
    int: "a whole number", float: "a number", type(None): "null",
}  # fmt: skip


def parse(body: bytes, where: str = "the body") -> Any:
    """The value of a JSON text.

    Raises:
        RequestError: If it is no JSON in UTF-8, holds NaN or an infinite number, names a field twice, or is nested too
            deeply.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequestError(400, f"{where} is not UTF-8 (byte {error.start})") from None
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise RequestError(400, f"{where} is not valid JSON (line {error.lineno}: {error.msg})") from None
    except RecursionError:
        raise RequestError(400, f"{where} is nested too deeply") from None
    except ValueError:  # Python's bound on the digits of a whole number
        raise RequestError(400, f"{where} holds a number of thousands of digits") from None


def _no_constant(name: str) -> NoReturn:
    raise RequestError(400, f"the body holds {name}, which is not JSON; numbers must be finite")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise RequestError(400, f"the body names {shown(twice)} twice in one object")
    return found


def shown(value: object) -> str:
    """A value in an error: ASCII, and not too much of it."""
    text = ascii(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def pointer(*path: str | int) -> str:
    """A JSON pointer."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


class Fields:
    """The fields of an object.

    Args:
        value: What should be an object.
        known: Names of the fields that there may be.
        path: Where it stands.

    Raises:
        RequestError: If it is no object, or has a field that is not known.
    """

    def __init__(self, value: object, known: Collection[str], path: Sequence[str | int] = ()) -> None:
        self._path = tuple(path)
        if not isinstance(value, dict):
            raise invalid(pointer(*path), f"an object is needed here, not {_named(value)}")
        for name in value:
            if name not in known:
                where = pointer(*path, printable(name))
                raise invalid(where, f"unknown field {shown(name)}; known are {', '.join(sorted(known))}")
        self._value = value

    def __contains__(self, name: str) -> bool:
        return name in self._value

    def at(self, *path: str | int) -> str:
        """The pointer to a part of the object."""
        return pointer(*self._path, *path)

    def text(self, name: str, default: str | None = None, longest: int = 200) -> str:
        """A line of text.

        Raises:
            RequestError: If it is none, is longer, or is missing and has no default.
        """
        if name not in self._value and default is not None:
            return default
        return check_line(self._needed(name), self.at(name), longest)

    def flag(self, name: str) -> bool:
        """True or false; false if it is missing.

        Raises:
            RequestError: If it is neither.
        """
        value = self._value.get(name, False)
        if not isinstance(value, bool):
            raise invalid(self.at(name), f"{name} must be true or false, not {_named(value)}")
        return value

    def whole(self, name: str, default: int, least: int, most: int) -> int:
        """A whole number between bounds.

        Raises:
            RequestError: If it is none.
        """
        value = self._value.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise invalid(
                self.at(name), f"{name} is {shown(value)}, a whole number from {least} to {most} is needed"
            )
        return value

    def items(self, name: str, what: str) -> list[Any]:
        """A list with something in it.

        Raises:
            RequestError: If it is none.
        """
        return check_items(self._needed(name), self.at(name), what)

    def value(self, name: str) -> Any:
        """Whatever the field holds; None if it is missing."""
        return self._value.get(name)

    def _needed(self, name: str) -> Any:
        if name not in self._value:
            raise invalid(self.at(name), f"the field {name} is missing")
        return self._value[name]


def check_items(value: object, where: str, what: str) -> list[Any]:
    """A list with something in it; ``what`` says of what.

    Raises:
        RequestError: If it is none.
    """
    if not isinstance(value, list):
        raise invalid(where, f"a list of {what} is needed here, not {_named(value)}")
    if not value:
        raise invalid(where, f"a list of {what} is needed here, at least one")
    return value


def check_line(value: object, where: str, longest: int) -> str:
    """A line of text that can be encoded: what a line of a file can hold.

    Raises:
        RequestError: If it is none, or is longer than ``longest`` characters.
    """
    if not isinstance(value, str):
        raise invalid(where, f"a string is needed here, not {_named(value)}")
    if len(value) > longest:
        raise RequestError(413, f"{len(value)} characters, at most {longest} are scored", where)
    if "\n" in value or value.endswith("\r"):
        raise invalid(where, "a line end; every segment is one line")
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise invalid(
                where, f"half of a surrogate pair ({shown(value[error.start])}), which is no text"
            ) from None
    return value


def check_number(value: object, where: str) -> float:
    """A finite number.

    Raises:
        RequestError: If it is none.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:  # a whole number of hundreds of digits
            number = math.inf
        if math.isfinite(number):
            return number
    raise invalid(where, f"{shown(value)}, a finite number is needed")


def _named(value: object) -> str:
    return next((name for kind, name in _NAMES.items() if type(value) is kind), "something else")


def printable(name: str) -> str:
    """The name of a field as part of a pointer that can be encoded."""
    return name[:_SHOWN].encode("utf-8", "backslashreplace").decode()
