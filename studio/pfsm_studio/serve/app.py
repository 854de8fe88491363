"""The ASGI application: finds the route, asks the guard, answers problems, counts and logs."""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from pfsm.errors import PfsmError
from pfsm.version import __version__
from pfsm_studio.serve import answers
from pfsm_studio.serve.batching import Batcher
from pfsm_studio.serve.body import JSON, LINES, Bodies, media_type
from pfsm_studio.serve.guard import HEADERS, POLICY, Guard
from pfsm_studio.serve.limits import MEDIA_TYPE, Limits, RequestError, too_late
from pfsm_studio.serve.model_pool import ModelPool
from pfsm_studio.serve.requests import (
    Asked,
    CompareRequest,
    ExplainRequest,
    ScoreRequest,
    openapi,
    parse,
    request_of,
)
from pfsm_studio.serve.stream import ScoreStream, Streamed

Kind = TypeVar("Kind", bound=Asked)
Result = TypeVar("Result")
_OTHER = "other"
# Bytes that are read in the event loop.
_AT_ONCE = 1 << 14
# Seconds more than reading and answering take, for a client that takes the answer slowly.
SENDING = 60.0


# Upper ends of the histogram of times, in seconds.
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Figures:
    """Requests by route and status, and their times. Routes are the server's own, never text of a request.

    Args:
        batcher: What scores, whose pairs are counted too.
    """

    def __init__(self, batcher: Batcher) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.under_way = self.answered = 0
        self._registry = registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("pfsm_requests_total", "Answered requests.", labels, registry=registry)
        about = "Seconds from the head of a request to its answer."
        self._times = Histogram("pfsm_request_seconds", about, ("route",), buckets=BOUNDS, registry=registry)
        Gauge("pfsm_info", "The version of pfsm.", ("version",), registry=registry).labels(__version__).set(1)
        for name, told, figure in (
            ("pfsm_requests_under_way", "Requests that are not answered yet.", lambda: self.under_way),
            ("pfsm_pairs_waiting", "Pairs that are waiting or being scored.", lambda: batcher.waiting),
        ):
            Gauge(name, told, registry=registry).set_function(figure)
        for counter in (batcher.pairs, batcher.batches, batcher.portions):
            registry.register(counter)

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts an answered request."""
        self.answered += 1
        self._requests.labels(method, route, str(status)).inc()
        self._times.labels(route).observe(seconds)

    def text(self) -> bytes:
        """All figures."""
        return generate_latest(self._registry)


@dataclass(eq=False)
class Service:
    """One server.

    Attributes:
        models: Its models.
        guard: Who may ask.
        limits: Bounds.
        threads: How many threads score.
        ending: Whether it answers what it has accepted, and then ends.
    """

    models: ModelPool
    guard: Guard
    limits: Limits
    threads: int
    ending: bool = False

    def __post_init__(self) -> None:
        self.pool = ThreadPoolExecutor(self.threads, "pfsm-serve")
        # What is read and written is not kept waiting by what is scored.
        self.texts = ThreadPoolExecutor(1, "pfsm-serve-text")
        # Nor are requests that are scored kept waiting by what is explained or compared.
        self.long = ThreadPoolExecutor(max(1, self.threads - 1), "pfsm-serve-long")
        self.batcher = Batcher(self.pool, self.threads, self.limits, self.long)
        self.bodies = Bodies(self.limits)
        self.figures = Figures(self.batcher)

    async def asked(self, request: Request, kind: type[Kind]) -> Kind:
        """The request that the JSON in a body is; what takes long is read beside the event loop.

        Raises:
            RequestError: If there is none.
        """
        if media_type(request) != JSON:
            raise RequestError(415, f"the content type must be {JSON} here")
        body = await self.bodies.whole(request)
        return await self.beside(lambda: request_of(parse(body), kind, self.limits), len(body))

    async def beside(self, work: Callable[[], Result], size: int) -> Result:
        """The result of work on so many bytes, in a thread of its own where they are many."""
        if size <= _AT_ONCE:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self.texts, work)

    async def in_time(self, answer: Callable[[float], Awaitable[Result]]) -> Result:
        """The result of an awaitable that is given the deadline.

        Raises:
            RequestError: If it is not ready by then.
        """
        deadline = time.monotonic() + self.limits.patience
        try:
            async with asyncio.timeout_at(deadline):
                return await answer(deadline)
        except TimeoutError:
            raise too_late() from None


def json_response(document: object, status: int = 200) -> Response:
    """An answer in JSON."""
    return Response(json.dumps(document, ensure_ascii=False).encode("utf-8"), status, media_type=JSON)


Handler = Callable[[Service, Request], Awaitable[Response]]


async def score(service: Service, request: Request) -> Response:
    """``POST /v1/score``: one request, or a stream."""
    if media_type(request) != LINES:
        asked = await service.asked(request, ScoreRequest)
        loaded = service.models.find(asked.model)
        return json_response(await service.in_time(partial(answers.score, service.batcher, loaded, asked)))
    if not {*request.query_params} <= {"model", "force"}:
        raise RequestError(422, "a stream takes the parameters model and force alone")
    loaded = service.models.find(request.query_params.get("model", ""))
    deadline = time.monotonic() + service.limits.streaming
    force = request.query_params.get("force") == "true"
    stream = ScoreStream(service.batcher, loaded, service.limits, deadline, force)
    return Streamed(stream.answers(service.bodies.parts(request)))


async def compare(service: Service, request: Request) -> Response:
    """``POST /v1/compare``."""
    asked = await service.asked(request, CompareRequest)
    loaded = service.models.find(asked.model)
    return json_response(await service.in_time(partial(answers.compare, service.batcher, loaded, asked)))


async def explain(service: Service, request: Request) -> Response:
    """``POST /v1/explain``: JSON, or the page for those who accept HTML."""
    asked = await service.asked(request, ExplainRequest)
    loaded = service.models.find(asked.model)
    page = request.headers.get("accept", "").partition(",")[0].strip() == "text/html"
    found = await service.in_time(partial(answers.explain, service.batcher, loaded, asked, page=page))
    if isinstance(found, str):
        return Response(found.encode("utf-8"), media_type="text/html")
    return await service.beside(partial(json_response, found), _AT_ONCE + 1)


async def models(service: Service, request: Request) -> Response:  # noqa: ARG001
    """``GET /v1/models``."""
    models = service.models
    return json_response({"default": models.default, "models": [loaded.document() for loaded in models]})


async def health(service: Service, request: Request) -> Response:  # noqa: ARG001
    """``GET /healthz``."""
    return json_response({"status": "ending"}, 503) if service.ending else json_response({"status": "ok"})


async def metrics(service: Service, request: Request) -> Response:  # noqa: ARG001
    """``GET /metrics``."""
    return Response(
        service.figures.text(), headers={"content-type": "text/plain; version=0.0.4; charset=utf-8"}
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


class App:
    """One server's application.

    Args:
        service: What the routes share.
        routes: Handlers by path and method, besides those of the API. A path that ends with ``/{id}`` stands for all
            that have one part more.
        assets: Paths that need no token.
        abort: Ends the connection of a request whose client does not take the answer.
    """

    def __init__(
        self,
        service: Service,
        routes: Mapping[str, Mapping[str, Handler]],
        assets: Collection[str],
        abort: Callable[[Scope], None],
    ) -> None:
        self._service, self._assets, self._abort = service, frozenset(assets), abort
        self._routes = {**API, **routes}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            return
        service, begun = self._service, time.monotonic()
        request = Request(scope, receive)
        route, handlers = self._found(request.url.path)
        status = 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": self._headers(message["headers"])}
            await send(message)

        limits = service.limits
        stream = request.headers.get("content-type", "").startswith(LINES)
        seconds = limits.streaming if stream else limits.reading + limits.patience + SENDING
        service.figures.under_way += 1
        try:
            async with asyncio.timeout(seconds):
                response = await self._answer(request, handlers)
                await response(scope, receive, watched)
        except TimeoutError:
            self._abort(scope)
        except ClientDisconnect:
            pass
        finally:
            service.figures.under_way -= 1
            method = request.method if request.method in {"GET", "HEAD", "POST"} else "other"
            if status:
                service.figures.add(method, route, status, time.monotonic() - begun)
            log(f"{method} {route} {status or 'gone'} {1000 * (time.monotonic() - begun):.1f}ms")

    def _found(self, path: str) -> tuple[str, Mapping[str, Handler]]:
        handlers = self._routes.get(path)
        if handlers is not None:
            return path, handlers
        for route, handlers in self._routes.items():
            if "{id}" in route:
                before, _, after = route.partition("{id}")
                own = path[len(before) : len(path) - len(after)]
                if path.startswith(before) and path.endswith(after) and own and "/" not in own:
                    return route, handlers
        return _OTHER, {}

    async def _answer(self, request: Request, handlers: Mapping[str, Handler]) -> Response:
        try:
            self._service.guard.check(request, assets=self._assets)
            if not handlers:
                raise RequestError(404, "there is no such path; /openapi.json lists them")
            handler = handlers.get("GET" if request.method == "HEAD" else request.method)
            if handler is None:
                raise RequestError(
                    405, f"this path takes {' and '.join(handlers)}", allow=", ".join(handlers)
                )
            return await handler(self._service, request)
        except RequestError as error:
            return problem_response(error)
        except PfsmError as error:
            return problem_response(RequestError(503, str(error)))
        except (ClientDisconnect, TimeoutError):
            raise
        except Exception as error:
            log(f"fault: {type(error).__name__}: {error!s}"[:500], fault=error)
            return problem_response(RequestError(500, "the server has a fault here; its log says more"))

    def _headers(self, given: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        more = {**HEADERS, "content-security-policy": POLICY}
        if self._service.ending:
            more["connection"] = "close"
        added = {name.encode(): value.encode() for name, value in more.items()}
        return [*(added | dict(given)).items()]


def problem_response(error: RequestError) -> Response:
    """The answer to a request that is refused."""
    response = json_response(error.document(), error.status)
    response.headers["content-type"] = MEDIA_TYPE
    for name, value in error.headers.items():
        response.headers[name] = value
    return response


def log(line: str, fault: BaseException | None = None) -> None:
    """A line of the log, on standard error: the time in UTC, then what happened. It holds no text of a request."""
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    printable = "".join(sign if sign.isprintable() else " " for sign in line)
    where = ""
    if fault is not None and fault.__traceback__ is not None:
        trace = fault.__traceback__
        while trace.tb_next is not None:
            trace = trace.tb_next
        where = f" ({trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})"
    with suppress(OSError, ValueError):  # a full disk, a closed pipe: requests are answered all the same
        sys.stderr.write(f"{moment} {printable}{where}\n")
