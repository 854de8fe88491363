"""Model files: there and back to the byte, edits by hand, and everything a broken one is refused for."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.model.file import Model, Scale, load_model, model_from_dict, save_model
from pfsm.model.shipped import load
from tests.model_cases import WEIGHTS, model, random_weights, saved


class TestRoundTrip:
    def test_what_is_read_is_what_was_written(self, tmp_path: Path) -> None:
        weights = random_weights(np.random.default_rng(1))
        before = Model(
            "naïve metric",
            model(settings={"language": "de", "max_block": {"word": 2}}).settings,
            weights,
            -0.1 + 0.3,
            Scale(12.5, 1e-3, "Punkte, höher ist besser."),
            {"data": [{"name": "a.tsv", "rows": 2, "sha256": "00"}], "remark": ["any", {"thing": None}]},
            "CC BY 4.0",
        )
        save_model(before, tmp_path / "one.json")
        after = load_model(tmp_path / "one.json")
        assert after.to_dict() == before.to_dict()
        assert after.weights == weights
        assert after.alpha == before.alpha
        assert after.scale == before.scale
        assert after.settings == before.settings
        save_model(after, tmp_path / "two.json")
        content = (tmp_path / "two.json").read_bytes()
        assert (tmp_path / "one.json").read_bytes() == content
        assert content.endswith(b"}\n")
        assert "Punkte, höher ist besser.".encode() in content

    @given(st.dictionaries(st.sampled_from(sorted(WEIGHTS)), st.floats(-1e100, 1e100)), st.floats(-9, 9))
    def test_no_digit_of_a_weight_is_lost(self, weights: dict[str, float], alpha: float) -> None:
        before = model(weights=weights, alpha=alpha)
        after = model_from_dict(json.loads(json.dumps(before.to_dict())), "")
        assert after.weights == before.weights == weights
        assert after.alpha == alpha
        assert after.fingerprint == before.fingerprint

    @pytest.mark.parametrize("value", [math.nan, math.inf])
    def test_what_is_no_number_is_never_written(self, value: float, tmp_path: Path) -> None:
        path = tmp_path / "m.json"
        path.write_text("precious", encoding="utf-8")
        with pytest.raises(ValueError, match="not JSON compliant"):
            save_model(Model("m", alpha=value), path)
        assert path.read_text(encoding="utf-8") == "precious"
        assert list(tmp_path.iterdir()) == [path]


class TestFingerprint:
    @pytest.mark.parametrize(
        "changes",
        [
            {"weights": {**WEIGHTS, "Insert": -0.5000001}},
            {"weights": {**WEIGHTS, "S_word>Insert": 0.5}},
            {"scale": {"mean": 1e-9, "sd": 1}},
            {"settings": {"max_block": 2}},
            {"settings": {"lowercase": False}},
            {"settings": {"matchers": ["word", "punct", "lemma"]}},
        ],
    )
    def test_whatever_can_change_a_score_changes_it(self, changes: dict[str, Any]) -> None:
        assert model(**changes).fingerprint != model().fingerprint

    @pytest.mark.parametrize(
        "changes", [{"name": "other"}, {"training": {"x": 1}}, {"licence": "other"}, {"scale": {"note": "x"}}]
    )
    def test_what_cannot_does_not(self, changes: dict[str, Any]) -> None:
        assert model(**changes).fingerprint == model().fingerprint


class TestEditsByHand:
    PAIR = (["the cat sat", "a b"], ["the dog sat", "b"])

    def test_scale_and_alpha(self, tmp_path: Path) -> None:
        raw = load(saved(tmp_path, alpha=0)).score_pairs(*self.PAIR)
        scaled = load(saved(tmp_path, alpha=2, scale={"mean": 10, "sd": 4})).score_pairs(*self.PAIR)
        np.testing.assert_allclose(scaled, 10 + 4 * (raw + 2), rtol=1e-15)
        # mean and sd may be left out.
        default = load(saved(tmp_path, alpha=0, scale={})).score_pairs(*self.PAIR)
        np.testing.assert_array_equal(default, raw)

    @pytest.mark.parametrize("size", [-1e100, 1e100])
    def test_the_largest_weights_score_finitely(self, size: float, tmp_path: Path) -> None:
        weights = dict.fromkeys(random_weights(np.random.default_rng(0)), size)
        metric = load(saved(tmp_path, weights=weights, alpha=size))
        scores = metric.score_pairs(["a b , c", "", "x " * 200], ["a c , d", "a", "x y " * 100])
        assert np.isfinite(scores).all()
