"""Model files: there and back to the byte, edits by hand, and everything a broken one is refused for."""

import gzip
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.model.file import KEYS, Model, Scale, load_model, model_from_dict, save_model
from pfsm.model.shipped import load
from tests.model_cases import WEIGHTS, document, model, random_weights, saved


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

    def test_the_document_is_readable(self, tmp_path: Path) -> None:
        save_model(model(), tmp_path / "m.json")
        text = (tmp_path / "m.json").read_text(encoding="utf-8")
        parsed = json.loads(text)
        assert list(parsed) == [
            "format",
            "name",
            "settings",
            "weights",
            "alpha",
            "scale",
            "training",
            "licence",
        ]
        assert tuple(parsed) == KEYS
        assert list(parsed["weights"]) == sorted(WEIGHTS)
        assert all(isinstance(weight, float) for weight in parsed["weights"].values())
        assert '    "S_word": 2.0,\n' in text  # a line a weight
        assert list(parsed["scale"]) == ["mean", "sd", "note"]
        assert list(parsed["settings"]) == [
            "language", "tokeniser", "stemmer", "lowercase", "matchers", "matching", "max_block", "max_jump",
        ]  # fmt: skip

    def test_the_order_of_weights_makes_no_difference(self, tmp_path: Path) -> None:
        backwards = dict(reversed(list(WEIGHTS.items())))
        save_model(model(), tmp_path / "one.json")
        save_model(model(weights=backwards), tmp_path / "two.json")
        assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()

    def test_numbers_of_numpy_are_written_as_numbers(self, tmp_path: Path) -> None:
        made = Model("m", weights={"Insert": np.float64(0.5)}, alpha=np.float64(1.5), scale=Scale(1, 2))
        save_model(made, tmp_path / "m.json")
        assert load_model(tmp_path / "m.json").fingerprint == made.fingerprint

    @pytest.mark.parametrize("value", [math.nan, math.inf])
    def test_what_is_no_number_is_never_written(self, value: float, tmp_path: Path) -> None:
        path = tmp_path / "m.json"
        path.write_text("precious", encoding="utf-8")
        with pytest.raises(ValueError, match="not JSON compliant"):
            save_model(Model("m", alpha=value), path)
        assert path.read_text(encoding="utf-8") == "precious"
        assert list(tmp_path.iterdir()) == [path]

    def test_compressed_where_its_name_says_so(self, tmp_path: Path) -> None:
        save_model(model(), tmp_path / "m.json.gz")
        assert gzip.decompress((tmp_path / "m.json.gz").read_bytes()).startswith(b"{")
        assert load_model(tmp_path / "m.json.gz").fingerprint == model().fingerprint

    def test_a_data_file_with_bytes_in_its_name_can_be_recorded(self, tmp_path: Path) -> None:
        path = tmp_path / "m.json"
        save_model(model(training={"data": [{"name": "\udcff.tsv"}]}), path)
        path.read_text(encoding="utf-8")
        assert load_model(path).training["data"][0]["name"] == "\udcff.tsv"


class TestFingerprint:
    def test_whole_numbers_are_numbers(self) -> None:
        whole = Model("m", weights={"Insert": 1}, alpha=0, scale=Scale(0, 1))
        assert whole.fingerprint == Model("m", weights={"Insert": 1.0}, alpha=0.0, scale=Scale()).fingerprint

    @pytest.mark.parametrize(
        "changes",
        [
            {"weights": {**WEIGHTS, "Insert": -0.5000001}},
            {"weights": {**WEIGHTS, "S_word>Insert": 0.5}},
            {"alpha": 0.2500001},
            {"scale": {"mean": 1e-9, "sd": 1}},
            {"scale": {"mean": 0, "sd": 1.0001}},
            {"settings": {"max_block": 2}},
            {"settings": {"lowercase": False}},
            {"settings": {"stemmer": "english"}},
            {"settings": {"tokeniser": "plain"}},
            {"settings": {"matching": "overlapping"}},
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

    def test_a_changed_weight_takes_effect(self, tmp_path: Path) -> None:
        before = load(saved(tmp_path)).score_pairs(*self.PAIR)
        after = load(saved(tmp_path, weights={**WEIGHTS, "S_word": 3.0})).score_pairs(*self.PAIR)
        assert (after > before).all()

    def test_an_absent_weight_is_zero(self, tmp_path: Path) -> None:
        short = {name: weight for name, weight in WEIGHTS.items() if name != "S_lemma"}
        one = load(saved(tmp_path, weights=short)).score_pairs(["the cats"], ["the cat"])
        other = load(saved(tmp_path, weights={**short, "S_lemma": 0})).score_pairs(["the cats"], ["the cat"])
        assert one == other
        nothing = load(saved(tmp_path, weights={}, alpha=0)).score_pairs(["a b"], ["c d"])
        # Nothing weighs anything: what is left is the number of ways to order 2 Inserts and 2 Deletes.
        assert nothing[0] == pytest.approx(math.log(6) / 4, abs=1e-12)

    def test_scale_and_alpha(self, tmp_path: Path) -> None:
        raw = load(saved(tmp_path, alpha=0)).score_pairs(*self.PAIR)
        scaled = load(saved(tmp_path, alpha=2, scale={"mean": 10, "sd": 4})).score_pairs(*self.PAIR)
        np.testing.assert_allclose(scaled, 10 + 4 * (raw + 2), rtol=1e-15)
        # mean and sd may be left out.
        default = load(saved(tmp_path, alpha=0, scale={})).score_pairs(*self.PAIR)
        np.testing.assert_array_equal(default, raw)

    def test_whole_numbers_link_and_jump_weights_and_further_keys_are_legal(self, tmp_path: Path) -> None:
        weights = {"Insert": 1, "Jump": -2.0, "Jump>S_word": 1.0, "S_word>Jump": 1.0, "link:subject": 0.5}
        loaded = load_model(saved(tmp_path, weights=weights, remark="made by hand"))
        assert loaded.weights == weights
        assert all(isinstance(weight, float) for weight in loaded.weights.values())

    def test_a_byte_order_mark_as_editors_write_it_is_skipped(self, tmp_path: Path) -> None:
        path = tmp_path / "m.json"
        path.write_text(json.dumps(document()), encoding="utf-8-sig")
        assert load_model(path).fingerprint == model().fingerprint

    @pytest.mark.parametrize("size", [-1e100, 1e100])
    def test_the_largest_weights_score_finitely(self, size: float, tmp_path: Path) -> None:
        weights = dict.fromkeys(random_weights(np.random.default_rng(0)), size)
        metric = load(saved(tmp_path, weights=weights, alpha=size))
        scores = metric.score_pairs(["a b , c", "", "x " * 200], ["a c , d", "a", "x y " * 100])
        assert np.isfinite(scores).all()


def test_a_model_is_replaced_not_changed() -> None:
    before = model()
    after = replace(before, name="other")
    assert (before.name, after.name) == ("hand", "other")
    assert after.fingerprint == before.fingerprint
