"""What the server counts, in the text format of Prometheus."""

from collections.abc import Iterator

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

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
        self._batcher, self._registry = batcher, CollectorRegistry()
        self._requests = Counter(
            "pfsm_requests_total",
            "Answered requests.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._times = Histogram(
            "pfsm_request_seconds",
            "Seconds from the head of a request to its answer.",
            ("route",),
            buckets=BOUNDS,
            registry=self._registry,
        )
        info = Gauge("pfsm_info", "The version of pfsm.", ("version",), registry=self._registry)
        info.labels(__version__).set(1)
        self._registry.register(self)

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts an answered request."""
        self.answered += 1
        self._requests.labels(method, route, str(status)).inc()
        self._times.labels(route).observe(seconds)

    def collect(self) -> Iterator[Metric]:
        """Figures that are counted elsewhere, as `prometheus_client` asks for them."""
        tally = self._batcher.tally
        yield GaugeMetricFamily(
            "pfsm_requests_under_way", "Requests that are not answered yet.", self.under_way
        )
        yield GaugeMetricFamily(
            "pfsm_pairs_waiting", "Pairs that are waiting or being scored.", self._batcher.waiting
        )
        pairs = CounterMetricFamily("pfsm_pairs", "Pairs scored, by model.", labels=("model",))
        for name, count in sorted(tally.by_model.items()):
            pairs.add_metric((name,), count)
        yield pairs
        yield CounterMetricFamily(
            "pfsm_batches", "Calls of a model, each with pairs of one or more requests.", tally.batches
        )
        yield CounterMetricFamily("pfsm_portions", "Portions of requests in these calls.", tally.portions)

    def text(self) -> bytes:
        """All figures."""
        return generate_latest(self._registry)
