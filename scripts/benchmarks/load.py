"""Latency of `pfsm serve` under mixed load: one-pair requests beside large ones of long lines.

    python scripts/benchmarks/load.py [--model en-fast] [--seconds 30] [--pairs 300] [--words 2000]

Prints p50, p99 and the longest wait of each size of request, of ``/healthz``, and what was refused.
"""

import argparse
import http.client
import json
import re
import subprocess
import sys
import threading
import time
from collections import defaultdict

import numpy as np

_LONG = 600.0


def main() -> None:
    """Starts the server, loads it, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", default="en-fast")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--words", type=int, default=2000)
    options = parser.parse_args()
    command = [sys.executable, "-m", "pfsm", "serve", "--port", "0", "--model", options.model]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        line = next(line for line in server.stderr if "serving on" in line)
        threading.Thread(target=server.stderr.read, daemon=True).start()
        found = re.search(r":(\d+)", line.partition("//")[2])
        assert found is not None
        try:
            _load(int(found[1]), options)
        finally:
            server.terminate()


def _load(port: int, options: argparse.Namespace) -> None:
    waited: dict[str, list[float]] = defaultdict(list)
    refused: dict[str, int] = defaultdict(int)
    random = np.random.default_rng(0)
    words = [f"word{number}" for number in range(500)]

    def text(count: int) -> str:
        return " ".join(random.choice(words, count))

    # One word again and again: nothing ends its lattice early. A word that differs keeps it from being perfect.
    equal = " ".join(["w"] * (options.words - 1))
    bodies = {
        f"{options.pairs} pairs of {options.words} equal words": (f"{equal} a", f"{equal} b", options.pairs),
        "50 pairs of 25 words": (text(25), text(25), 50),
        "1 pair of 10 words": (text(10), text(10), 1),
    }

    def client(name: str, method: str, path: str, body: bytes | None, end: float) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_LONG)
        headers = {"content-type": "application/json"} if body else {}
        while not waited[name] or time.monotonic() < end:
            begun = time.monotonic()
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            answer.read()
            waited[name].append(time.monotonic() - begun)
            refused[name] += answer.status != 200
            time.sleep(0.02)

    client("", "POST", "/v1/score", _body("a b", "a c", 20), 0.0)  # compiles what is compiled once
    waited.clear()
    end = time.monotonic() + options.seconds
    clients: list[tuple[str, str, str, bytes | None, float]] = [
        (name, "POST", "/v1/score", _body(*parts), end) for name, parts in bodies.items()
    ]
    clients.append(("healthz", "GET", "/healthz", None, end))
    threads = [threading.Thread(target=client, args=one) for one in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, seconds in waited.items():
        p50, p99 = np.percentile(seconds, [50, 99])
        told = f"{len(seconds):5d} requests, {refused[name]} refused"
        print(f"{name:34} p50 {p50:7.3f} s  p99 {p99:7.3f} s  longest {max(seconds):7.3f} s  {told}")


def _body(hypothesis: str, reference: str, count: int) -> bytes:
    return json.dumps({"hypotheses": [hypothesis] * count, "references": [reference] * count}).encode()


if __name__ == "__main__":
    main()
