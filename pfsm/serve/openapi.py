"""The description of the service: OpenAPI 3.1, at ``/openapi.json``; its schemas are those of the types below."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from pfsm.serve.body import JSON, LINES
from pfsm.serve.limits import KINDS, MEDIA_TYPE, Limits
from pfsm.serve.requests import (
    CompareRequest,
    ExplainRequest,
    Resamples,
    ScoreRequest,
    Seed,
    StreamedPair,
    bound,
)
from pfsm.version import __version__

Schema = dict[str, Any]
Count = Annotated[int, Meta(ge=0)]
Pairs = Annotated[int, Meta(ge=1), bound("maximum", "pairs")]
Streamed = Annotated[int, Meta(ge=1), bound("maximum", "streamed")]
Warnings = Annotated[
    list[str],
    Meta(
        min_length=1, description="Why the scores may mean little; missing where nothing speaks against them."
    ),
]
Interval = Annotated[
    list[float | None],
    Meta(
        min_length=2,
        max_length=2,
        description="Both ends of the 95% interval; null where a single segment has none.",
    ),
]
TRUE = Meta(extra_json_schema={"const": True})


class Named(Struct, kw_only=True):
    """The model or metric behind an answer."""

    name: str
    signature: str
    short_signature: str


class Scores(Named, kw_only=True):
    """The answer of ``/v1/score``."""

    score: float
    segments: Pairs
    segment_signature: str
    segment_scores: list[float]
    interval: Interval | UnsetType = UNSET
    resamples: Resamples | UnsetType = UNSET
    seed: Seed | UnsetType = UNSET
    segments_left_out: list[Count] | UnsetType = UNSET
    warnings: Warnings | UnsetType = UNSET


class StreamedScore(Struct, forbid_unknown_fields=True):
    """A line of a stream's answer."""

    segment: Count
    score: float


class StreamedEnd(Named, kw_only=True):
    """The last line of a stream's answer."""

    end: Annotated[bool, TRUE]
    score: float
    segments: Streamed
    warnings: Warnings | UnsetType = UNSET


class Problem(Struct, kw_only=True):
    """Why a request is not answered (RFC 9457)."""

    type: str
    title: str
    status: Annotated[int, Meta(extra_json_schema={"enum": list(KINDS)})]
    detail: str
    field: Annotated[str, Meta(description="A JSON pointer into the body.")] | UnsetType = UNSET


class StreamedProblem(Struct, forbid_unknown_fields=True):
    """The last line of a stream's answer that ends early."""

    problem: Problem


class ComparedSystem(Struct):
    """A system in a comparison."""

    name: str
    score: float
    interval: Interval


class ComparedPair(Struct):
    """Two systems in a comparison."""

    system_a: str
    system_b: str
    difference: float
    interval: Interval
    p_value: float | None
    p_holm: float | None
    p_at_limit: bool
    wins: Count
    losses: Count
    ties: Count
    preferred: str
    segments_to_settle: Count | None
    people_agree: float | None


class SystemScores(Struct):
    """Scores of a system's segments."""

    name: str
    scores: list[float]


class Comparison(Named, kw_only=True):
    """The answer of ``/v1/compare``."""

    segments: Pairs
    resamples: Resamples
    seed: Seed
    significance: float
    verdict: str
    systems: list[ComparedSystem]
    pairs: list[ComparedPair]
    segment_scores: list[SystemScores] | UnsetType = UNSET
    segments_left_out: list[Count] | UnsetType = UNSET
    warnings: Warnings | UnsetType = UNSET


class Explanation(Struct, kw_only=True):
    """Why a translation got its score."""

    segment: Count
    reference: list[str]
    hypothesis: list[str]
    score: float
    base: float
    edits: list[Any] | UnsetType = UNSET
    contributions: list[Any] | UnsetType = UNSET
    features: list[Any] | UnsetType = UNSET


class Explanations(Named, kw_only=True):
    """The answer of ``/v1/explain``."""

    segments_counted_from: Literal[0]
    segments: list[Explanation]
    warnings: Warnings | UnsetType = UNSET


