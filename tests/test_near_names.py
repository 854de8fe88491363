"""Names that are not there: what a message says of those that are."""

import pytest

from pfsm.metrics.registry import feature_names, metric_names
from pfsm.near_names import known_names
from pfsm.settings import KEYS

LISTING = "`pfsm metrics`"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("chrff", "did you mean chrf or chrf++? "),
        ("BLEU", "did you mean bleu? "),
        ("rouge", "did you mean rouge-w, rouge-s or rouge-l? "),
        ("meteorr(task=hter)", "did you mean meteor? "),
        ("xyzzy", ""),
        ("", ""),
    ],
)
def test_of_many_names_the_nearest_are_given(name: str, expected: str) -> None:
    assert known_names(name, metric_names(), LISTING) == f"{expected}{LISTING} lists all"


def test_of_few_names_all_are_given() -> None:
    assert known_names("wrod", ("word", "lemma"), LISTING) == "known are word, lemma"


@pytest.mark.parametrize("known", [metric_names(), feature_names(), KEYS])
def test_a_line_stays_a_line(known: tuple[str, ...]) -> None:
    for name in known:
        assert len(known_names(f"{name}x", known, LISTING)) < 140
