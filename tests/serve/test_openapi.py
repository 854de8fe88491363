"""The description of the service says what the service does."""

from typing import Any

import pytest

from tests.serve.running import Running

pytest.importorskip("starlette")

import msgspec

from pfsm.serve.app import API
from pfsm.serve.limits import Limits
from pfsm.serve.openapi import Comparison, Explanations, Health, Models, Problem, Scores, openapi

DOCUMENT = openapi(Limits())
PAIR: dict[str, Any] = {"hypotheses": ["a b"], "references": ["a c"]}
COMPARED: dict[str, Any] = {
    "references": ["a b", "c"],
    "systems": [{"name": "one", "hypotheses": ["a", "b"]}, {"name": "two", "hypotheses": ["a", "c"]}],
    "segments": True,
}


def references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if "$ref" in value else []
        return own + [one for part in value.values() for one in references(part)]
    return [one for part in value for one in references(part)] if isinstance(value, list) else []


def test_all_routes_are_described_and_all_references_lead_somewhere() -> None:
    described = {path: {method.upper() for method in methods} for path, methods in DOCUMENT["paths"].items()}
    assert described == {path: set(methods) for path, methods in API.items()}
    for name in references(DOCUMENT):
        part: Any = DOCUMENT
        for key in name.removeprefix("#/").split("/"):
            part = part[key]
        assert part


def test_requests_have_their_fields_and_the_bounds_of_the_server() -> None:
    schema = openapi(Limits(line=99, resamples=77))["components"]["schemas"]["ScoreRequest"]
    assert schema["required"] == ["references", "hypotheses"]
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == {*PAIR, "model", "confidence", "resamples", "force"}
    assert schema["properties"]["hypotheses"]["items"]["maxLength"] == 99
    assert schema["properties"]["resamples"] == {
        "type": "integer", "minimum": 1, "maximum": 77, "default": 1000,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "asked", "kind"),
    [
        ("/v1/score", {**PAIR, "confidence": True}, Scores),
        ("/v1/score", {"hypotheses": ["a", "b"], "references": [["a", "b"], ["c"]]}, Scores),
        ("/v1/compare", COMPARED, Comparison),
        ("/v1/explain", PAIR, Explanations),
        ("/v1/score", {}, Problem),
        ("/v1/models", None, Models),
        ("/healthz", None, Health),
    ],
)
def test_answers_are_of_their_types(server: Running, path: str, asked: Any, kind: type) -> None:
    """All that is described is there and of its type; `test_same_as_command_line` has the values."""
    answer = server.ask("GET", path) if asked is None else server.post(path, asked)
    msgspec.json.decode(answer.body, type=kind)
    described = DOCUMENT["components"]["schemas"][kind.__name__]["required"]
    assert set(described) <= set(msgspec.json.decode(answer.body))


def test_it_is_served(server: Running) -> None:
    assert server.ask("GET", "/openapi.json").document == DOCUMENT
