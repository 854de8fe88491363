"""Names of metrics and features, with options in parentheses: what is misspelt is refused before anything is loaded."""

import numpy as np
import pytest

from pfsm import PfsmError
from pfsm.features.values import check_feature, feature_values
from pfsm.metrics import get_metric
from pfsm.metrics.metric_group import parse_name

HYPOTHESES, REFERENCES = (
    ["An old bird sang.", "We walked."],
    ["The old bird sings.", "We walked, and it rained."],
)


@pytest.mark.parametrize(
    "name",
    ["length(x=1)", "bleu.1(lowercase=true)", "rte.content_r(parser=x)", "rte.content_r(", "meteor-base.f()"],
)
def test_parts_without_options(name: str) -> None:
    with pytest.raises(PfsmError, match="has no options; write it as"):
        check_feature(name)
    with pytest.raises(PfsmError, match="has no options; write it as"):
        feature_values([name], HYPOTHESES, REFERENCES)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("edpm.dl.p(n=0)", "n is 0, it must be a whole number"),
        ("edpm.dl.p(n=5", "no name of a metric"),
        ("hwcm.1(of=x)", "of is 'x'"),
        ("terp-base.shift(costs=x)", "costs is 'x'"),
        ("edpm-errors.dl.extra(gamma=-1)", "gamma is -1"),
        ("edpm-errors.dl.extra(parts=dl)", "leave out the option parts"),
        ("length_ratio(x=1)", "has no options, but was given x"),
        ("stm_b", "give a scale, as in"),
    ],
)
def test_options_of_features_are_checked_before_anything_is_scored(name: str, fault: str) -> None:
    with pytest.raises(PfsmError, match=fault):
        check_feature(name)


def test_features_with_options_have_values() -> None:
    names = [
        "hwcm.1(of=relations)",
        "terp-base.shift(costs=ter)",
        "edpm-errors.dl.extra(n=1)",
        "stm_b(scale=0.5)",
    ]
    assert np.isfinite(feature_values(names, HYPOTHESES, REFERENCES)).all()


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("bleu.1", "is a feature of models, it cannot score alone"),
        ("rte.content_r", "is a feature of models, it cannot score alone"),
        ("sp-op-*.x", "has no parts"),
        ("length_ratio_i(x=1)", "has no options"),
        ("stm_i(depth=3", "no name of a metric"),
        ("chrf_i(", "no name of a metric"),
        ("stm_i(scale=1,scale=2)", "'scale=2' is no option"),
        ("ter_i(scale=1e308)", "at most 1000"),
    ],
)
def test_misspelt_metrics(name: str, fault: str) -> None:
    with pytest.raises(PfsmError, match=fault):
        get_metric(name)


@pytest.mark.parametrize("text", ["1_0", "\u0663", "\u00b2"])
def test_numbers_are_written_with_plain_digits(text: str) -> None:
    assert parse_name(f"edpm(n={text})").options == {"n": text}
