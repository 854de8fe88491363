"""The file of a head: what it holds, where it lies, and what is refused."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm import load
from pfsm.encoder import heads
from pfsm.encoder.heads import SHAPES, feature_name, head_from_bytes, remember
from pfsm.errors import PfsmError
from pfsm.model.file import Model, load_model, save_model
from pfsm.model.metric import Metric, from_document
from pfsm.model.settings import Settings, settings_from_dict
from tests.encoder.encoders import LINES, head, network


@pytest.fixture(autouse=True)
def strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No head is known from another test."""
    monkeypatch.setattr(heads, "_known", {})


@pytest.fixture
def model(tmp_path: Path) -> Model:
    name = feature_name(remember(head()), network(tmp_path))
    settings = Settings(features={name: (0.5, 2.0)}, matchers=("word",), max_block={"word": 1})
    return Model("m", settings, {"S_word": 1.0, f"feature:{name}": 0.7})


def forget() -> None:
    heads._known.clear()


def test_a_head_is_read_as_it_was_written() -> None:
    given = head()
    again = head_from_bytes(given.content, "x")
    assert all(np.array_equal(getattr(given, name), getattr(again, name)) for name in SHAPES)
    assert again.checksum == given.checksum
    assert head(1).checksum != given.checksum


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"knots": np.zeros(5, np.float32)}, "knots has the shape [5], not [6]"),
        ({"constant": np.array([np.nan], np.float32)}, "constant has a number"),
        ({"edits": np.array([1e5, 0.0], np.float32)}, "edits has a number above 10000"),
        ({"mix": np.zeros(0, np.float32)}, "0 layers of 8 components"),
    ],
)
def test_arrays_that_fit_no_machine_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(PfsmError) as error:
        head_from_bytes(head(0, **change).content, "h.safetensors")
    assert str(error.value).startswith("h.safetensors: ")
    assert message in str(error.value)


@pytest.mark.parametrize("content", [b"", b"\xff" * 64, b"\x02\0\0\0\0\0\0\0{}"])
def test_what_is_no_head_is_refused(content: bytes) -> None:
    with pytest.raises(PfsmError, match=r"h\.safetensors: "):
        head_from_bytes(content, "h.safetensors")


def test_a_model_finds_its_head_in_its_folder(model: Model, tmp_path: Path) -> None:
    expected = Metric(model, 1).score_pairs(LINES, LINES[::-1])
    save_model(model, tmp_path / "m.json")
    before = (tmp_path / "m.json").read_bytes()
    (file,) = tmp_path.glob("encoder-*.safetensors")
    forget()
    again = load_model(tmp_path / "m.json")
    assert np.array_equal(Metric(again, 1).score_pairs(LINES, LINES[::-1]), expected)
    save_model(again, tmp_path / "m.json")
    assert (tmp_path / "m.json").read_bytes() == before
    # The folder of the file counts, not the working folder; the file's name does not.
    other = tmp_path / "elsewhere"
    other.mkdir()
    (tmp_path / "m.json").rename(other / "n.json")
    forget()
    with pytest.raises(PfsmError, match=f"needs {file.name} in the same folder"):
        load_model(other / "n.json")
    file.rename(other / file.name)
    assert np.array_equal(load(other / "n.json", 1).score_pairs(LINES, LINES[::-1]), expected)


def test_a_changed_head_is_refused(model: Model, tmp_path: Path) -> None:
    save_model(model, tmp_path / "m.json")
    (file,) = tmp_path.glob("encoder-*.safetensors")
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(bytes(content))
    forget()
    with pytest.raises(PfsmError, match=r"has checksum \w+, the model needs \w+; copy the file again"):
        load_model(tmp_path / "m.json")


def test_a_head_has_a_limit_of_its_own(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_model(model, tmp_path / "m.json")
    forget()
    monkeypatch.setenv("PFSM_LARGEST_HEAD", "100")
    with pytest.raises(PfsmError, match="larger than 100; if that is right, set PFSM_LARGEST_HEAD"):
        load_model(tmp_path / "m.json")


def test_other_processes_get_the_head_with_the_model(model: Model) -> None:
    metric = Metric(model, 1)
    expected = metric.score_pairs(LINES, LINES[::-1])
    pickled, recipe = pickle.dumps(metric), metric.recipe()
    for again in (lambda: pickle.loads(pickled), lambda: from_document(recipe.text)):
        forget()
        assert np.array_equal(again().score_pairs(LINES, LINES[::-1]), expected)


@pytest.mark.parametrize("name", ["encoder", "encoder(head=../../etc/passwd,source=x)"])
def test_no_other_name_stands_for_a_head(name: str) -> None:
    with pytest.raises(PfsmError, match="is learned over an encoder"):
        settings_from_dict({"features": [name]}, "c.yaml")


def test_an_explanation_adds_up(model: Model) -> None:
    metric = Metric(model, 1)
    for hypothesis, reference in zip(LINES, LINES[::-1], strict=True):
        explanation = metric.explain(hypothesis, reference)
        assert explanation.score == pytest.approx(metric.score_pairs([hypothesis], [reference])[0], abs=1e-9)
        encoder = explanation.encoder
        assert encoder is not None
        (feature,) = explanation.features
        total = encoder.constant + sum(points for *_, points in encoder.parts)
        assert total == pytest.approx(feature.points, abs=1e-9)
        assert all(match.posterior >= 0.5 for match in encoder.matches)
        assert all(match.cosine == pytest.approx(1.0) for match in encoder.matches if hypothesis == reference)


def test_a_model_with_a_head_goes_to_no_stream(model: Model) -> None:
    with pytest.raises(PfsmError, match="/dev/null: the model needs a second file beside it"):
        save_model(model, "/dev/null")
