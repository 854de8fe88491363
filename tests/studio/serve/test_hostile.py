"""Requests that a client should not make: each is refused with a problem, and the server goes on."""

import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.studio.serve.conftest import MODEL
from tests.studio.serve.running import JSON, LINES, Running, streamed

PAIR: dict[str, Any] = {"hypotheses": ["a b"], "references": ["a c"]}
SYSTEM = {"name": "one", "hypotheses": ["a b"]}
HEAD = b"POST /v1/score HTTP/1.1\r\nHost: localhost:%d\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def narrow() -> Iterator[Running]:
    """A server with small bounds."""
    pytest.importorskip("starlette")
    bounds = "--max-body 1 --max-pairs 50 --max-stream-pairs 60 --max-line 500 --read-timeout 3"
    with Running("--model", MODEL, *bounds.split()) as running:
        yield running


@pytest.fixture(autouse=True)
def _goes_on(server: Running) -> Iterator[None]:
    yield
    assert server.post("/v1/score", PAIR).document["segments"] == 1
    assert not [line for line in server.log if "fault" in line or "Traceback" in line]


BODIES: list[tuple[bytes, int]] = [
    (b"", 400),
    (b"{", 400),
    (b"[" * 100_000, 400),
    (b"\xff\xfe", 400),
    (b'{"hypotheses": ["a"], "references": ["a"], "resamples": NaN}', 400),
    (b'{"hypotheses": ["a"], "references": ["a"], "resamples": ' + b"9" * 5000 + b"}", 400),
    (b'{"hypotheses": ["a"], "references": ["a"], "model": "x", "model": "en"}', 400),
    (b"[]", 422),
    (b'"text"', 422),
]


@pytest.mark.parametrize("path", ["/v1/score", "/v1/compare", "/v1/explain"])
def test_bodies_that_are_no_requests(server: Running, path: str) -> None:
    for body, status in BODIES:
        assert server.ask("POST", path, body, JSON).problem["status"] == status, body


FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"hypotheses": ["a"]}, "/references"),
    ({"hypotheses": "a", "references": ["a"]}, "/hypotheses"),
    ({"hypotheses": [], "references": []}, "/hypotheses"),
    ({"hypotheses": ["a"], "references": ["a", "b"]}, "/hypotheses"),
    ({"hypotheses": ["a", 1], "references": ["a", "b"]}, "/hypotheses/1"),
    ({"hypotheses": ["a"], "references": [[]]}, "/references/0"),
    ({"hypotheses": ["a"], "references": [["a", 2]]}, "/references/0/1"),
    ({"hypotheses": ["a", "b"], "references": ["a", ["b"]]}, "/references/1"),
    ({"hypotheses": ["a\nb"], "references": ["a"]}, "/hypotheses/0"),
    ({"hypotheses": ["a", "\ud800"], "references": ["a", "b"]}, "/hypotheses/1"),
    ({**PAIR, "model": "/etc/passwd"}, "/model"),
    ({**PAIR, "model": "../../x.json"}, "/model"),
    ({**PAIR, "model": "en\x00"}, "/model"),
    ({**PAIR, "confidence": 1}, "/confidence"),
    ({**PAIR, "resamples": True}, "/resamples"),
    ({**PAIR, "resamples": 1e3}, "/resamples"),
    ({**PAIR, "resamples": 10**9}, "/resamples"),
    ({**PAIR, "a/b~c": "x"}, "/a~1b~0c"),
]


def test_fields_that_are_not_what_they_must_be(server: Running) -> None:
    for asked, field in FIELDS:
        problem = server.post("/v1/score", asked).problem
        assert (problem["status"], problem["field"]) == (422, field)
        assert "\n" not in problem["detail"]


SYSTEMS: list[tuple[list[Any], str]] = [
    ([SYSTEM], "/systems"),
    ([SYSTEM, SYSTEM], "/systems/1/name"),
    ([SYSTEM, {"name": "two", "hypotheses": ["a", "b"]}], "/systems/1/hypotheses"),
    ([SYSTEM, {"name": "two", "hypotheses": ["a"], "more": 1}], "/systems/1/more"),
    ([{"name": str(k), "hypotheses": ["a"]} for k in range(21)], "/systems"),
]


def test_systems_that_cannot_be_compared(server: Running) -> None:
    for systems, field in SYSTEMS:
        problem = server.post("/v1/compare", {"systems": systems, "references": ["a"]}).problem
        assert (problem["status"], problem["field"]) == (422, field)
    # Null bytes are text, as in files.
    assert server.post("/v1/score", {"hypotheses": ["a\x00b"], "references": ["a"]}).status == 200


