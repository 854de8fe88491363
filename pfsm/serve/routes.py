"""The routes of the API."""

import time
from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from pfsm.serve import answers
from pfsm.serve.body import LINES, media_type
from pfsm.serve.figures import MEDIA_TYPE
from pfsm.serve.openapi import openapi
from pfsm.serve.problems import RequestError
from pfsm.serve.requests import compare_request, explain_request, score_request
from pfsm.serve.service import Service, json_response
from pfsm.serve.stream import ScoreStream, Streamed

Handler = Callable[[Service, Request], Awaitable[Response]]


async def score(service: Service, request: Request) -> Response:
    """``POST /v1/score``: one request, or a stream."""
    if media_type(request) == LINES:
        return _streamed(service, request)
    asked = score_request(await service.json(request), service.limits)
    book = service.shelf.find(asked.model)
    return json_response(await answers.score(service.batcher, book, asked, service.deadline()))


def _streamed(service: Service, request: Request) -> Response:
    for name in request.query_params:
        if name not in {"model", "force"}:
            raise RequestError(422, "a stream takes the parameters model and force alone")
    book = service.shelf.find(request.query_params.get("model", ""))
    deadline = time.monotonic() + service.limits.streaming
    force = request.query_params.get("force") == "true"
    stream = ScoreStream(service.batcher, book, service.limits, deadline, force)
    return Streamed(stream.answers(service.bodies.parts(request)))


async def compare(service: Service, request: Request) -> Response:
    """``POST /v1/compare``."""
    asked = compare_request(await service.json(request), service.limits)
    book = service.shelf.find(asked.model)
    return json_response(await answers.compare(service.batcher, book, asked, service.deadline()))


async def explain(service: Service, request: Request) -> Response:
    """``POST /v1/explain``: JSON, or the page for those who accept HTML."""
    asked = explain_request(await service.json(request), service.limits)
    book = service.shelf.find(asked.model)
    page = request.headers.get("accept", "").partition(",")[0].strip() == "text/html"
    found = await answers.explain(service.batcher, book, asked, service.deadline(), page=page)
    if isinstance(found, str):
        return Response(found.encode("utf-8"), media_type="text/html")
    return json_response(found)


async def models(service: Service, request: Request) -> Response:  # noqa: ARG001
    """``GET /v1/models``."""
    shelf = service.shelf
    return json_response({"default": shelf.default, "models": [book.document() for book in shelf]})


async def health(service: Service, request: Request) -> Response:  # noqa: ARG001
    """``GET /healthz``."""
    return json_response({"status": "ending"}, 503) if service.ending else json_response({"status": "ok"})


async def metrics(service: Service, request: Request) -> Response:  # noqa: ARG001
    """``GET /metrics``."""
    return Response(
        service.figures.text(service.batcher).encode("ascii"), headers={"content-type": MEDIA_TYPE}
    )


async def description(service: Service, request: Request) -> Response:  # noqa: ARG001
    """``GET /openapi.json``."""
    return json_response(openapi(service.limits))


API: Mapping[str, Mapping[str, Handler]] = {
    "/v1/score": {"POST": score},
    "/v1/compare": {"POST": compare},
    "/v1/explain": {"POST": explain},
    "/v1/models": {"GET": models},
    "/healthz": {"GET": health},
    "/metrics": {"GET": metrics},
    "/openapi.json": {"GET": description},
}
