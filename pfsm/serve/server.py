"""The server: binds, announces itself, serves, and ends when everything accepted is answered."""

import asyncio
import socket
import sys
from types import FrameType

import uvicorn
from starlette.types import Scope

from pfsm.errors import PfsmError
from pfsm.serve.app import App, log
from pfsm.serve.connection import patient_for
from pfsm.serve.service import Service
from pfsm.serve.workbench.routes import Workbench

# Seconds in which requests that are on their way to an ending server still reach it.
LINGERING = 0.3
_BACKLOG = 512


class _Server(uvicorn.Server):
    """uvicorn's server; it says to others that it ends before it closes connections."""

    def __init__(self, config: uvicorn.Config, service: Service, workbench: Workbench) -> None:
        super().__init__(config)
        self._service, self._workbench = service, workbench

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
        await self._workbench.trainings.close()

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
        http=patient_for(limits.reading),
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
    workbench = Workbench(service)
    server = _Server(config, service, workbench)
    config.app = App(service, workbench.routes, workbench.assets, server.abort)
    try:
        server.run(sockets=[listener])
    finally:
        service.pool.shutdown(wait=not server.force_exit, cancel_futures=True)
    log(f"ended; {service.figures.answered} requests answered, {service.figures.under_way} lost")
    sys.stderr.flush()


async def _later(*_: object) -> None:
    """Stands in until the application is made, which needs the server."""
