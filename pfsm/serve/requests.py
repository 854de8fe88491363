"""What clients ask for: JSON read strictly into typed requests; errors carry the JSON pointer of the field.

Their types are in the description of the service too: OpenAPI 3.1, at ``/openapi.json``.
"""

import json
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from typing import Annotated, Any, NoReturn, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from pfsm.data.judgments import given_references
from pfsm.io.array_checks import is_text
from pfsm.io.typed import MISSING, UNKNOWN, MisfitError, typed
from pfsm.serve.limits import Limits, RequestError, invalid
from pfsm.version import __version__

T = TypeVar("T")
# Of each segment its references.
References = Sequence[Sequence[str]]
RESAMPLES, LARGEST_SEED = 1000, 2**32 - 1
LAST_SEGMENT = 10**9
# Of systems in one comparison.
MOST_SYSTEMS = 20
# Of a value that an error shows.
_SHOWN = 40


def bound(keyword: str, limit: str) -> Meta:
    """A bound of JSON Schema that the server's limit of this name gives; `openapi` writes its number."""
    return Meta(extra_json_schema={"x-limit": [keyword, limit]})


Model = Annotated[
    str, Meta(max_length=200, description="Name of a model in /v1/models; empty: the default one.")
]
Line = Annotated[str, bound("maxLength", "line"), Meta(description="One line of text.")]
Lines = Annotated[list[Line], Meta(min_length=1)]
SegmentReferences = Annotated[
    list[Line | Lines],
    Meta(
        min_length=1,
        description="Of each segment its reference, or of every segment a list of its references.",
    ),
]
Resamples = Annotated[int, Meta(ge=1), bound("maximum", "resamples")]
Seed = Annotated[int, Meta(ge=0, le=LARGEST_SEED)]
Force = Annotated[
    bool,
    Meta(
        description="Go on with text that the model cannot take apart into words, and do not warn of its language."
    ),
]


Skip = Annotated[
    bool, Meta(description="Leave out segments whose references are all blank; the answer says which.")
]