def test_other_types_of_bodies(server: Running) -> None:
    for headers in (
        {},
        {"content-type": "text/plain"},
        {"content-type": "application/json; charset=latin-1"},
        {**JSON, "content-encoding": "gzip"},
    ):
        assert server.ask("POST", "/v1/score", json.dumps(PAIR).encode(), headers).problem["status"] == 415


def test_paths_and_methods(server: Running) -> None:
    for path in ("/nothing", "/v1", "/v1/score/", "/..%2f..%2fetc/passwd", "//v1/score", "/v2/score"):
        assert server.ask("GET", path).problem["status"] == 404
    assert server.ask("GET", "/v1/score").problem["status"] == 405
    assert server.ask("GET", "/v1/score").headers["allow"] == "POST"
    assert server.ask("DELETE", "/v1/models").problem["status"] == 405


def test_bounds(narrow: Running) -> None:
    long, many = "x" * 501, ["a"] * 51
    asked = {"hypotheses": ["a", long], "references": ["a", "b"]}
    problem = narrow.post("/v1/score", asked).problem
    assert (problem["status"], problem["field"]) == (413, "/hypotheses/1")
    assert narrow.post("/v1/score", {"hypotheses": many, "references": many}).problem["status"] == 413
    two = {"hypotheses": ["a"] * 26, "references": [["a", "b"]] * 26}
    assert narrow.post("/v1/score", two).problem["status"] == 413
    systems = [{"name": name, "hypotheses": ["a"] * 26} for name in ("one", "two")]
    compared = {"systems": systems, "references": ["a"] * 26}
    assert narrow.post("/v1/compare", compared).problem["status"] == 413
    assert narrow.post("/v1/score", {"hypotheses": ["a"] * 50, "references": ["a"] * 50}).status == 200


def test_a_body_that_is_too_large(narrow: Running) -> None:
    declared = {**JSON, "content-length": str(1 << 40)}
    assert narrow.ask("POST", "/v1/score", b"{", declared).problem["status"] == 413
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    head = HEAD % narrow.port + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    answer = narrow.raw(head + 20 * chunk + b"0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_stream_that_breaks(narrow: Running) -> None:
    good = {"hypothesis": "a", "reference": "a"}
    cases: list[tuple[bytes, int, str | None]] = [
        (streamed([good] * 3) + b"{\n", 400, "/3"),
        (streamed([good, {"hypothesis": "a"}]), 422, "/1/reference"),
        (streamed([good, {**good, "references": ["a"]}]), 422, "/1/reference"),
        (streamed([good, {**good, "hypothesis": "x" * 501}]), 413, "/1/hypothesis"),
        (streamed([good] * 61), 413, None),
        (b"x" * 900_000, 413, None),
        (b"\n\n", 422, None),
    ]
    for body, status, field in cases:
        lines = list(map(json.loads, narrow.ask("POST", "/v1/score", body, LINES).body.splitlines()))
        problem = lines[-1]["problem"]
        assert problem["status"] == status, problem
        assert problem.get("field") == field


def test_parameters_of_a_stream_and_what_is_no_http(server: Running) -> None:
    pair = streamed([{"hypothesis": "a", "reference": "a"}])
    assert server.ask("POST", "/v1/score?model=none", pair, LINES).problem["field"] == "/model"
    assert server.ask("POST", "/v1/score?path=x", pair, LINES).problem["status"] == 422

    for data in (b"\x16\x03\x01 hello\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: " + b"x" * 100_000 + b"\r\n"):
        assert b" 400 " in server.raw(data).partition(b"\r\n")[0]


def test_a_slow_head_and_a_slow_body_are_given_up(narrow: Running) -> None:
    """The bound on reading is short here; a body comes a byte at a time and never ends."""
    with socket.create_connection(("127.0.0.1", narrow.port), timeout=60) as silent:
        silent.sendall(b"POST /v1/score HTTP/1.1\r\nHost: ")
        assert silent.recv(100) == b""
    with socket.create_connection(("127.0.0.1", narrow.port), timeout=60) as slow:
        slow.sendall(HEAD % narrow.port + b"Content-Length: 1000\r\n\r\n")
        slow.settimeout(0.1)
        answer = b""
        end = time.monotonic() + 60
        while not answer and time.monotonic() < end:
            slow.sendall(b" ")
            try:
                answer = slow.recv(1 << 16)
            except TimeoutError:
                continue
        assert answer.startswith(b"HTTP/1.1 408 ")
    assert narrow.post("/v1/score", PAIR).status == 200
