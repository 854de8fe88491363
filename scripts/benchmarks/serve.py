"""``pfsm serve`` against the library alone: pairs a second, and how long single pairs wait under load.

    PFSM_DATA=… python scripts/benchmarks/serve.py [MODEL [PAIRS]]

The library scores real pairs by 100 in a process of its own. The server gets the same batches from clients in another
process, and as a stream. Then single pairs are sent one after the other: to an idle server, and to one that clients
with batches keep busy. Everything runs on this machine, so clients and server share its processors. Scores are
compared with the library's. Processor time, of the library's process or of the server's, says more than the clock where
other programs run meanwhile.
"""

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import IO

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from real_data import data_folder, distinct_pairs, into_english
from stopwatch import machine

import pfsm

BATCH, RUNS, CLIENTS, SINGLES = 100, 3, (1, 2, 4), 500
JSON, LINES = {"content-type": "application/json"}, {"content-type": "application/x-ndjson"}
Batches = Sequence[tuple[list[str], list[str]]]


def main() -> None:
    """Measures the library, then the server, run by run in turn."""
    model = sys.argv[1] if len(sys.argv) > 1 else "en-fast"
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 5_000
    data = data_folder()
    sets = [path for name in ("wmt15-daseg", "wmt16-daseg", "wmt21-da") for path in into_english(data / name)]
    references, hypotheses = distinct_pairs(sets)
    batches = [
        (hypotheses[first : first + BATCH], references[first : first + BATCH])
        for first in range(0, number, BATCH)
    ]
    print(f"## pfsm serve, model {model}\n\n{machine()}\n\n{number:,} pairs, median of {RUNS} runs\n")
    with tempfile.TemporaryFile("w+") as log:
        command = [sys.executable, "-m", "pfsm", "serve", "--port", "0", "--model", model]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            assert server.stderr is not None
            found = None
            while found is None:
                found = re.search(r"http://127\.0\.0\.1:(\d+)", server.stderr.readline())
            threading.Thread(target=_drained, args=(server.stderr, log), daemon=True).start()
            measure(model, server.pid, int(found[1]), batches)
        finally:
            server.terminate()
            server.wait()


def _drained(source: IO[str], log: IO[str]) -> None:
    log.writelines(source)


def measure(model: str, server: int, port: int, batches: Batches) -> None:
    """Prints pairs a second, and how long single pairs take; ``server`` is the number of the server's process."""
    pairs = sum(len(hypotheses) for hypotheses, _ in batches)
    context = get_context("spawn")
    with context.Pool(1) as library, context.Pool(1) as clients:
        right = library.apply(alone, (model, batches))[2]
        rows: dict[str, list[tuple[float, float]]] = {}
        for _ in range(RUNS):
            rows.setdefault("library alone", []).append(library.apply(alone, (model, batches))[:2])
            for number in (*CLIENTS, 0):
                before = processor_time(server)
                seconds, scores = clients.apply(together if number else stream, (port, batches, number))
                assert scores == right, "the server's scores are not the library's"
                name = f"server, {number} client{'s' * (number > 1)}" if number else "server, one stream"
                rows.setdefault(name, []).append((seconds, processor_time(server) - before))
        first = np.median(rows["library alone"], axis=0)
        print("| batches of 100 | pairs/s | ratio | pairs per CPU second | ratio |\n|---|--:|--:|--:|--:|")
        for name, values in rows.items():
            wall, processor = np.median(values, axis=0)
            by_clock = f"{pairs / wall:,.0f} | {first[0] / wall:.2f}"
            print(f"| {name} | {by_clock} | {pairs / processor:,.0f} | {first[1] / processor:.2f} |")
        print("\n| single pairs | median ms | p99 ms |\n|---|--:|--:|")
        for name, number in (("idle", 0), ("2 clients with batches of 100", 2)):
            times = clients.apply(singles, (port, batches, number))
            print(f"| {name} | {1000 * np.median(times):.1f} | {1000 * np.quantile(times, 0.99):.1f} |")


def processor_time(process: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = (
        Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    )
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def alone(model: str, batches: Batches) -> tuple[float, float, list[float]]:
    """Seconds that the library takes, those of the processor, and its scores."""
    metric = _metrics.setdefault(model, pfsm.load(model))
    scores: list[float] = []
    begun, processor = time.perf_counter(), time.process_time()
    for hypotheses, references in batches:
        scores += metric.score_pairs(hypotheses, references).tolist()
    return time.perf_counter() - begun, time.process_time() - processor, scores


_metrics: dict[str, pfsm.Metric] = {}


def together(port: int, batches: Batches, number: int) -> tuple[float, list[float]]:
    """Seconds that clients with a connection each take for all batches, and the scores in order."""
    bodies = [_body(*batch) for batch in batches]
    found: dict[int, list[float]] = {}
    waiting = iter(range(len(bodies)))

    def client() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for place in waiting:
            found[place] = _scores(connection, bodies[place])
        connection.close()

    threads = [threading.Thread(target=client) for _ in range(number)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - begun
    return seconds, [score for place in sorted(found) for score in found[place]]


def stream(port: int, batches: Batches, clients: int) -> tuple[float, list[float]]:  # noqa: ARG001
    """The same of one stream."""
    pairs = [pair for hypotheses, references in batches for pair in zip(hypotheses, references, strict=True)]
    lines = [json.dumps({"hypothesis": one, "reference": two}).encode() + b"\n" for one, two in pairs]
    body = b"".join(lines)
    begun = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", "/v1/score", body, LINES)
    *answers, end = connection.getresponse().read().splitlines()
    seconds = time.perf_counter() - begun
    connection.close()
    assert json.loads(end)["end"]
    return seconds, [json.loads(answer)["score"] for answer in answers]


def singles(port: int, batches: Batches, number: int) -> list[float]:
    """Seconds that each of many single pairs takes while other clients send batches."""
    ended = threading.Event()

    def busy() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        while not ended.is_set():
            for batch in batches:
                _scores(connection, _body(*batch))
                if ended.is_set():
                    break
        connection.close()

    threads = [threading.Thread(target=busy) for _ in range(number)]
    for thread in threads:
        thread.start()
    connection = http.client.HTTPConnection("127.0.0.1", port)
    times = []
    # A connection, and what is made at the first request, are not timed.
    _scores(connection, _body(["a"], ["b"]))
    pairs = [(batch[0][k], batch[1][k]) for k in range(BATCH) for batch in batches if k < len(batch[0])]
    for hypothesis, reference in pairs[:SINGLES]:
        single = _body([hypothesis], [reference])
        begun = time.perf_counter()
        _scores(connection, single)
        times.append(time.perf_counter() - begun)
    ended.set()
    for thread in threads:
        thread.join()
    connection.close()
    return times


def _body(hypotheses: Sequence[str], references: Sequence[str]) -> bytes:
    return json.dumps({"hypotheses": hypotheses, "references": references}).encode()


def _scores(connection: http.client.HTTPConnection, body: bytes) -> list[float]:
    connection.request("POST", "/v1/score", body, JSON)
    scores: list[float] = json.loads(connection.getresponse().read())["segment_scores"]
    return scores


if __name__ == "__main__":
    main()
