"""Model files: there and back to the byte, edits by hand, and everything a broken one is refused for."""

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.errors import PfsmError
from pfsm.matchers.registry import MATCHERS
from pfsm.model.file import Model, Scale, load_model, model_from_dict, save_model
from pfsm.model.shipped import load
from tests.model_cases import WEIGHTS, document, model, random_weights, saved, without


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

    def test_what_is_no_number_is_never_written(self, tmp_path: Path) -> None:
        path = tmp_path / "m.json"
        path.write_text("precious", encoding="utf-8")
        with pytest.raises(ValueError, match="not JSON compliant"):
            save_model(Model("m", alpha=math.nan), path)
        assert path.read_text(encoding="utf-8") == "precious"
        assert list(tmp_path.iterdir()) == [path]


def test_fingerprints_change_with_whatever_can_change_a_score_and_nothing_else() -> None:
    before = model().fingerprint
    changes: dict[str, Any]
    for changes in (
        {"weights": {**WEIGHTS, "Insert": -0.5000001}},
        {"weights": {**WEIGHTS, "S_word>Insert": 0.5}},
        {"scale": {"mean": 1e-9, "sd": 1}},
        {"settings": {"max_block": 2}},
        {"settings": {"lowercase": False}},
        {"settings": {"matchers": ["word", "punct", "lemma"]}},
    ):
        assert model(**changes).fingerprint != before
    for changes in ({"name": "x"}, {"training": {"x": 1}}, {"licence": "x"}, {"scale": {"note": "x"}}):
        assert model(**changes).fingerprint == before


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


def refused(content: str | bytes, folder: Path) -> str:
    """The message without the file's name."""
    path = folder / "broken.json"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(PfsmError) as caught:
        load_model(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(str(path))
    return text.removeprefix(str(path))


def test_every_key_is_needed(tmp_path: Path) -> None:
    for key in ("name", "settings", "weights", "alpha", "scale", "training", "licence"):
        assert refused(json.dumps(without(key)), tmp_path) == f": the key {key!r} is missing"


def test_some_other_json(tmp_path: Path) -> None:
    for content in ("[]", "3", json.dumps(without("format"))):
        assert refused(content, tmp_path) == ": not a pfsm model file (there is no key 'format')"
    assert refused(json.dumps(document(format="pfsm-model-2")), tmp_path) == (
        ": format is 'pfsm-model-2', this version of pfsm reads 'pfsm-model-1'; retrain or convert it"
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", ":1: not valid JSON (Expecting value)"),
        (json.dumps(document(), indent=1).replace('"Insert"', "Insert"), ":9: not valid JSON"),
        (b'{"format":\n "\xff"}', ":2: not UTF-8 (byte 0xff at position 3); convert the file to UTF-8"),
        ("[" * 100_000, ": not a pfsm model file (nested too deeply)"),
        (
            json.dumps(document()).replace("0.25", "1" + "0" * 5000),
            ": not a pfsm model file (a number of thousands of digits)",
        ),
        (gzip.compress(b"{}" * 40, mtime=0)[:-9], ": the gzip data is truncated"),
    ],
)
def test_no_json(content: str | bytes, expected: str, tmp_path: Path) -> None:
    assert refused(content, tmp_path).startswith(expected)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"settings": []}, "settings is [], it must be an object, in braces"),
        ({"weights": {"Insert": math.nan}}, "weights['Insert'] is nan, it must be a number from -1e+100 to 1e+100"),
        ({"alpha": 1e308}, "alpha is 1e+308, it must be a number from -1e+100 to 1e+100"),
        ({"scale": {"sd": 0}}, "scale: sd is 0, it must be a number from 1e-100 to 1e+100"),
        ({"scale": {"std": 2}}, "scale: unknown key 'std'; known are mean, sd, note"),
        ({"training": {"data": {"a": 1}}}, "training: data is {'a': 1}, it must be a list of objects, in braces"),
        (
            {"settings": {"edits": False, "features": {"chrf": {"mean": 0, "sd": 1}}}},
            "weights names 'Insert', but settings say edits: false",
        ),
    ],
)  # fmt: skip
def test_a_field_that_is_not_what_it_must_be(changes: dict[str, Any], expected: str, tmp_path: Path) -> None:
    assert refused(json.dumps(document(**changes)), tmp_path).startswith(f": {expected}")


@pytest.mark.parametrize(
    "name", ["S_wrod", "Insert>S_word>Delete", "Ins\0ert", "", "Insert:name>Delete:verb"]
)
def test_a_weight_that_no_machine_has(name: str, tmp_path: Path) -> None:
    text = refused(json.dumps(document(weights={name: 1.0})), tmp_path)
    states = [kind.state for kind in MATCHERS.values()]
    assert text == (
        f": weights names {name!r}, which no machine has; states are "
        f"{', '.join(sorted(['Delete', 'Insert', 'Jump', *filter(None, states)]))}, "
        "transitions STATE>STATE, by word class STATE:CLASS"
    )
