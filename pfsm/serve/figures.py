"""What the server counts, in the text format of Prometheus."""

from collections import Counter
from collections.abc import Iterator

from pfsm.serve.batching import Batcher
from pfsm.version import __version__

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# Upper ends of the histogram of times, in seconds.
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Figures:
    """Requests by route and status, and their times. Routes are the server's own, never text of a request."""

    def __init__(self) -> None:
        self.under_way = 0
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._times: dict[str, list[int]] = {}
        self._sums: Counter[str] = Counter()

    @property
    def answered(self) -> int:
        """Requests answered so far."""
        return sum(self._requests.values())

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts an answered request."""
        self._requests[method, route, status] += 1
        counts = self._times.setdefault(route, [0] * (len(BOUNDS) + 1))
        counts[sum(seconds > bound for bound in BOUNDS)] += 1
        self._sums[route] += seconds  # type: ignore[assignment]

    def text(self, batcher: Batcher) -> str:
        """All figures."""
        return "\n".join([*self._lines(), *_of_batcher(batcher), ""])

    def _lines(self) -> Iterator[str]:
        yield from _head("pfsm_info", "gauge", "The version of pfsm.")
        yield f'pfsm_info{{version="{__version__}"}} 1'
        yield from _head("pfsm_requests_under_way", "gauge", "Requests that are not answered yet.")
        yield f"pfsm_requests_under_way {self.under_way}"
        yield from _head("pfsm_requests_total", "counter", "Answered requests.")
        for (method, route, status), count in sorted(self._requests.items()):
            yield f'pfsm_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
        yield from _head(
            "pfsm_request_seconds", "histogram", "Seconds from the head of a request to its answer."
        )
        for route, counts in sorted(self._times.items()):
            total = 0
            for bound, count in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
                total += count
                yield f'pfsm_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}'
            yield f'pfsm_request_seconds_sum{{route="{route}"}} {self._sums[route]:.6f}'
            yield f'pfsm_request_seconds_count{{route="{route}"}} {total}'


def _of_batcher(batcher: Batcher) -> Iterator[str]:
    tally = batcher.tally
    yield from _head("pfsm_pairs_waiting", "gauge", "Pairs that are waiting or being scored.")
    yield f"pfsm_pairs_waiting {batcher.waiting}"
    yield from _head("pfsm_pairs_total", "counter", "Pairs scored, by model.")
    for name, count in sorted(tally.by_model.items()):
        yield f'pfsm_pairs_total{{model="{name}"}} {count}'
    yield from _head(
        "pfsm_batches_total", "counter", "Calls of a model, each with pairs of one or more requests."
    )
    yield f"pfsm_batches_total {tally.batches}"
    yield from _head("pfsm_portions_total", "counter", "Portions of requests in these calls.")
    yield f"pfsm_portions_total {tally.portions}"


def _head(name: str, kind: str, text: str) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]
