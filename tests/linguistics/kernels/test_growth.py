"""A sentence whose sum over trees cancels does not take time by the cube of its length."""

from pfsm.metrics.registry import get_metric
from tests.core.evaluation.test_growth import check_growth


def _full_stops(n: int) -> None:
    get_metric("edpm-exact").score_pairs([". " * n], ["A bird sang."])


def test_full_stops() -> None:
    check_growth(_full_stops, (40, 80, 160))
