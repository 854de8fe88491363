"""Unknown names: which of the known names the message lists."""

import pytest

from pfsm.metrics.registry import metric_names
from pfsm.runtime.near_names import known_names

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
