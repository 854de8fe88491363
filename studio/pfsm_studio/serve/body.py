"""The bodies of requests: read within bounds of size and time."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from starlette.requests import Request

from pfsm_studio.serve.limits import Limits, RequestError

# Of a body that is too large: how many times the bound is read and dropped, and for how many seconds.
_DRAINED, _DRAINING = 4, 2.0
JSON, LINES = "application/json", "application/x-ndjson"


class Bodies:
    """Reads bodies; knows how many bytes of them the server holds at one time.

    Args:
        limits: Bounds of the service.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._held = 0

    async def whole(self, request: Request) -> bytes:
        """The body of a request.

        Raises:
            RequestError: If it is too large, comes too slowly, or too many others are being read.
        """
        parts = bytearray()
        try:
            async with asyncio.timeout(self._limits.reading):
                async for part in self.parts(request):
                    if self._held + len(part) > self._limits.bodies:
                        raise RequestError(503, "too many bodies are being read; try again", retry=1)
                    self._held += len(part)
                    parts += part
        except TimeoutError:
            raise RequestError(
                408, f"the body was not there after {self._limits.reading:g} seconds"
            ) from None
        finally:
            self._held -= len(parts)
        return bytes(parts)

    async def parts(self, request: Request) -> AsyncIterator[bytes]:
        """The body of a request as it comes.

        Raises:
            RequestError: If it is too large.
        """
        most, found = self._limits.body, 0
        declared = request.headers.get("content-length", "0")
        size = int(declared[:20]) if declared.isascii() and declared.isdigit() else 0
        if most < size:
            if size <= _DRAINED * most:
                await self._drain(request.stream())
            raise _too_large(most)
        stream = request.stream()
        async for part in stream:
            found += len(part)
            if found > most:
                await self._drain(stream)
                raise _too_large(most)
            if part:
                yield part

    async def _drain(self, stream: AsyncIterator[bytes]) -> None:
        """Takes some of what is too much, and drops it: a client that is cut off while it sends reads no answer."""
        most, found = _DRAINED * self._limits.body, 0
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DRAINING):
                async for part in stream:
                    found += len(part)
                    if found > most:
                        return


def _too_large(most: int) -> RequestError:
    return RequestError(413, f"the body is larger than {most} bytes; send several requests")


def media_type(request: Request) -> str:
    """The type of the body, which has to be UTF-8 and not compressed.

    Raises:
        RequestError: If it is another one.
    """
    name, _, options = request.headers.get("content-type", "").partition(";")
    charset = options.replace(" ", "").replace('"', "").lower()
    if name.strip().lower() not in {JSON, LINES} or charset not in {"", "charset=utf-8"}:
        raise RequestError(415, f"the content type must be {JSON}, or {LINES} for a stream")
    if request.headers.get("content-encoding", "identity") != "identity":
        raise RequestError(415, "the body must not be compressed")
    return name.strip().lower()
