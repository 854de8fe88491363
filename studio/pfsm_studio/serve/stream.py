"""``POST /v1/score`` with many pairs: a line of JSON for each comes in, a line for each goes out.

Pairs are read and scored while answers are sent, and scores that the client has not taken yet wait: eight bytes each.
So a client may first send everything and then read, or read while it sends.
"""

import asyncio
import json
from array import array
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Literal

import numpy as np
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pfsm.text.scripts import lines_without_spaces
from pfsm_studio.serve.answers import check_spaces, doubts, scores
from pfsm_studio.serve.batching import MOST_PAIRS, Batcher
from pfsm_studio.serve.body import LINES
from pfsm_studio.serve.limits import Limits, RequestError, invalid
from pfsm_studio.serve.model_pool import LoadedModel
from pfsm_studio.serve.requests import StreamedPair, parse, request_of

# Escapes may make a line this many times as long as its text; and what stands around the text.
_ESCAPED, _AROUND = 6, 200
_MOST_REFERENCES = 20
# References by which a language is guessed.
_LOOKED_AT = 1_000
VARIOUS: Literal["var"] = "var"


class Streamed(Response):
    """An answer in parts. Starlette's own would read the body of the request meanwhile, which is still to be scored."""

    media_type = LINES

    def __init__(self, parts: AsyncIterator[bytes]) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Sends the parts as they come."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async for part in self._parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class ScoreStream:
    """Scores of a stream of pairs.

    Args:
        batcher: Scores them.
        loaded: The model.
        limits: Bounds of the service.
        deadline: On the clock of `time.monotonic`.
        force: As of `pfsm_studio.serve.answers.check_text`.
    """

    def __init__(
        self, batcher: Batcher, loaded: LoadedModel, limits: Limits, deadline: float, force: bool
    ) -> None:
        self._batcher, self._loaded, self._limits, self._deadline = batcher, loaded, limits, deadline
        self._force = force
        self._scores = array("d")
        self._sent = 0
        self._news = asyncio.Event()
        self._counts: set[int] = set()
        self._unspaced, self._seen = 0, 0
        self._first: list[str] = []
        self._pairs = 0
        self._longest = (1 + _MOST_REFERENCES) * limits.line * _ESCAPED + _AROUND

    async def answers(self, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Lines of the answer: ``{"segment": 0, "score": …}`` for each pair in order, then one with ``"end": true``.

        A problem ends the answer: ``{"problem": …}`` is its last line then.
        """
        reading = asyncio.create_task(self._read(body))
        reading.add_done_callback(lambda _: self._news.set())
        try:
            while True:
                finished = reading.done()
                self._news.clear()
                if self._sent < len(self._scores):
                    yield self._unsent()
                elif finished:
                    break
                else:
                    await self._news.wait()
            try:
                await reading
                yield _line(await self._end())
            except RequestError as error:
                yield _line({"problem": error.document()})
        finally:
            reading.cancel()

    def _unsent(self) -> bytes:
        first, found = self._sent, self._scores[self._sent : self._sent + 1000]
        self._sent += len(found)
        return b"".join(_line({"segment": first + k, "score": score}) for k, score in enumerate(found))

    async def _read(self, body: AsyncIterator[bytes]) -> None:
        """Scores what comes; what has come together is scored together."""
        await self._batcher.run(lambda: self._loaded.metric)
        rest = b""
        async for part in body:
            *complete, rest = (rest + part).split(b"\n")
            if len(rest) > self._longest:
                raise RequestError(413, f"line {self._pairs + len(complete) + 1} is too long")
            await self._take(complete)
        await self._take([rest])

    async def _take(self, complete: Sequence[bytes]) -> None:
        pairs = [self._pair(line) for line in complete if line.strip()]
        for first in range(0, len(pairs), MOST_PAIRS):
            await self._score(pairs[first : first + MOST_PAIRS])

    def _pair(self, line: bytes) -> tuple[str, Sequence[str]]:
        self._pairs += 1
        where = f"line {self._pairs}"
        if self._pairs > self._limits.streamed:
            raise RequestError(413, f"more than {self._limits.streamed} pairs; send several streams")
        if len(line) > self._longest:
            raise RequestError(413, f"{where} is too long")
        try:
            pair = request_of(parse(line, where), StreamedPair, self._limits)
        except RequestError as error:
            at = f"/{self._pairs - 1}{error.field or ''}"
            raise RequestError(
                error.status, f"{where}: {error.detail.removeprefix(where + ' ')}", at
            ) from None
        references = pair.all_references
        if len(references) > _MOST_REFERENCES:
            raise invalid(f"/{self._pairs - 1}/references", f"{where}: at most {_MOST_REFERENCES} references")
        return pair.hypothesis, references

    async def _score(self, pairs: Sequence[tuple[str, Sequence[str]]]) -> None:
        hypotheses, references = [one for one, _ in pairs], [several for _, several in pairs]
        first = len(self._scores)
        try:
            found = await scores(self._batcher, self._loaded, hypotheses, references, self._deadline, "")
        except RequestError as error:
            raise _later(error, first) from None
        self._counts.update(map(len, references))
        if not self._force:
            await self._look_at([line for several in references for line in several])
        self._scores.extend(found.tolist())
        self._news.set()

    async def _look_at(self, lines: Sequence[str]) -> None:
        self._first += lines[: max(0, _LOOKED_AT - len(self._first))]
        if self._loaded.metric.needs_spaces:
            unspaced, seen = await self._batcher.run(partial(lines_without_spaces, lines))
            self._unspaced, self._seen = self._unspaced + unspaced, self._seen + seen

    async def _end(self) -> dict[str, object]:
        if not self._scores:
            raise RequestError(422, "no pairs; every line is an object with hypothesis and reference")
        check_spaces(self._loaded.name, self._unspaced, self._seen)
        warned = await self._batcher.run(partial(doubts, self._loaded, self._first))
        named = self._loaded.named(self._counts.copy().pop() if len(self._counts) == 1 else VARIOUS)
        return {
            "end": True,
            "name": named["name"],
            "score": float(np.array(self._scores).mean()),
            "signature": named["signature"],
            "short_signature": named["short_signature"],
            "segments": len(self._scores),
            "segment_signature": named["segment_signature"],
            **({"warnings": warned} if warned else {}),
        }


def _later(error: RequestError, first: int) -> RequestError:
    """The error with the place of its pair in the stream."""
    number = (error.field or "").rpartition("/")[2]
    if not number.isdigit():
        return error
    place = first + int(number)
    return RequestError(error.status, f"line {place + 1}: {error.detail}", f"/{place}")


def _line(document: dict[str, object]) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode("utf-8") + b"\n"
