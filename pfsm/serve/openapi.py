"""The description of the service: OpenAPI 3.1, at ``/openapi.json``."""

from typing import Any

from pfsm.serve.body import JSON, LINES
from pfsm.serve.limits import Limits
from pfsm.serve.problems import KINDS, MEDIA_TYPE
from pfsm.serve.requests import LARGEST_SEED, LAST_SEGMENT, MOST_SYSTEMS, RESAMPLES
from pfsm.version import __version__

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
WARNINGS: Schema = {
    "warnings": {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
        "description": "Why the scores may mean little; missing where nothing speaks against them.",
    }
}
FLAG: Schema = {"type": "boolean", "default": False}
INTERVAL: Schema = {
    "type": "array",
    "items": {"type": ["number", "null"]},
    "minItems": 2,
    "maxItems": 2,
    "description": "Both ends of the 95% interval; null where a single segment has none.",
}


def openapi(limits: Limits) -> Schema:
    """The document; what it says of sizes are the bounds of this server."""
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
            "/v1/score": {"post": _score(limits)},
            "/v1/compare": {
                "post": _asks("compare", "Which of several systems is better", "CompareRequest", "Comparison")
            },
            "/v1/explain": {"post": _explain()},
            "/v1/models": {
                "get": _gives("models", "The models that there are", JSON, {"$ref": _ref("Models")})
            },
            "/healthz": {
                "get": _gives("health", "Whether the server answers", JSON, {"$ref": _ref("Health")})
            },
            "/metrics": {
                "get": _gives("metrics", "Figures in the text format of Prometheus", "text/plain", TEXT)
            },
            "/openapi.json": {"get": _gives("openapi", "This document", JSON, {"type": "object"})},
        },
        "components": {
            "schemas": _schemas(limits),
            "responses": {"Problem": _answer("A problem", MEDIA_TYPE, {"$ref": _ref("Problem")})},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _ref(name: str) -> str:
    return f"#/components/schemas/{name}"


def _answer(text: str, media: str, schema: Schema) -> Schema:
    return {"description": text, "content": {media: {"schema": schema}}}


def _gives(name: str, summary: str, media: str, schema: Schema) -> Schema:
    return {
        "operationId": name,
        "summary": summary,
        "responses": {
            "200": _answer(summary, media, schema),
            "default": {"$ref": "#/components/responses/Problem"},
        },
    }


def _asks(name: str, summary: str, asked: str, given: str) -> Schema:
    body = {"required": True, "content": {JSON: {"schema": {"$ref": _ref(asked)}}}}
    return {**_gives(name, summary, JSON, {"$ref": _ref(given)}), "requestBody": body}


def _score(limits: Limits) -> Schema:
    operation = _asks("score", "Scores of translations", "ScoreRequest", "Scores")
    operation["description"] = (
        f"{JSON}: one request, one answer, at most {limits.pairs} pairs. {LINES}: a line for each pair, at most "
        f"{limits.streamed}; the answer has a line for each score in the same order, then a line with end. A line with "
        "problem ends the answer instead."
    )
    operation["parameters"] = [
        _parameter("model", "Of a stream: name of the model.", TEXT),
        _parameter("force", "Of a stream: as the field of ScoreRequest.", FLAG),
    ]
    operation["requestBody"]["content"][LINES] = {"schema": {"$ref": _ref("StreamedPair")}}
    operation["responses"]["200"]["content"][LINES] = {"schema": {"$ref": _ref("StreamedLine")}}
    return operation


def _explain() -> Schema:
    operation = _asks("explain", "Why translations got their scores", "ExplainRequest", "Explanations")
    operation["description"] = "With Accept: text/html the answer is one self-contained page."
    operation["responses"]["200"]["content"]["text/html"] = {"schema": TEXT}
    return operation


def _parameter(name: str, text: str, schema: Schema) -> Schema:
    return {"name": name, "in": "query", "required": False, "description": text, "schema": schema}


def _object(
    required: dict[str, Schema], optional: dict[str, Schema] | None = None, *, closed: bool = False
) -> Schema:
    schema: Schema = {
        "type": "object",
        "required": list(required),
        "properties": {**required, **(optional or {})},
    }
    return {**schema, "additionalProperties": False} if closed else schema


def _list(items: Schema, **more: object) -> Schema:
    return {"type": "array", "items": items, "minItems": 1, **more}


def _whole(least: int, most: int, **more: object) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, **more}


