"""Checks plain values, as read from YAML or JSON, against types; errors say where a value stands and what is needed.

A type is anything that msgspec knows, such as a `msgspec.Struct`. It says itself what is needed, if not by `needs`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from operator import getitem
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import structs

from pfsm.errors import PfsmError
from pfsm.runtime.names import known_names

T = TypeVar("T")
MISSING, UNKNOWN = "missing", "unknown"
_MESSAGE = re.compile(r"(.*?)(?: - at (`key` in )?`\$(.*)`)?", re.DOTALL)
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
_BOUNDS = {"ge": "from", "gt": "above", "le": "to", "lt": "to below"}
_NEEDED = "needed"
# Characters of what an error quotes.
MOST_QUOTED = 200


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


def needs(words: str) -> msgspec.Meta:
    """What errors say is needed of a type that is annotated with it, such as "a name in quotes"."""
    return msgspec.Meta(extra={_NEEDED: words})


def typed(value: object, kind: type[T]) -> T:
    """The value as a type that msgspec knows, such as a `msgspec.Struct`; whole numbers become reals.

    Raises:
        MisfitError: If it does not fit.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _misfit(str(error), value, kind) from None


def _misfit(message: str, value: Any, kind: Any) -> MisfitError:
    match = _MESSAGE.fullmatch(message)
    assert match is not None
    text, of_key, place = match[1], match[2], match[3] or ""
    # Of what stands in a mapping from any name, msgspec does not say under which.
    steps = _PATH.findall(place.partition("[...]")[0])
    path = tuple(int(number) if number else name for name, number in steps)
    for pattern, fault in _OF_FIELDS:
        if field := re.fullmatch(pattern, text, re.DOTALL):
            return MisfitError((*path, field[1]), fault)
    found = reduce(getitem, path, value)
    if of_key:
        return MisfitError((*path, next(key for key in found if not isinstance(key, str))), UNKNOWN)
    return MisfitError(path, _needed(_type_at(kind, path)) or _in_words(text), found)


def checked(
    value: object, kind: type[T], where: str, *, what: str = "key", page: str = "`docs/settings.md`"
) -> T:
    """The same for what a person wrote.

    Raises:
        PfsmError: If it does not fit.
    """
    try:
        return typed(value, kind)
    except MisfitError as error:
        *above, last = error.path or ("",)
        place = _place(where, above)
        if error.needed == MISSING:
            raise PfsmError(f"{place}: the key {last!r} is missing") from None
        if error.needed == UNKNOWN:
            kinds = _alternatives(_type_at(kind, above))
            known = [field.encode_name for one in kinds for field in _fields(one)]
            hint = known_names(last, known, page) if known else "it must be text"
            raise PfsmError(f"{place}: unknown {what} {last!r}; {hint}") from None
        told = repr(error.value)[:MOST_QUOTED]
        raise PfsmError(f"{_place(where, error.path)} is {told}, it must be {error.needed}") from None


def _place(where: str, path: Sequence[str | int]) -> str:
    """``FILE: key: key 1`` of the first item of a list."""
    return where + "".join(f" {part + 1}" if isinstance(part, int) else f": {part}" for part in path)


def _type_at(kind: Any, path: Sequence[str | int]) -> Any:
    """The type at a path, as it is annotated."""
    for part in path:
        kind = next(filter(None, (_below(one, part) for one in _alternatives(kind))), None)
    return kind


def _alternatives(kind: Any) -> Iterator[Any]:
    """The members of a union, without what is said of them; of another type itself."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        yield from _alternatives(parts[0])
    elif origin in {Union, UnionType}:
        for part in parts:
            yield from _alternatives(part)
    else:
        yield kind


def _below(kind: Any, part: str | int) -> Any:
    """The type of a field or an item; None of a type without it."""
    if isinstance(part, str):
        return next((field.type for field in _fields(kind) if field.encode_name == part), None)
    origin, items = get_origin(kind), get_args(kind)
    if origin is list or (origin is tuple and Ellipsis in items):
        return items[0]
    return items[part] if origin is tuple else None


def _fields(kind: Any) -> tuple[Any, ...]:
    return structs.fields(kind) if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else ()


def _needed(kind: Any) -> str:
    """What a type says that it needs; empty where msgspec's message says as much."""
    told = [one for one in get_args(kind) if isinstance(one, msgspec.Meta)]
    if words := [one.extra[_NEEDED] for one in told if one.extra]:
        return str(words[0])
    within = get_args(kind)[0] if told else kind
    if get_origin(within) in {Union, UnionType}:
        others = [one for one in get_args(within) if one not in {NoneType, msgspec.UnsetType}]
        return _needed(others[0]) if len(others) == 1 else ""
    if get_origin(within) is Literal:
        return f"one of {', '.join(map(str, get_args(within)))}"
    if within not in {int, float}:
        return ""
    bounds = [(word, getattr(one, key)) for one in told for key, word in _BOUNDS.items()]
    numbers = [
        f"{word} {bound if within is int else f'{bound:g}'}" for word, bound in bounds if bound is not None
    ]
    return " ".join([_NAMES[within.__name__], *numbers])


def _in_words(text: str) -> str:
    """A message of msgspec in our words, such as "a list of length from 1"."""
    wanted = text.partition(", got")[0].removeprefix("Expected ")
    wanted = re.sub(
        "`([^`]+)`", lambda kinds: " or ".join(_NAMES.get(one, one) for one in kinds[1].split(" | ")), wanted
    )
    return wanted.replace(" >= ", " from ").replace(" <= ", " up to ")


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
