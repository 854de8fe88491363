"""The description of the service: OpenAPI 3.1, at ``/openapi.json``; schemas of requests are those of their types."""

import json
from importlib.resources import files
from typing import Any

import msgspec

from pfsm.serve.limits import Limits
from pfsm.serve.requests import CompareRequest, ExplainRequest, ScoreRequest, StreamedPair
from pfsm.version import __version__

Schema = dict[str, Any]
_REQUESTS = (ScoreRequest, CompareRequest, ExplainRequest, StreamedPair)


def openapi(limits: Limits) -> Schema:
    """The document; what it says of sizes are the bounds of this server."""
    document: Schema = json.loads((files("pfsm.resources") / "openapi.json").read_text(encoding="utf-8"))
    _, asked = msgspec.json.schema_components(_REQUESTS, ref_template="#/components/schemas/{name}")
    document["info"]["version"] = __version__
    document["components"]["schemas"] |= asked
    score = document["paths"]["/v1/score"]["post"]
    score["description"] = score["description"].format(pairs=limits.pairs, streamed=limits.streamed)
    found: Schema = _with_limits(document, limits)
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
