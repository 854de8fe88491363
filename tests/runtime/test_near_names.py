"""Unknown names: which of the known names the message lists."""

import re
from typing import Any, cast

import pytest

from pfsm.errors import PfsmError
from pfsm.metrics.registry import feature_names, get_metric, metric_names
from pfsm.model.settings import KEYS, settings_from_dict
from pfsm.runtime.near_names import known_names
from pfsm_training.config import config_from_dict

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


@pytest.mark.parametrize("name", [5, None, True, 2.5, ("a", 1)])
def test_names_that_are_no_text_are_refused_as_others(name: object) -> None:
    with pytest.raises(
        PfsmError, match=rf"^x: unknown setting {re.escape(repr(name))}; `pfsm help settings`"
    ):
        settings_from_dict(cast("Any", {name: 1}), "x")
    with pytest.raises(PfsmError, match=rf"^x: unknown key {re.escape(repr(name))}; `pfsm help settings`"):
        config_from_dict(cast("Any", {name: 1}), "x")
    with pytest.raises(PfsmError, match=rf"^unknown metric {re.escape(repr(name))}; `pfsm metrics`"):
        get_metric(cast("Any", name))


def test_of_few_names_all_are_given() -> None:
    assert known_names("wrod", ("word", "lemma"), LISTING) == "known are word, lemma"


@pytest.mark.parametrize("known", [metric_names(), feature_names(), KEYS])
def test_a_line_stays_a_line(known: tuple[str, ...]) -> None:
    for name in known:
        assert len(known_names(f"{name}x", known, LISTING)) < 140