def _schemas(limits: Limits) -> Schema:
    segment = {**TEXT, "maxLength": limits.line, "description": "One line of text."}
    model = {**TEXT, "description": "Name of a model in /v1/models; without it the default one."}
    force = {
        **FLAG,
        "description": "Go on with text that the model cannot take apart into words, and do not warn of its language.",
    }
    resamples = _whole(1, limits.resamples, default=RESAMPLES)
    references = {
        "description": "Of each segment its reference, or a list of its references.",
        "oneOf": [_list(segment), _list(_list(segment))],
    }
    named = {"name": TEXT, "signature": TEXT, "short_signature": TEXT}
    parallel = {"hypotheses": _list(segment), "references": references}
    system = _object({"name": {**TEXT, "maxLength": 200}, "hypotheses": _list(segment)}, closed=True)
    return {
        "ScoreRequest": _object(
            parallel,
            {"model": model, "confidence": FLAG, "resamples": resamples, "force": force},
            closed=True,
        ),
        "Scores": _object(
            {
                **named,
                "score": NUMBER,
                "segments": _whole(1, limits.pairs),
                "segment_signature": TEXT,
                "segment_scores": _list(NUMBER),
            },
            {"interval": INTERVAL, "resamples": resamples, "seed": _whole(0, LARGEST_SEED), **WARNINGS},
        ),
        "StreamedPair": _object(
            {"hypothesis": segment}, {"reference": segment, "references": _list(segment)}, closed=True
        ),
        "StreamedLine": {
            "oneOf": [
                _object({"segment": _whole(0, limits.streamed), "score": NUMBER}, closed=True),
                _object(
                    {
                        "end": {"const": True},
                        **named,
                        "score": NUMBER,
                        "segments": _whole(1, limits.streamed),
                    },
                    WARNINGS,
                ),
                _object({"problem": {"$ref": _ref("Problem")}}, closed=True),
            ]
        },
        "CompareRequest": _object(
            {
                "references": references,
                "systems": {**_list(system), "minItems": 2, "maxItems": MOST_SYSTEMS},
            },
            {
                "model": model,
                "resamples": resamples,
                "seed": _whole(0, LARGEST_SEED),
                "segments": {**FLAG, "description": "Whether segment_scores are wanted."},
                "force": force,
            },
            closed=True,
        ),
        "Comparison": _comparison(named, limits),
        "ExplainRequest": _object(
            parallel,
            {
                "model": model,
                "first_segment": {
                    **_whole(1, LAST_SEGMENT, default=1),
                    "description": "Number of the first segment in its file, from 1.",
                },
                "force": force,
            },
            closed=True,
        ),
        "Explanations": _object(
            {
                **named,
                "segments_counted_from": {"const": 0},
                "segments": _list({"$ref": _ref("Explanation")}),
            },
            WARNINGS,
        ),
        "Explanation": _object(
            {
                "segment": _whole(0, LAST_SEGMENT + limits.explained),
                "reference": {"type": "array", "items": TEXT},
                "hypothesis": {"type": "array", "items": TEXT},
                "score": NUMBER,
                "base": NUMBER,
            },
            {"edits": {"type": "array"}, "contributions": {"type": "array"}, "features": {"type": "array"}},
        ),
        "Models": _object({"default": TEXT, "models": _list({"$ref": _ref("Model")})}),
        "Model": _object(
            {
                "name": TEXT,
                "origin": {"enum": ["shipped", "given", "trained"]},
                "language": TEXT,
                "fingerprint": TEXT,
                "scale": TEXT,
                "licence": TEXT,
            }
        ),
        "Health": _object({"status": {"enum": ["ok", "ending"]}}),
        "Problem": _object(
            {"type": TEXT, "title": TEXT, "status": {"enum": list(KINDS)}, "detail": TEXT},
            {"field": {**TEXT, "description": "A JSON pointer into the body."}},
        ),
    }


def _comparison(named: dict[str, Schema], limits: Limits) -> Schema:
    pair = {
        "system_a": TEXT,
        "system_b": TEXT,
        "difference": NUMBER,
        "interval": INTERVAL,
        "p_value": {"type": ["number", "null"]},
        "p_holm": {"type": ["number", "null"]},
        "wins": _whole(0, limits.pairs),
        "losses": _whole(0, limits.pairs),
        "ties": _whole(0, limits.pairs),
        "preferred": TEXT,
    }
    return _object(
        {
            **named,
            "segments": _whole(1, limits.pairs),
            "resamples": _whole(1, limits.resamples),
            "seed": _whole(0, LARGEST_SEED),
            "significance": NUMBER,
            "systems": _list(_object({"name": TEXT, "score": NUMBER, "interval": INTERVAL})),
            "pairs": _list(_object(pair)),
        },
        {"segment_scores": _list(_object({"name": TEXT, "scores": _list(NUMBER)})), **WARNINGS},
    )
