"""One connection: as uvicorn has it, but a head that comes too slowly ends it."""

import asyncio
import socket
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


class PatientProtocol(H11Protocol):
    """A connection that waits `patience` seconds for the head of a request.

    The time begins with the connection, and again with the first byte that comes when an answer is complete.
    """

    patience = 20.0
    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Starts the clock."""
        super().connection_made(transport)
        # An answer is written in parts. asyncio sends them at once only from sockets that name TCP, which those of
        # `socket.create_server` do not: each answer would wait 40 ms for the client to acknowledge its head.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Stops the clock where a head is complete, starts it where one has begun."""
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop()
        elif self._idle:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops the clock."""
        self._stop()
        super().connection_lost(exc)

    @property
    def _idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        if self._clock is None:
            self._clock = self.loop.call_later(self.patience, self._give_up)

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _give_up(self) -> None:
        self._clock = None
        if self._idle:
            self.transport.close()


def patient_for(seconds: float) -> type[PatientProtocol]:
    """Connections with this patience."""
    return type("PatientProtocol", (PatientProtocol,), {"patience": seconds})
