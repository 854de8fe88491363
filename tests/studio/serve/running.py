"""A server in a process of its own, and a client for it."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

ANNOUNCED = re.compile(r"serving on http://(?:\[(.+)\]|([^:/]+)):(\d+)")
JSON = {"content-type": "application/json"}
LINES = {"content-type": "application/x-ndjson"}
PATIENCE = 300


@dataclass(frozen=True)
class Reply:
    """An answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        """The JSON of a request that succeeded."""
        assert self.status == 200, self
        return json.loads(self.body)

    @property
    def problem(self) -> dict[str, Any]:
        """The problem of a request that was refused."""
        assert self.headers["content-type"] == "application/problem+json", self
        document: dict[str, Any] = json.loads(self.body)
        assert document["status"] == self.status
        return document


class Running:
    """``pfsm serve`` with some arguments, on a free port; use it in a with statement."""

    def __init__(self, *arguments: str, variables: Mapping[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "pfsm", "serve", "--port", "0", *arguments]
        self.process = subprocess.Popen(
            command, env={**os.environ, **(variables or {})}, stderr=subprocess.PIPE, text=True
        )
        self.log: list[str] = []
        self._announced = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._announced.wait(PATIENCE), self.log
        match = next(filter(None, map(ANNOUNCED.search, self.log)), None)
        assert match is not None, self.log
        self.host, self.port = match[1] or match[2], int(match[3])

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(line.rstrip("\n"))
            if ANNOUNCED.search(line):
                self._announced.set()
        self._announced.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.end()

    def end(self, sign: signal.Signals = signal.SIGTERM) -> int:
        """Sends a signal and waits; the exit status."""
        self.process.send_signal(sign)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self._reader.join(PATIENCE)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return status

    def connect(self) -> http.client.HTTPConnection:
        """A connection."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """One request by a connection of its own."""
        connection = self.connect()
        try:
            connection.request(method, path, body, dict(headers or {}))
            return reply(connection.getresponse())
        finally:
            connection.close()

    def post(self, path: str, document: object, headers: Mapping[str, str] | None = None) -> Reply:
        """A request with a body in JSON."""
        return self.ask("POST", path, json.dumps(document).encode(), {**JSON, **(headers or {})})

    def raw(self, data: bytes) -> bytes:
        """All that the server answers to bytes, until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            connection.sendall(data)
            parts = []
            while part := connection.recv(1 << 16):
                parts.append(part)
            return b"".join(parts)


def reply(response: http.client.HTTPResponse) -> Reply:
    """A response, read to its end."""
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Reply(response.status, headers, response.read())


def streamed(pairs: Sequence[Mapping[str, object]]) -> bytes:
    """The body of a stream."""
    return b"".join(json.dumps(pair).encode() + b"\n" for pair in pairs)
