"""Many clients at one time: everybody gets their own scores; ended under load, the server loses nothing."""

import json
import signal
import threading
from http.client import HTTPException

import numpy as np
import pytest

import pfsm
from tests.studio.serve.conftest import MODEL
from tests.studio.serve.running import JSON, LINES, Running, reply, streamed

WORDS = "the a cat dog house green red runs under quickly never Monday 3 ."


@pytest.fixture(scope="module", autouse=True)
def _extra() -> None:
    pytest.importorskip("starlette")


def drawn(rng: np.random.Generator, count: int) -> list[str]:
    return [" ".join(rng.choice(WORDS.split(), size=rng.integers(1, 12))) for _ in range(count)]


@pytest.fixture(scope="module")
def expected() -> pfsm.Metric:
    return pfsm.load(MODEL, threads=1)


def test_everybody_gets_their_own_scores(server: Running, expected: pfsm.Metric) -> None:
    wrong: list[object] = []

    def client(number: int) -> None:
        rng = np.random.default_rng(number)
        connection = server.connect()
        for size in (1, 7, 1, 150, 30, 1):
            hypotheses, references = drawn(rng, size), drawn(rng, size)
            body = json.dumps({"hypotheses": hypotheses, "references": references}).encode()
            connection.request("POST", "/v1/score", body, JSON)
            given = reply(connection.getresponse()).document["segment_scores"]
            if given != expected.score_pairs(hypotheses, references).tolist():
                wrong.append((number, size))
        connection.close()

    threads = [threading.Thread(target=client, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    figures = server.ask("GET", "/metrics").body.decode()
    assert "\npfsm_pairs_waiting 0.0\n" in figures


def test_a_client_may_send_everything_before_it_reads(server: Running, expected: pfsm.Metric) -> None:
    """Answers of 8,000 pairs fill the buffers between both, and the server reads on all the same."""
    rng = np.random.default_rng(1)
    hypotheses, references = drawn(rng, 8000), drawn(rng, 8000)
    pairs = [{"hypothesis": one, "reference": two} for one, two in zip(hypotheses, references, strict=True)]
    connection = server.connect()
    connection.request("POST", "/v1/score", streamed(pairs), LINES)
    *scores, end = map(json.loads, reply(connection.getresponse()).body.splitlines())
    connection.close()
    assert [one["score"] for one in scores] == expected.score_pairs(hypotheses, references).tolist()
    assert end["segments"] == 8000


def test_answers_of_a_stream_come_while_it_is_sent(server: Running) -> None:
    connection = server.connect()
    connection.putrequest("POST", "/v1/score")
    connection.putheader("content-type", LINES["content-type"])
    connection.putheader("transfer-encoding", "chunked")
    connection.endheaders()

    def send(data: bytes) -> None:
        connection.send(b"%x\r\n%s\r\n" % (len(data), data))

    send(streamed([{"hypothesis": "a", "reference": "a"}]))
    response = connection.getresponse()
    assert json.loads(response.readline())["segment"] == 0
    send(streamed([{"hypothesis": "a", "reference": "a b"}]))
    assert json.loads(response.readline())["segment"] == 1
    connection.send(b"0\r\n\r\n")
    assert json.loads(response.readline())["end"]
    connection.close()


def test_ended_under_load_nothing_accepted_is_lost(expected: pfsm.Metric) -> None:
    rng = np.random.default_rng(2)
    hypotheses, references = drawn(rng, 2000), drawn(rng, 2000)
    body = json.dumps({"hypotheses": hypotheses, "references": references}).encode()
    right = expected.score_pairs(hypotheses, references).tolist()
    answered: list[bool] = []
    cut: list[Exception] = []
    started = threading.Semaphore(0)

    def client() -> None:
        while True:
            connection = running.connect()
            try:
                connection.request("POST", "/v1/score", body, JSON)
                started.release()
                response = connection.getresponse()
            except (OSError, HTTPException):
                return  # not accepted any more
            else:
                try:
                    answered.append(reply(response).document["segment_scores"] == right)
                except (OSError, HTTPException) as error:
                    cut.append(error)
                    return
            finally:
                connection.close()

    with Running("--model", MODEL, "--threads", "2") as running:
        threads = [threading.Thread(target=client) for _ in range(8)]
        for thread in threads:
            thread.start()
        for _ in range(24):
            assert started.acquire(timeout=120)
        status = running.end(signal.SIGINT)
        for thread in threads:
            thread.join(120)
    assert status == 0
    assert cut == []
    assert all(answered)
    last = running.log[-1]
    assert f"ended; {len(answered)} requests answered, 0 lost" in last


def test_health_figures_and_the_description(server: Running) -> None:
    assert server.ask("GET", "/healthz").document == {"status": "ok"}
    assert server.ask("HEAD", "/healthz").body == b""
    server.ask("GET", "/nothing")
    figures = server.ask("GET", "/metrics")
    assert figures.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = figures.body.decode().splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert float(values['pfsm_requests_total{method="GET",route="other",status="404"}']) >= 1
    # The log holds no text of requests.
    server.post("/v1/score", {"hypotheses": ["secretword"], "references": ["a"]})
    server.ask("GET", "/secretpath?secretquery=1")
    assert "secret" not in "".join(server.log)
