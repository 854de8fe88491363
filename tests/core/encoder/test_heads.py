"""Heads: their files, what is refused, and values of pairs: which lines are encoded, which makes no difference."""

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm import load
from pfsm.embeddings.encoders import pinned
from pfsm.encoder import feature, heads
from pfsm.encoder.feature import PieceReader
from pfsm.encoder.heads import SHAPES, head_from_bytes, remember
from pfsm.encoder.names import feature_name
from pfsm.errors import PfsmError
from pfsm.model.file import Model, load_model, save_model
from pfsm.model.metric import Metric, from_document
from pfsm.model.settings import Settings, settings_from_dict
from tests.core.encoder.encoders import LINES, head, network


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


def test_what_is_no_head_is_refused() -> None:
    wrong: dict[str, bytes] = {
        r"knots has the shape \[5\], not \[6\]": head(0, knots=np.zeros(5, np.float32)).content,
        "constant has a number": head(0, constant=np.array([np.nan], np.float32)).content,
        "edits has a number above 10000": head(0, edits=np.array([1e5, 0.0], np.float32)).content,
        "0 layers of 8 components": head(0, mix=np.zeros(0, np.float32)).content,
        "": b"\xff" * 64,
    }
    for message, content in wrong.items():
        with pytest.raises(PfsmError, match=rf"^h\.safetensors: .*{message}"):
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


def test_a_changed_or_large_head_and_a_stream_are_refused(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PfsmError, match="/dev/null: the model needs a second file beside it"):
        save_model(model, "/dev/null")
    save_model(model, tmp_path / "m.json")
    (file,) = tmp_path.glob("encoder-*.safetensors")
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(bytes(content))
    forget()
    with pytest.raises(PfsmError, match=r"has checksum \w+, the model needs \w+; copy the file again"):
        load_model(tmp_path / "m.json")
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


REFERENCES = LINES
SYSTEMS = LINES[1:] + LINES[:1], LINES[2:] + LINES[:2], ("the mat sat", "a dog", "dogs sat", "n't", "")


class Counted:
    """An encoder that notes the lines it is given."""

    def __init__(self, encoder: Any) -> None:
        self.encoder, self.lines = encoder, list[str]()

    def states(self, lines: Sequence[str], layers: Sequence[int]) -> Any:
        self.lines += lines
        return self.encoder.states(lines, layers)


@pytest.fixture
def source(tmp_path: Path) -> str:
    return pinned(network(tmp_path))


@pytest.fixture
def reader(source: str) -> PieceReader:
    return PieceReader(remember(head()), source)


def test_references_are_encoded_once(reader: PieceReader, caplog: pytest.LogCaptureFixture) -> None:
    reader.encoder = counted = Counted(reader.encoder)  # type: ignore[assignment]
    caplog.set_level("INFO", "pfsm.encoder")
    values = [reader.values(system, REFERENCES) for system in SYSTEMS]
    # The first system's lines are all references; of the others, only lines that are none are new.
    assert sorted(counted.lines) == sorted({*REFERENCES, *SYSTEMS[2]})
    assert f"scoring: 0 of {len(REFERENCES)} pairs" in caplog.messages  # so that a bar has the time left
    for system, found in zip(SYSTEMS, values, strict=True):
        alone = [reader.values([h], [r])[0] for h, r in zip(system, REFERENCES, strict=True)]
        assert found.tolist() == alone
        own = reader.values(REFERENCES, REFERENCES)
        assert reader.values(system, REFERENCES, relative=True).tolist() == (found - own).tolist()


def test_what_is_remembered_is_bounded(
    reader: PieceReader, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = reader.values(SYSTEMS[1], REFERENCES)
    # Six pieces of eight components, float32: the longest reference has seven.
    monkeypatch.setattr(feature, "KNOWN_BYTES", 6 * 8 * 4)
    bounded = PieceReader(remember(head()), source)
    counted: Any = Counted(bounded.encoder)
    bounded.encoder = counted
    for _ in range(3):
        assert np.array_equal(bounded.values(SYSTEMS[1], REFERENCES), expected)
    times = {line: counted.lines.count(line) for line in REFERENCES}
    assert times[REFERENCES[0]] == 3
    assert max(times.values()) == 3