class Model(Struct):
    """A model of the server."""

    name: str
    origin: Literal["shipped", "given", "trained"]
    language: str
    fingerprint: str
    scale: str
    licence: str


class Models(Struct):
    """The answer of ``/v1/models``."""

    default: str
    models: list[Model]


class Health(Struct):
    """The answer of ``/healthz``."""

    status: Literal["ok", "ending"]


_REQUESTS = (ScoreRequest, CompareRequest, ExplainRequest, StreamedPair)
_STREAMED = (StreamedScore, StreamedEnd, StreamedProblem)
_ANSWERS = (Scores, Comparison, Explanations, Models, Health, *_STREAMED)


def openapi(limits: Limits) -> Schema:
    """The document; what it says of sizes are the bounds of this server."""
    _, schemas = msgspec.json.schema_components((*_REQUESTS, *_ANSWERS), ref_template=_ref("{name}"))
    schemas["StreamedLine"] = {"oneOf": [{"$ref": _ref(kind.__name__)} for kind in _STREAMED]}
    score = _operation("score", "Scores of translations", "Scores", asked="ScoreRequest")
    score["description"] = (
        f"{JSON}: one request, one answer, at most {limits.pairs} pairs. {LINES}: a line for each pair, at most "
        f"{limits.streamed}; the answer has a line for each score in the same order, then a line with end. A line with "
        "problem ends the answer instead."
    )
    score["parameters"] = [
        _parameter("model", "Of a stream: name of the model.", {"type": "string"}),
        _parameter(
            "force", "Of a stream: as the field of ScoreRequest.", {"type": "boolean", "default": False}
        ),
    ]
    score["requestBody"]["content"][LINES] = {"schema": {"$ref": _ref("StreamedPair")}}
    score["responses"]["200"]["content"][LINES] = {"schema": {"$ref": _ref("StreamedLine")}}
    explain = _operation(
        "explain", "Why translations got their scores", "Explanations", asked="ExplainRequest"
    )
    explain["description"] = "With Accept: text/html the answer is one self-contained page."
    explain["responses"]["200"]["content"]["text/html"] = {"schema": {"type": "string"}}
    compare = _operation(
        "compare", "Which of several systems is better", "Comparison", asked="CompareRequest"
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "pfsm",
            "version": __version__,
            "summary": "Scores, comparisons and explanations of translations, as the command line gives them.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{}, {"token": []}],
        "paths": {
            "/v1/score": {"post": score},
            "/v1/compare": {"post": compare},
            "/v1/explain": {"post": explain},
            "/v1/models": {"get": _operation("models", "The models that there are", "Models")},
            "/healthz": {"get": _operation("health", "Whether the server answers", "Health")},
            "/metrics": {
                "get": _operation("metrics", "Figures in the text format of Prometheus", {"type": "string"})
            },
            "/openapi.json": {"get": _operation("openapi", "This document", {"type": "object"})},
        },
        "components": {
            "schemas": _with_limits(schemas, limits),
            "responses": {
                "Problem": {
                    "description": "A problem",
                    "content": {MEDIA_TYPE: {"schema": {"$ref": _ref("Problem")}}},
                }
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _ref(name: str) -> str:
    return f"#/components/schemas/{name}"


def _operation(name: str, summary: str, given: str | Schema, asked: str = "") -> Schema:
    """An operation that answers with a schema, or the component of a name; text if that is a plain string."""
    schema = {"$ref": _ref(given)} if isinstance(given, str) else given
    media = "text/plain" if schema.get("type") == "string" else JSON
    operation: Schema = {
        "operationId": name,
        "summary": summary,
        "responses": {
            "200": {"description": summary, "content": {media: {"schema": schema}}},
            "default": {"$ref": "#/components/responses/Problem"},
        },
    }
    if asked:
        content = {JSON: {"schema": {"$ref": _ref(asked)}}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _parameter(name: str, text: str, schema: Schema) -> Schema:
    return {"name": name, "in": "query", "required": False, "description": text, "schema": schema}


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
