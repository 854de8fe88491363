"""The description of the service says what the service does."""

from typing import Any

import pytest

from tests.studio.serve.running import Running

pytest.importorskip("starlette")

import msgspec

from pfsm_studio.serve.app import API
from pfsm_studio.serve.limits import KINDS, Limits
from pfsm_studio.serve.requests import openapi

DOCUMENT = openapi(Limits())
PAIR: dict[str, Any] = {"hypotheses": ["a b"], "references": ["a c"]}
COMPARED: dict[str, Any] = {
    "references": ["a b", "c"],
    "systems": [{"name": "one", "hypotheses": ["a", "b"]}, {"name": "two", "hypotheses": ["a", "c"]}],
    "segments": True,
}


TYPES = {str: "string", list: "array", dict: "object", int: "integer", float: "number", bool: "boolean"}


def references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if "$ref" in value else []
        return own + [one for part in value.values() for one in references(part)]
    return [one for part in value for one in references(part)] if isinstance(value, list) else []


def test_all_routes_are_described_and_all_references_lead_somewhere(server: Running) -> None:
    assert server.ask("GET", "/openapi.json").document == DOCUMENT
    described = {path: {method.upper() for method in methods} for path, methods in DOCUMENT["paths"].items()}
    assert described == {path: set(methods) for path, methods in API.items()}
    for name in references(DOCUMENT):
        part: Any = DOCUMENT
        for key in name.removeprefix("#/").split("/"):
            part = part[key]
        assert part


def test_answers_are_of_their_types(server: Running) -> None:
    """All that is described is there and of its type; `test_same_as_command_line` has the values."""
    asked: list[tuple[str, Any, str]] = [
        ("/v1/score", {**PAIR, "confidence": True}, "Scores"), ("/v1/compare", COMPARED, "Comparison"),
        ("/v1/explain", PAIR, "Explanations"), ("/v1/score", {}, "Problem"), ("/v1/models", None, "Models"),
        ("/healthz", None, "Health"),
    ]  # fmt: skip
    for path, body, kind in asked:
        answer = server.ask("GET", path) if body is None else server.post(path, body)
        found, schema = msgspec.json.decode(answer.body), DOCUMENT["components"]["schemas"][kind]
        assert set(schema["required"]) <= set(found) <= set(schema["properties"])
        for name, value in found.items():
            said = schema["properties"][name].get("type", TYPES[type(value)])
            assert said == TYPES[type(value)] or (said == "number" and TYPES[type(value)] == "integer"), name
    assert DOCUMENT["components"]["schemas"]["Problem"]["properties"]["status"]["enum"] == list(KINDS)
