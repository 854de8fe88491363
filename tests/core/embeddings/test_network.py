"""Vectors of a network in a folder: pieces, layers, long lines, the store, and what cannot be read."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.embeddings import network
from pfsm.embeddings.bert_graph import INPUT, encoder_graph, state_name
from pfsm.embeddings.bert_weights import read_shape, take_weights
from pfsm.embeddings.folder import FolderEncoder
from pfsm.embeddings.network import NetworkVectors, line_of, token_sums
from pfsm.embeddings.vectors import unit_rows
from pfsm.errors import PfsmError
from tests.core.embeddings.networks import (
    PIECES,
    SHAPE,
    config,
    random_tensors,
    write_network,
    write_tokenizer,
)
from tests.core.embeddings.test_bert import by_torch

CLS, SEP = 2, 3


def by_hand(pieces: list[str], layers: int = 2) -> np.ndarray:
    """Hidden states of pieces between the marks, by PyTorch."""
    ids = [CLS, *(PIECES.index(piece) for piece in pieces), SEP]
    states: np.ndarray = by_torch(random_tensors(), ids, layers)[1:-1]
    return states


def close(found: np.ndarray, wanted: np.ndarray) -> None:
    """Within two units of 1/32767: float32 adds differently here and there."""
    np.testing.assert_allclose(found.astype(float), unit_rows(wanted).astype(float), atol=2)


def test_texts_and_places_of_tokens() -> None:
    tokens = ["``", "Do", "n't", "go", "''", ",", "said", "Ann", "'s"]
    text, spans = line_of(tokens)
    assert text == "\" Don't go \" , said Ann's"
    assert [text[start:end] for start, end in spans] == ['"', "Do", "n't", "go", '"', *tokens[5:]]
    assert line_of([]) == ("", [])
    assert line_of(["a\ud800b"])[0] == "a\ufffdb"


@st.composite
def spans(draw: st.DrawFn, overlapping: bool) -> list[tuple[int, int]]:
    cuts = sorted(draw(st.lists(st.integers(0, 30), max_size=12)))
    found = list(pairwise(cuts))
    if not overlapping:
        return [span for span in found if span[1] > span[0]][::2]
    return sorted(found + [span for span in found if draw(st.booleans())])


@given(spans(overlapping=False), spans(overlapping=True))
def test_pieces_that_share_a_character(tokens: list[tuple[int, int]], pieces: list[tuple[int, int]]) -> None:
    found = token_sums(np.eye(len(pieces), dtype=np.int16), tokens, pieces)
    wanted = [[bool(set(range(*token)) & set(range(*piece))) for piece in pieces] for token in tokens]
    assert found.tolist() == wanted


@pytest.mark.parametrize("layer", [None, 1])
def test_pieces_of_a_text(tmp_path: Path, layer: int | None) -> None:
    vectors = NetworkVectors(write_network(tmp_path / "n"), layer)
    (rows,) = vectors.of_texts(["The cats sat."])
    close(rows, by_hand(["the", "cat", "##s", "sat", "."], 2 if layer is None else layer))


def test_a_token_has_the_sum_of_its_pieces(tmp_path: Path) -> None:
    vectors = NetworkVectors(write_network(tmp_path / "n"))
    rows, empty = vectors.of_tokens([["Cats", "sat", "\u200b", "."], []])
    pieces = unit_rows(by_hand(["cat", "##s", "sat", "."])).astype(float)
    close(rows[[0, 1, 3]], np.array([pieces[0] + pieces[1], pieces[2], pieces[3]]))
    assert not rows[2].any()
    assert empty.shape == (0, SHAPE["d"])


def test_a_line_longer_than_the_network(tmp_path: Path) -> None:
    vectors = NetworkVectors(write_network(tmp_path / "n"))
    line = ["the", "cat", "sat", "on", "the", "mat", ".", "the", "dog", "sat", ".", "the", "cat"]
    (rows,) = vectors.of_texts([" ".join(line)])
    # 12 positions, two of them for the marks: two windows of ten pieces share seven, which are divided in the middle.
    close(rows, np.concatenate([by_hand(line[:10])[:6], by_hand(line[3:])[3:]]))


def test_each_piece_is_in_the_middle_of_a_window(tmp_path: Path) -> None:
    """Windows take each piece once, with neighbours on both sides unless the line ends there."""
    encoder = FolderEncoder(write_network(tmp_path / "n"))
    for size in range(1, 60):
        line = " ".join((["the", "cat", "sat", "on", "mat", "dog"] * 10)[:size])
        windows = encoder.windows(line)
        ids = encoder.tokenizer.pieces(line)[0].tolist()
        assert np.concatenate([one.ids[one.first : one.end] for one in windows]).tolist() == ids
        assert all(one.ids.size <= 12 and one.ids[0] == 2 and one.ids[-1] == 3 for one in windows)
        assert all(one.first > 1 for one in windows[1:])
        assert all(one.end < one.ids.size - 1 for one in windows[:-1])


def test_lines_are_encoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_network(tmp_path / "n")
    first = NetworkVectors(folder)
    rows = first.of_texts(["the cat", "sat on"])
    fresh = NetworkVectors(folder)
    for vectors in (first, fresh):
        monkeypatch.setattr(vectors, "_encoded", lambda lines: lines and pytest.fail("encoded again"))
    # Spaces and case are nothing to the tokenizer: the pieces are the same.
    for vectors in (first, fresh):
        for found, wanted in zip(vectors.of_texts(["The  cat", "sat on"]), rows, strict=True):
            np.testing.assert_array_equal(found, wanted)
    with pytest.raises(pytest.fail.Exception):
        fresh.of_texts(["dog"])


def test_vectors_that_another_version_stored_are_neither_read_nor_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_network(tmp_path / "n")
    (expected,) = NetworkVectors(folder).of_texts(["The cat"])
    NetworkVectors(folder)._store.path.unlink()
    with monkeypatch.context() as other:
        other.setattr(network, "FORMAT", network.FORMAT + 1)
        # That version has the vectors turned round.
        other.setattr(network, "unit_rows", lambda states: -unit_rows(states))
        theirs = NetworkVectors(folder)
        assert (theirs.of_texts(["The cat"])[0] == -expected).all()
        path = theirs._store.path
    before = path.read_bytes()
    assert (NetworkVectors(folder).of_texts(["The cat"])[0] == expected).all()
    assert path.read_bytes() == before


def onnx_folder(path: Path) -> Path:
    """A model file as other programs write it: weights inside, one output with the usual name."""
    write_tokenizer(path)
    shape = read_shape(config(), "c")
    made = encoder_graph(take_weights(random_tensors(), shape, 2, "x"), shape)
    model = onnx.load_from_string(made.content)
    for constant in model.graph.initializer:
        if constant.external_data:
            constant.CopyFrom(onnx.numpy_helper.from_array(made.tensors[constant.name], constant.name))
    table = random_tensors()["embeddings.word_embeddings.weight"]
    model.graph.initializer.append(onnx.numpy_helper.from_array(table, "table"))
    model.graph.node.insert(0, onnx.helper.make_node("Gather", ["table", "input_ids"], [INPUT]))
    ids = onnx.helper.make_tensor_value_info("input_ids", onnx.TensorProto.INT64, ["b", "n"])
    model.graph.input[0].CopyFrom(ids)
    model.graph.node.append(onnx.helper.make_node("Identity", [state_name(2)], ["last_hidden_state"]))
    last = model.graph.output[2]
    last.name = "last_hidden_state"
    del model.graph.output[:2]
    onnx.checker.check_model(model, full_check=True)
    (path / "model.onnx").write_bytes(model.SerializeToString())
    return path


def test_a_model_file_gives_its_last_layer(tmp_path: Path) -> None:
    vectors = NetworkVectors(onnx_folder(tmp_path / "n"))
    (rows,) = vectors.of_texts(["The cats sat."])
    close(rows, by_hand(["the", "cat", "##s", "sat", "."]))
    with pytest.raises(PfsmError, match="leave the option layer out"):
        NetworkVectors(tmp_path / "n", 1)

    (tmp_path / "n" / "model.onnx").write_bytes(b"nothing")
    with pytest.raises(PfsmError, match=r"model\.onnx: ONNX Runtime cannot read it"):
        NetworkVectors(tmp_path / "n").of_texts(["a dog"])


def test_folders_that_hold_no_network(tmp_path: Path) -> None:
    for name, content, said in (
        ("tokenizer.json", None, "no tokenizer.json in this folder"),
        ("config.json", None, "no such file"),
        ("tokenizer.json", "{}", "not a tokenizer file"),
        ("config.json", '{"model_type": "gpt2"}', "model_type is 'gpt2'"),
    ):
        folder = write_network(tmp_path / "n")
        (folder / name).unlink()
        if content is not None:
            (folder / name).write_text(content)
        with pytest.raises(PfsmError, match=said):
            NetworkVectors(folder).of_texts(["the cat"])


def test_nothing_is_reported_and_nothing_left_at_home(tmp_path: Path) -> None:
    folder = write_network(tmp_path / "n")
    home = tmp_path / "home"
    home.mkdir()
    program = (
        "from pfsm.embeddings.network import NetworkVectors\n"
        "from pathlib import Path\n"
        f"print(len(NetworkVectors(Path({str(folder)!r})).of_texts(['the cat'])))"
    )
    kept = {name: value for name, value in os.environ.items() if name[:4] not in {"ORT_", "XDG_"}}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=kept | {"HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("1\n", "")
    assert list(home.rglob("*")) == []
