"""What the server counts, in the text format of Prometheus."""

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

from pfsm.serve.batching import Batcher
from pfsm.version import __version__

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# Upper ends of the histogram of times, in seconds.
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Figures:
    """Requests by route and status, and their times. Routes are the server's own, never text of a request.

    Args:
        batcher: What scores, whose pairs are counted too.
    """

    def __init__(self, batcher: Batcher) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.under_way = self.answered = 0
        self._registry = registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("pfsm_requests_total", "Answered requests.", labels, registry=registry)
        about = "Seconds from the head of a request to its answer."
        self._times = Histogram("pfsm_request_seconds", about, ("route",), buckets=BOUNDS, registry=registry)
        Gauge("pfsm_info", "The version of pfsm.", ("version",), registry=registry).labels(__version__).set(1)
        for name, told, figure in (
            ("pfsm_requests_under_way", "Requests that are not answered yet.", lambda: self.under_way),
            ("pfsm_pairs_waiting", "Pairs that are waiting or being scored.", lambda: batcher.waiting),
        ):
            Gauge(name, told, registry=registry).set_function(figure)
        for counter in (batcher.pairs, batcher.batches, batcher.portions):
            registry.register(counter)

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts an answered request."""
        self.answered += 1
        self._requests.labels(method, route, str(status)).inc()
        self._times.labels(route).observe(seconds)

    def text(self) -> bytes:
        """All figures."""
        return generate_latest(self._registry)
