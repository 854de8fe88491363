"""Checks plain values, as read from YAML or JSON, against types; errors say where a value stands and what is needed."""

import re
from functools import reduce
from operator import getitem
from typing import TypeVar

import msgspec

T = TypeVar("T")
MISSING, UNKNOWN = "missing", "unknown"
_MESSAGE = re.compile(r"(.*?)(?: - at (?:`key` in )?`\$(.*)`)?", re.DOTALL)
_PATH = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
_OF_FIELDS = (
    ("Object missing required field `(.*)`", MISSING),
    ("Object contains unknown field `(.*)`", UNKNOWN),
)
_NAMES = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "null": "null",
    "object": "lines `key: value`",
    "array": "a list",
}


class MisfitError(Exception):
    """A value that does not fit its type.

    Args:
        path: Where it stands: names of fields, and places in lists from 0.
        needed: What is needed there, as in "it must be ..."; `MISSING` or `UNKNOWN` of the field at `path` itself.
        value: The value; None if it is missing.
    """

    def __init__(self, path: tuple[str | int, ...], needed: str, value: object = None) -> None:
        super().__init__(path, needed, value)
        self.path, self.needed, self.value = path, needed, value


def typed(value: object, kind: type[T]) -> T:
    """The value as a type that msgspec knows, such as a `msgspec.Struct`; whole numbers become reals."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        match = _MESSAGE.fullmatch(str(error))
        assert match is not None
        text, place = match[1], match[2] or ""
        path = tuple(int(number) if number else name for name, number in _PATH.findall(place))
        for pattern, fault in _OF_FIELDS:
            if field := re.fullmatch(pattern, text, re.DOTALL):
                raise MisfitError((*path, field[1]), fault) from None
        raise MisfitError(path, _needed(text), reduce(getitem, path, value)) from None  # type: ignore[arg-type]


def _needed(text: str) -> str:
    """A message of msgspec in our words, such as "a whole number from 2"."""
    wanted = text.partition(", got")[0].removeprefix("Expected ")
    wanted = re.sub(
        "`([^`]+)`", lambda kinds: " or ".join(_NAMES.get(one, one) for one in kinds[1].split(" | ")), wanted
    )
    return wanted.replace(" >= ", " from ").replace(" <= ", " up to ")
