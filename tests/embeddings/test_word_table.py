"""Word vectors in a folder, against a text file with the same vectors, and the table that ships."""

from pathlib import Path

import numpy as np
import pytest

from pfsm.embeddings.encoders import described_encoders, load_encoder, load_vectors
from pfsm.embeddings.safetensors import SCALE, quantised, safetensors_content
from pfsm.embeddings.vectors import cosine_table
from pfsm.embeddings.words import MATRIX, VECTORS, WORDS
from pfsm.errors import PfsmError
from tests.embeddings.networks import write_vectors

NUMBERS = np.random.default_rng(3).integers(-127, 128, (6, 5)).astype(np.float64)
NUMBERS[:, 0] = 127
TABLE = dict(zip(["cat", "dog", "feline", "sat", "stood", "zebra"], NUMBERS.tolist(), strict=True))
LINES = ["The cat sat", "", "dog , dog stood", "unheard of"], ["A feline stood", "x", "Zebra sat dog", ""]


def written(folder: Path, words: int = 6) -> Path:
    folder.mkdir()
    codes, scale = quantised(NUMBERS.astype(np.float32))
    (folder / WORDS).write_text("".join(f"{word}\n" for word in list(TABLE)[:words]), encoding="utf-8")
    (folder / VECTORS).write_bytes(safetensors_content({MATRIX: codes, MATRIX + SCALE: scale}))
    return folder


def test_it_says_what_a_text_file_with_the_same_vectors_says(tmp_path: Path) -> None:
    table = load_vectors(str(written(tmp_path / "table")))
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
