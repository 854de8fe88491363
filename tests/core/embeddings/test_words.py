"""Word vectors in a text file, and in a folder: against a text file with the same vectors, and the table that ships."""

from pathlib import Path

import numpy as np
import pytest

from pfsm.embeddings.encoders import described_encoders, load_encoder, load_vectors
from pfsm.embeddings.safetensors import SCALE, quantised, safetensors_content
from pfsm.embeddings.vectors import cosine_table, unit_rows
from pfsm.embeddings.words import MATRIX, VECTORS, WORDS, FileVectors
from pfsm.errors import PfsmError
from tests.core.embeddings.networks import write_vectors

FEW = {"cat": [3.0, 4.0], "Cat": [1.0, 0.0], "sat": [0.0, -2.0], "é": [1.0, 1.0]}


@pytest.mark.parametrize("header", [False, True])
def test_words_their_lower_case_and_unknown_ones(tmp_path: Path, header: bool) -> None:
    vectors = FileVectors(write_vectors(tmp_path / "x.vec", FEW, header))
    cat, capital, sat, accent = unit_rows(np.array(list(FEW.values())))
    none = np.zeros(2, dtype=np.int16)
    lines = vectors.of_tokens([["cat", "Cat", "CAT", "dog"], [], ["é", "Sat", "\ud800"]])
    np.testing.assert_array_equal(lines[0], [cat, capital, cat, none])
    assert lines[1].shape == (0, 2)
    np.testing.assert_array_equal(lines[2], [accent, sat, none])
    texts = vectors.of_texts(["cat, dog sat!", ""])
    np.testing.assert_array_equal(texts[0], [cat, sat])
    assert texts[1].shape == (0, 2)


def test_words_with_spaces_and_repeated_words(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("a 1 0\n. . 0 1\na 0 1\n. 3 3\n")
    lines = FileVectors(tmp_path / "x").of_tokens([["a", "."]])
    np.testing.assert_array_equal(lines[0], unit_rows(np.array([[1, 0], [1, 1]])))


def test_what_is_no_file_of_vectors_and_no_line_of_one(tmp_path: Path) -> None:
    none = "no word vectors in it"
    for content, said in (("", none), ("3 2\n", none), ("word\n", "x:1: a word and its numbers are needed")):
        (tmp_path / "x").write_text(content)
        with pytest.raises(PfsmError, match=said):
            FileVectors(tmp_path / "x")
    for line in ("b 1 two", "b 1 nan", "b 1 inf"):
        (tmp_path / "x").write_text(f"a 1 2\n{line}\n")
        vectors = FileVectors(tmp_path / "x")
        vectors.of_tokens([["a"]])
        with pytest.raises(PfsmError, match="the line of 'b' does not have 2 finite numbers"):
            vectors.of_tokens([["b"]])


NUMBERS = np.random.default_rng(3).integers(-127, 128, (6, 5)).astype(np.float64)
NUMBERS[:, 0] = 127
TABLE = dict(zip(["cat", "dog", "feline", "sat", "stood", "zebra"], NUMBERS.tolist(), strict=True))
LINES = ["The cat sat", "", "dog , dog stood", "unheard of"], ["A feline stood", "x", "Zebra sat dog", ""]


def test_it_says_what_a_text_file_with_the_same_vectors_says(tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    codes, scale = quantised(NUMBERS.astype(np.float32))
    (tmp_path / "table" / WORDS).write_text("".join(f"{word}\n" for word in TABLE), encoding="utf-8")
    content = safetensors_content({MATRIX: codes, MATRIX + SCALE: scale})
    (tmp_path / "table" / VECTORS).write_bytes(content)
    table = load_vectors(str(tmp_path / "table"))
    text = load_vectors(str(write_vectors(tmp_path / "v.txt", TABLE)))
    for side in LINES:
        tokens = [line.split() for line in side]
        for ours, theirs in zip(table.of_tokens(tokens), text.of_tokens(tokens), strict=True):
            np.testing.assert_array_equal(ours, theirs)
        for ours, theirs in zip(table.of_texts(side), text.of_texts(side), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert table.checksum != text.checksum


def test_words_that_ship() -> None:
    vectors = load_vectors("shipped:words-en")
    near, far = (
        cosine_table(*vectors.of_tokens([[first], [second]])).item()
        for first, second in (("car", "automobile"), ("car", "parliament"))
    )
    assert near > 0.6
    assert far < 0.3
    assert not vectors.of_tokens([["qzxv", "1999", ","]])[0].any()
    about = next(entry for entry in described_encoders() if entry["name"] == "shipped:words-en")
    assert about["version"] == vectors.checksum[:8]
    with pytest.raises(PfsmError, match="vectors of single words have no hidden states"):
        load_encoder("shipped:words-en")
