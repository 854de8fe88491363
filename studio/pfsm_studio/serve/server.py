"""The server: binds, announces itself, serves, and ends when everything accepted is answered."""

import asyncio
import socket
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import Scope
from uvicorn.protocols.http.h11_impl import H11Protocol

from pfsm.errors import PfsmError
from pfsm_studio.serve.app import App, Service, log
from pfsm_studio.serve.workbench import Workbench

# Seconds in which requests that are on their way to an ending server still reach it.
LINGERING = 0.3
_BACKLOG = 512


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


class _Server(uvicorn.Server):
    """uvicorn's server; it says to others that it ends before it closes connections."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - uvicorn's signature
        """The first signal ends the server gently, the second at once."""
        self.force_exit = self.should_exit
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answers what is under way."""
        self._service.ending = True
        log(f"ending; {self._service.figures.under_way} requests under way")
        await asyncio.sleep(LINGERING)
        await super().shutdown(sockets)

    def abort(self, scope: Scope) -> None:
        """Ends the connection that a request came by."""
        for connection in list(self.server_state.connections):
            cycle = getattr(connection, "cycle", None)
            if cycle is not None and cycle.scope is scope:
                connection.transport.abort()


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        PfsmError: If the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PfsmError(f"{host} port {port}: cannot listen there ({reason})") from None


def serve(listener: socket.socket, service: Service) -> None:
    """Serves until a signal comes and everything accepted is answered.

    Args:
        listener: A socket that listens.
        service: What the routes share.
    """
    limits = service.limits
    config = uvicorn.Config(
        _later,
        http=type("PatientProtocol", (PatientProtocol,), {"patience": limits.reading}),
        ws="none",
        lifespan="off",
        interface="asgi3",
        loop="asyncio",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=30,
        h11_max_incomplete_event_size=65_536,
    )
    workbench = Workbench()
    server = _Server(config, service)
    config.app = App(service, workbench.routes, workbench.assets, server.abort)
    try:
        server.run(sockets=[listener])
    finally:
        for pool in (service.pool, service.long):
            pool.shutdown(wait=not server.force_exit, cancel_futures=True)
    log(f"ended; {service.figures.answered} requests answered, {service.figures.under_way} lost")


async def _later(*_: object) -> None:
    """Stands in until the application is made, which needs the server."""
