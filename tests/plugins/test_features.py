"""Sentence-level features of other packages."""

from pathlib import Path

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.features.values import check_feature, feature_signature, feature_values
from pfsm.metrics.registry import describe_feature, feature_names
from pfsm.model.plugins import plugin_labels, plugins_of
from pfsm.model.settings import settings_from_dict
from tests.plugins.packages import installed

SOURCE = '''
    def commas(hypotheses, references):
        """Commas of the hypothesis.

        No more is said.
        """
        return [line.count(",") for line in hypotheses]

    def short(hypotheses, references): return [1.0]
    def infinite(hypotheses, references): return [1.0, float("inf")]
    def words(hypotheses, references): return hypotheses
    NUMBER = 3
'''
NAMES = ("commas", "short", "infinite", "words", "NUMBER")


@pytest.fixture(autouse=True)
def _package(site: Path) -> None:
    points = {name: f"features_of_mine:{name}" for name in NAMES} | {"length": "features_of_mine:commas"}
    installed(site, "pfsm-commas", {"feature": points}, {"features_of_mine": SOURCE}, "3")


def test_values_and_signature() -> None:
    check_feature("commas")
    np.testing.assert_array_equal(
        feature_values(["commas", "length"], ["a, b,", "a"], ["", "bc"]), [[2.0, 0.0], [0.0, np.log1p(2)]]
    )
    assert feature_signature("commas") == "commas(pfsm-commas@3)"
    assert describe_feature("commas") == "Commas of the hypothesis"
    assert feature_names()[-len(NAMES) :] == tuple(sorted(NAMES))


def test_settings() -> None:
    settings = settings_from_dict({"features": ["commas", "chrf"]}, "x")
    assert plugins_of(settings) == {"features": {"commas": "pfsm-commas 3"}}
    assert plugin_labels(settings) == ["feature commas(pfsm-commas@3)"]
    with pytest.raises(PfsmError, match=r"^x: unknown feature 'comas'; did you mean commas\?"):
        settings_from_dict({"features": ["comas"]}, "x")
    with pytest.raises(PfsmError, match=r"^x: feature commas\(n=1\): has no options; write it as commas$"):
        settings_from_dict({"features": ["commas(n=1)"]}, "x")
    with pytest.raises(PfsmError, match=r"^x: feature 'NUMBER' of pfsm-commas 3: is no function"):
        settings_from_dict({"features": ["NUMBER"]}, "x")


def test_what_is_not_one_finite_number_for_each_pair() -> None:
    for name, fault in (
        ("short", r"gives numbers of shape \(1,\) for 2 pairs"),
        ("infinite", "gives inf for 'b' and 'd'"),
        ("words", "gives a list, float64 .n_pairs. is needed"),
    ):
        with pytest.raises(PfsmError, match=rf"^feature '{name}': {fault}$"):
            feature_values([name], ["a", "b"], ["c", "d"])
