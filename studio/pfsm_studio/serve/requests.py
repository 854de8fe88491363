"""What clients ask for: JSON read strictly into typed requests; errors carry the JSON pointer of the field.

Their types are in the description of the service too: OpenAPI 3.1, at ``/openapi.json``.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Annotated, Any, NoReturn, TypeVar, cast

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from pfsm.data.segments import given_references
from pfsm.io.containers import is_text
from pfsm.runtime.typed import MISSING, UNKNOWN, MisfitError, typed
from pfsm.version import __version__
from pfsm_studio.serve.limits import Limits, RequestError, invalid

T = TypeVar("T", bound="Asked")
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


class Asked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request."""

    def check(self, limits: Limits) -> None:
        """Checks what the types of the fields do not tell, such as bounds of the server.

        Raises:
            RequestError: If a field is invalid, or there are too many pairs.
        """


class Referenced(Asked, frozen=True, kw_only=True):
    """References of segments, and the model to use; the default one if that is empty."""

    references: SegmentReferences
    model: Model = ""

    @property
    def all_references(self) -> References:
        """Of each segment its references, without blank ones where there are others."""
        return [given_references([one] if isinstance(one, str) else one) for one in self.references]

    def check_outputs(self, outputs: Mapping[str, Sequence[str]], limits: Limits, most: int) -> None:
        """Checks that all texts are lines, and that outputs, by their pointers, have as many as there are references.

        Raises:
            RequestError: If not, or if there are more than ``most`` pairs.
        """
        listed = isinstance(self.references[0], list)
        for place, one in enumerate(self.references):
            if isinstance(one, list) != listed:
                needed = "a list of strings" if listed else "a string"
                where = pointer("references", place)
                raise invalid(where, f"{needed} is needed here, as in the first place")
        check_lines(self.references, limits.line, "/references")
        for where, hypotheses in outputs.items():
            check_lines(hypotheses, limits.line, where)
            if len(hypotheses) != len(self.references):
                told = f"{len(hypotheses)} hypotheses for the references of {len(self.references)} segments"
                raise invalid(where, told)
        pairs = sum(1 if isinstance(one, str) else len(one) for one in self.references) * len(outputs)
        if pairs > most:
            told = f"{pairs} pairs, at most {most} in one request; send several requests, or a stream to /v1/score"
            raise RequestError(413, told)


def _check_resamples(resamples: int, limits: Limits) -> None:
    if resamples > limits.resamples:
        raise invalid("/resamples", f"{resamples}, at most {limits.resamples} are possible here")


class TextRequest(Referenced, frozen=True, kw_only=True):
    """Translations with the references of each."""

    hypotheses: Lines


class ScoreRequest(TextRequest, frozen=True, kw_only=True):
    """A system's output to be scored, with the interval of its score if `confidence`."""

    confidence: bool = False
    resamples: Resamples = RESAMPLES
    skip_missing_references: Skip = False
    force: Force = False

    def check(self, limits: Limits) -> None:
        """As of any request."""
        _check_resamples(self.resamples, limits)
        self.check_outputs({"/hypotheses": self.hypotheses}, limits, limits.pairs)


class ExplainRequest(TextRequest, frozen=True, kw_only=True):
    """A system's output to be explained."""

    first_segment: Annotated[
        int, Meta(ge=1, le=LAST_SEGMENT, description="Number of the first segment in its file, from 1.")
    ] = 1
    force: Force = False

    def check(self, limits: Limits) -> None:
        """As of any request."""
        self.check_outputs({"/hypotheses": self.hypotheses}, limits, limits.explained)


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

    def check(self, limits: Limits) -> None:
        """As of any request."""
        _check_resamples(self.resamples, limits)
        names = [system.name for system in self.systems]
        for place, name in enumerate(names):
            check_lines(name, limits.line, f"/systems/{place}/name")
            if name in names[:place]:
                raise invalid(f"/systems/{place}/name", "two systems have the same name")
        outputs = {f"/systems/{place}/hypotheses": of.hypotheses for place, of in enumerate(self.systems)}
        self.check_outputs(outputs, limits, limits.pairs)
        if len({1 if isinstance(one, str) else len(one) for one in self.references}) > 1:
            raise invalid("/references", "all segments need the same number of references")


class StreamedPair(Asked, frozen=True):
    """A line of a stream, with `reference` or `references`."""

    hypothesis: Line
    reference: Line | UnsetType = UNSET
    references: Lines | UnsetType = UNSET

    def check(self, limits: Limits) -> None:
        """As of any request."""
        check_lines(self.hypothesis, limits.line, "/hypothesis")
        if self.reference is not UNSET:
            if self.references is not UNSET:
                raise invalid("/reference", "give either reference or references, not both")
            check_lines(self.reference, limits.line, "/reference")
        elif self.references is UNSET:
            raise invalid("/reference", "the field reference is missing")
        else:
            check_lines(self.references, limits.line, "/references")

    @property
    def all_references(self) -> Sequence[str]:
        """The references, without blank ones where there are others."""
        if self.reference is not UNSET:
            return [self.reference]
        return given_references(self.references) if self.references is not UNSET else ()


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


def request_of(value: object, kind: type[T], limits: Limits) -> T:
    """A parsed body as a request, which is checked.

    Raises:
        RequestError: If a field is missing, unknown, of another type or invalid.
    """
    try:
        asked = typed(value, kind)
    except MisfitError as error:
        field = pointer(*error.path)
        if error.needed == MISSING:
            raise invalid(field, f"the field {error.path[-1]} is missing") from None
        if error.needed == UNKNOWN:
            raise invalid(field, f"unknown field {shown(error.path[-1])}") from None
        raise invalid(field, f"{shown(error.value)}, but {error.needed} is needed here") from None
    asked.check(limits)
    return asked


def check_lines(value: str | Sequence[str | Sequence[str]], longest: int, where: str) -> None:
    """Checks that text, or all text in a list, is what lines of files can hold, in at most ``longest`` characters.

    Args:
        value: The text.
        longest: The bound.
        where: Its JSON pointer.

    Raises:
        RequestError: If some of it is not a line, or is longer.
    """
    if not isinstance(value, str):
        if all(isinstance(one, str) for one in value):
            joined = "".join(cast("Sequence[str]", value))
            # One look at all of them is quicker than one at each. Halves of a pair in neighbouring lines do not join.
            sound = "\n" not in joined and "\r" not in joined and is_text(joined)
            if sound and max(map(len, value)) <= longest:
                return
        for place, one in enumerate(value):
            check_lines(one, longest, f"{where}/{place}")
    elif len(value) > longest:
        raise RequestError(413, f"{len(value)} characters, at most {longest} are scored", where)
    elif "\n" in value or value.endswith("\r"):
        raise invalid(where, "a line end; every segment is one line")
    elif not is_text(value):
        raise invalid(where, "half of a surrogate pair, which is not text")


def openapi(limits: Limits) -> dict[str, Any]:
    """The document; what it says of sizes are the bounds of this server."""
    text = (files("pfsm_studio.serve") / "openapi.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
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