class Referenced(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """References of segments, and the model to use; the default one if that is empty."""

    references: SegmentReferences
    model: Model = ""

    @property
    def all_references(self) -> References:
        """Of each segment its references, without blank ones where there are others."""
        return [given_references([one] if isinstance(one, str) else one) for one in self.references]


class TextRequest(Referenced, frozen=True, kw_only=True):
    """Translations with the references of each."""

    hypotheses: Lines


class ScoreRequest(TextRequest, frozen=True, kw_only=True):
    """A system's output to be scored, with the interval of its score if `confidence`."""

    confidence: bool = False
    resamples: Resamples = RESAMPLES
    skip_missing_references: Skip = False
    force: Force = False


class ExplainRequest(TextRequest, frozen=True, kw_only=True):
    """A system's output to be explained."""

    first_segment: Annotated[
        int, Meta(ge=1, le=LAST_SEGMENT, description="Number of the first segment in its file, from 1.")
    ] = 1
    force: Force = False


class System(Struct, frozen=True, forbid_unknown_fields=True):
    """A system's output."""

    name: Annotated[str, Meta(max_length=200)]
    hypotheses: Lines


class CompareRequest(Referenced, frozen=True, kw_only=True):
    """Outputs of several systems to be compared; all have the same references."""

    systems: Annotated[list[System], Meta(min_length=2, max_length=MOST_SYSTEMS)]
    resamples: Resamples = RESAMPLES
    seed: Seed | UnsetType = UNSET
    skip_missing_references: Skip = False
    segments: Annotated[bool, Meta(description="Whether segment_scores are wanted.")] = False
    force: Force = False


class StreamedPair(Struct, frozen=True, forbid_unknown_fields=True):
    """A line of a stream, with `reference` or `references`."""

    hypothesis: Line
    reference: Line | UnsetType = UNSET
    references: Lines | UnsetType = UNSET


def parse(body: bytes, where: str = "the body") -> Any:
    """The value of a JSON text.

    Raises:
        RequestError: If it is not JSON in UTF-8, holds NaN or an infinite number, names a field twice, or is nested too
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
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, number in counts.items() if number > 1)
        raise RequestError(400, f"the body names {shown(twice)} twice in one object")
    for name in found:
        if not name.isascii() and not is_text(name):
            raise RequestError(400, f"the body has a field {shown(name)}, which is not text")
    return found


def shown(value: object) -> str:
    """A value in an error: ASCII, and not too much of it."""
    text = ascii(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def pointer(*path: str | int) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + str(part)[:_SHOWN].replace("~", "~0").replace("/", "~1") for part in path)


def request_of(value: object, kind: type[T]) -> T:
    """A parsed body as a request.

    Raises:
        RequestError: If a field is missing, unknown or of another type.
    """
    try:
        return typed(value, kind)
    except MisfitError as error:
        field = pointer(*error.path)
        if error.needed == MISSING:
            raise invalid(field, f"the field {error.path[-1]} is missing") from None
        if error.needed == UNKNOWN:
            raise invalid(field, f"unknown field {shown(error.path[-1])}") from None
        raise invalid(field, f"{shown(error.value)}, but {error.needed} is needed here") from None


def score_request(value: object, limits: Limits) -> ScoreRequest:
    """The request in a body of ``/v1/score``.

    Raises:
        RequestError: If a field is invalid, or there are too many pairs.
    """
    asked = request_of(value, ScoreRequest)
    _check_resamples(asked.resamples, limits)
    check_texts(asked, limits, limits.pairs)
    return asked


def explain_request(value: object, limits: Limits) -> ExplainRequest:
    """The request in a body of ``/v1/explain``.

    Raises:
        RequestError: As of `score_request`.
    """
    asked = request_of(value, ExplainRequest)
    check_texts(asked, limits, limits.explained)
    return asked


def compare_request(value: object, limits: Limits) -> CompareRequest:
    """The request in a body of ``/v1/compare``.

    Raises:
        RequestError: As of `score_request`.
    """
    asked = request_of(value, CompareRequest)
    _check_resamples(asked.resamples, limits)
    names: list[str] = []
    for place, system in enumerate(asked.systems):
        check_lines([system.name], limits.line, ("systems", place, "name"), one=True)
        if system.name in names:
            raise invalid(pointer("systems", place, "name"), "two systems have the same name")
        names.append(system.name)
        check_lines(system.hypotheses, limits.line, ("systems", place, "hypotheses"))
    references = _check_references(asked.references, limits)
    for place, system in enumerate(asked.systems):
        _check_length(system.hypotheses, asked.references, pointer("systems", place, "hypotheses"))
    _check_pairs(references * len(asked.systems), limits.pairs)
    if len({1 if isinstance(one, str) else len(one) for one in asked.references}) > 1:
        raise invalid("/references", "all segments need the same number of references")
    return asked


def pair_request(value: object, limits: Limits) -> tuple[str, Sequence[str]]:
    """The hypothesis and its references in a line of a stream.

    Raises:
        RequestError: If a field is invalid.
    """
    pair = request_of(value, StreamedPair)
    check_lines([pair.hypothesis], limits.line, ("hypothesis",), one=True)
    if pair.references is UNSET:
        if pair.reference is UNSET:
            raise invalid("/reference", "the field reference is missing")
        check_lines([pair.reference], limits.line, ("reference",), one=True)
        return pair.hypothesis, [pair.reference]
    if pair.reference is not UNSET:
        raise invalid("/reference", "give either reference or references, not both")
    check_lines(pair.references, limits.line, ("references",))
    return pair.hypothesis, given_references(pair.references)


def check_texts(asked: TextRequest, limits: Limits, most: int) -> None:
    """Checks that there are as many references as hypotheses, at most ``most`` pairs, and that all are lines.

    Raises:
        RequestError: If not.
    """
    check_lines(asked.hypotheses, limits.line, ("hypotheses",))
    pairs = _check_references(asked.references, limits)
    _check_length(asked.hypotheses, asked.references, "/hypotheses")
    _check_pairs(pairs, most)


def check_lines(values: Sequence[str], longest: int, path: Sequence[str | int], *, one: bool = False) -> None:
    """Checks that text is what a line of a file can hold, in at most ``longest`` characters.

    Args:
        values: The text.
        longest: The bound.
        path: Where the list stands; with ``one``, where its only item does.
        one: Whether it is not a list in the request.

    Raises:
        RequestError: If one of them is not a line, or is longer.
    """
    joined = "".join(values)
    # One look at all of them is quicker than one at each. Halves of a pair in neighbouring lines do not join.
    if max(map(len, values)) <= longest and "\n" not in joined and "\r" not in joined and is_text(joined):
        return
    for place, value in enumerate(values):
        where = pointer(*path) if one else pointer(*path, place)
        if len(value) > longest:
            raise RequestError(413, f"{len(value)} characters, at most {longest} are scored", where)
        if "\n" in value or value.endswith("\r"):
            raise invalid(where, "a line end; every segment is one line")
        if not is_text(value):
            raise invalid(where, "half of a surrogate pair, which is not text")


def _check_references(references: Sequence[str | list[str]], limits: Limits) -> int:
    """Checks lines, and that they are all strings or all lists; the number of references."""
    listed = isinstance(references[0], list)
    alone: list[str] = []
    count = 0
    for place, one in enumerate(references):
        if isinstance(one, list) != listed:
            needed = "a list of strings" if listed else "a string"
            raise invalid(pointer("references", place), f"{needed} is needed here, as in the first place")
        if isinstance(one, list):
            check_lines(one, limits.line, ("references", place))
            count += len(one)
        else:
            alone.append(one)
    if alone:
        check_lines(alone, limits.line, ("references",))
    return count + len(alone)


def _check_resamples(resamples: int, limits: Limits) -> None:
    if resamples > limits.resamples:
        raise invalid("/resamples", f"{resamples}, at most {limits.resamples} are possible here")


def _check_length(hypotheses: Sequence[str], references: Sequence[object], where: str) -> None:
    if len(hypotheses) != len(references):
        raise invalid(where, f"{len(hypotheses)} hypotheses for the references of {len(references)} segments")


def _check_pairs(found: int, most: int) -> None:
    if found > most:
        raise RequestError(
            413,
            f"{found} pairs, at most {most} in one request; send several requests, or a stream to /v1/score",
        )


def openapi(limits: Limits) -> dict[str, Any]:
    """The document; what it says of sizes are the bounds of this server."""
    document: dict[str, Any] = json.loads(
        (files("pfsm.resources") / "openapi.json").read_text(encoding="utf-8")
    )
    _, asked = msgspec.json.schema_components(
        (ScoreRequest, CompareRequest, ExplainRequest, StreamedPair),
        ref_template="#/components/schemas/{name}",
    )
    document["info"]["version"] = __version__
    document["components"]["schemas"] |= asked
    score = document["paths"]["/v1/score"]["post"]
    score["description"] = score["description"].format(pairs=limits.pairs, streamed=limits.streamed)
    found: dict[str, Any] = _with_limits(document, limits)
    return found


def _with_limits(value: Any, limits: Limits) -> Any:
    """A schema with the numbers of bounds that depend on the server."""
    if isinstance(value, list):
        return [_with_limits(part, limits) for part in value]
    if not isinstance(value, dict):
        return value
    found = {key: _with_limits(part, limits) for key, part in value.items() if key != "x-limit"}
    if "x-limit" in value:
        keyword, limit = value["x-limit"]
        found[keyword] = getattr(limits, limit)
    return found
