"""The parts of a server that its routes share."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from pfsm.serve.batching import Batcher
from pfsm.serve.body import JSON, Bodies, media_type
from pfsm.serve.fields import parse
from pfsm.serve.figures import Figures
from pfsm.serve.guard import Guard
from pfsm.serve.limits import Limits
from pfsm.serve.problems import RequestError
from pfsm.serve.shelf import Shelf


@dataclass(eq=False)
class Service:
    """One server.

    Attributes:
        shelf: Its models.
        guard: Who may ask.
        limits: Bounds.
        threads: How many threads score.
        ending: Whether it answers what it has accepted, and then ends.
    """

    shelf: Shelf
    guard: Guard
    limits: Limits
    threads: int
    ending: bool = False
    figures: Figures = field(default_factory=Figures)

    def __post_init__(self) -> None:
        self.pool = ThreadPoolExecutor(self.threads, "pfsm-serve")
        self.batcher = Batcher(self.pool, self.threads, self.limits)
        self.bodies = Bodies(self.limits)

    def deadline(self) -> float:
        """When an answer that is begun now has to be there."""
        return time.monotonic() + self.limits.patience

    async def json(self, request: Request) -> Any:
        """The JSON in the body of a request.

        Raises:
            RequestError: If there is none.
        """
        if media_type(request) != JSON:
            raise RequestError(415, f"the content type must be {JSON} here")
        return parse(await self.bodies.whole(request))


def json_response(document: object, status: int = 200) -> Response:
    """An answer in JSON."""
    return Response(json.dumps(document, ensure_ascii=False).encode("utf-8"), status, media_type=JSON)
