"""Limits of the service, and the answer to a client that exceeds them: ``application/problem+json`` (RFC 9457)."""

from dataclasses import dataclass
from typing import Any

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Bounds of the service. What goes beyond one of them is answered with a problem that names it.

    Attributes:
        body: Bytes of the body of a request, of a stream too.
        bodies: Bytes of all bodies that are being read at one time.
        pairs: Pairs of hypothesis and reference in one request.
        streamed: Pairs in one stream.
        explained: Pairs of one request that are explained.
        line: Characters of a segment.
        resamples: Of a bootstrap.
        waiting: Pairs of all requests that wait for a thread at one time.
        patience: Seconds until a request has to be answered, with its body read.
        streaming: The same of a stream.
        reading: Seconds until the head of a request is there, and until its body is.
        gathering: Seconds that pairs wait for those of other requests.
        connections: Connections at one time.
    """

    body: int = 16 * MEGABYTE
    bodies: int = 256 * MEGABYTE
    pairs: int = 10_000
    streamed: int = 1_000_000
    explained: int = 200
    line: int = 4_000
    resamples: int = 10_000
    waiting: int = 200_000
    patience: float = 60.0
    streaming: float = 3600.0
    reading: float = 20.0
    gathering: float = 0.002
    connections: int = 512


MEDIA_TYPE = "application/problem+json"
# By status: the last part of the problem's type, and its title.
KINDS = {
    400: ("malformed", "The request cannot be read"),
    401: ("no-token", "A token is needed"),
    403: ("forbidden", "The request is refused"),
    404: ("not-found", "There is nothing here"),
    405: ("method", "This method does not exist here"),
    408: ("too-slow", "The request came too slowly"),
    413: ("too-large", "The request is too large"),
    415: ("media-type", "The body is of another type"),
    421: ("host", "This server does not go by that name"),
    422: ("invalid-field", "A field is not what it must be"),
    500: ("fault", "The server is at fault"),
    503: ("overloaded", "The server cannot answer in time"),
}


class RequestError(Exception):
    """A request that is not answered.

    Args:
        status: The HTTP status, one of `KINDS`.
        detail: One line: what is wrong, and what to do about it.
        field: Where in the body it is wrong, as a JSON pointer (RFC 6901); None: not in one place.
        retry: Seconds after which the request may be tried again; None: it is no use.
        allow: Methods that exist, of status 405.
    """

    def __init__(
        self, status: int, detail: str, field: str | None = None, retry: int | None = None, allow: str = ""
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.field, self.retry, self.allow = status, detail, field, retry, allow

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the answer."""
        found = {}
        if self.retry is not None:
            found["retry-after"] = str(self.retry)
        if self.status == 401:
            found["www-authenticate"] = 'Bearer realm="pfsm"'
        if self.allow:
            found["allow"] = self.allow
        return found

    def document(self) -> dict[str, Any]:
        """The body of the answer."""
        kind, title = KINDS[self.status]
        document = {
            "type": f"urn:pfsm:problem:{kind}",
            "title": title,
            "status": self.status,
            "detail": self.detail,
        }
        return document if self.field is None else {**document, "field": self.field}


def too_late() -> RequestError:
    """An answer that is not there in time."""
    return RequestError(503, "the answer takes too long; send less, or try again", retry=1)


def invalid(field: str, detail: str) -> RequestError:
    """An invalid field; ``field`` is its JSON pointer."""
    return RequestError(422, detail, field)
