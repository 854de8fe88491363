"""The description of the service says what the service does."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.serve.running import Running

pytest.importorskip("starlette")

from pfsm.serve.app import API
from pfsm.serve.limits import Limits
from pfsm.serve.openapi import openapi

DOCUMENT = openapi(Limits())
PAIR: dict[str, Any] = {"hypotheses": ["a b"], "references": ["a c"]}
COMPARED: dict[str, Any] = {
    "references": ["a b", "c"],
    "systems": [{"name": "one", "hypotheses": ["a", "b"]}, {"name": "two", "hypotheses": ["a", "c"]}],
    "segments": True,
}
KINDS: Mapping[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
    "null": type(None),
}  # fmt: skip


def faults(value: Any, schema: Mapping[str, Any], where: str = "") -> list[str]:
    """Where a value does not fit a schema: the part of JSON Schema that the description uses."""
    if "$ref" in schema:
        return faults(value, resolved(schema["$ref"]), where)
    for key in ("oneOf", "anyOf"):
        if key in schema:
            fitting = [one for one in schema[key] if not faults(value, one, where)]
            return [] if len(fitting) == 1 else [f"{where}: fits {len(fitting)} of {key}"]
    allowed = [schema["const"]] if "const" in schema else schema.get("enum", [value])
    if value not in allowed:
        return [f"{where}: not one of {allowed}"]
    return [
        *_of_kind(value, schema, where),
        *_of_fields(value, schema, where),
        *_of_items(value, schema, where),
    ]


def _of_fields(value: Any, schema: Mapping[str, Any], where: str) -> list[str]:
    if not isinstance(value, dict):
        return []
    found = [f"{where}: lacks {name}" for name in schema.get("required", ()) if name not in value]
    known = schema.get("properties", {})
    for name, part in value.items():
        if name in known:
            found += faults(part, known[name], f"{where}/{name}")
        elif schema.get("additionalProperties") is False:
            found.append(f"{where}: {name} is not known")
    return found


def _of_items(value: Any, schema: Mapping[str, Any], where: str) -> list[str]:
    if not isinstance(value, list):
        return []
    found = [f"{where}: too few"] if len(value) < schema.get("minItems", 0) else []
    for place, part in enumerate(value):
        found += faults(part, schema.get("items", {}), f"{where}/{place}")
    return found


def _of_kind(value: Any, schema: Mapping[str, Any], where: str) -> list[str]:
    if "type" not in schema:
        return []
    named = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kinds = (
        ["boolean"] if isinstance(value, bool) else [name for name in named if isinstance(value, KINDS[name])]
    )
    return [] if any(kind in named for kind in kinds) else [f"{where}: {value!r} is no {schema['type']}"]


def resolved(name: str) -> Any:
    part: Any = DOCUMENT
    for key in name.removeprefix("#/").split("/"):
        part = part[key]
    return part


def references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if "$ref" in value else []
        return own + [one for part in value.values() for one in references(part)]
    return [one for part in value for one in references(part)] if isinstance(value, list) else []


def test_all_routes_are_described() -> None:
    described = {path: {method.upper() for method in methods} for path, methods in DOCUMENT["paths"].items()}
    assert described == {path: set(methods) for path, methods in API.items()}


def test_all_references_lead_somewhere() -> None:
    assert all(resolved(name) for name in references(DOCUMENT))


def test_it_is_served(server: Running) -> None:
    assert server.ask("GET", "/openapi.json").document == DOCUMENT


@pytest.mark.parametrize(
    ("path", "asked", "name"),
    [
        ("/v1/score", {**PAIR, "confidence": True}, "Scores"),
        ("/v1/score", {"hypotheses": ["a", "b"], "references": [["a", "b"], ["c"]]}, "Scores"),
        ("/v1/compare", COMPARED, "Comparison"),
        ("/v1/explain", PAIR, "Explanations"),
    ],
)
def test_answers_fit(server: Running, path: str, asked: dict[str, Any], name: str) -> None:
    operation = DOCUMENT["paths"][path]["post"]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    assert faults(asked, schema) == []
    answer = server.post(path, asked).document
    assert faults(answer, resolved(f"#/components/schemas/{name}")) == []
    assert faults({**asked, "more": 1}, schema) != []


def test_problems_and_models_fit(server: Running) -> None:
    assert faults(server.post("/v1/score", {}).problem, resolved("#/components/schemas/Problem")) == []
    assert faults(server.ask("GET", "/v1/models").document, resolved("#/components/schemas/Models")) == []
    assert faults(server.ask("GET", "/healthz").document, resolved("#/components/schemas/Health")) == []
