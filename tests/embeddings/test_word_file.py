"""Files of word vectors."""

from pathlib import Path

import numpy as np
import pytest

from pfsm.embeddings.vectors import unit_rows
from pfsm.embeddings.words import FileVectors
from pfsm.errors import PfsmError
from tests.embeddings.networks import write_vectors

VECTORS = {"cat": [3.0, 4.0], "Cat": [1.0, 0.0], "sat": [0.0, -2.0], "é": [1.0, 1.0]}


@pytest.mark.parametrize("header", [False, True])
def test_words_their_lower_case_and_unknown_ones(tmp_path: Path, header: bool) -> None:
    vectors = FileVectors(write_vectors(tmp_path / "x.vec", VECTORS, header))
    cat, capital, sat, accent = unit_rows(np.array(list(VECTORS.values())))
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


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no word vectors in it"),
        ("3 2\n", "no word vectors in it"),
        ("word\n", "x:1: a word and its numbers are needed"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "x").write_text(content)
    with pytest.raises(PfsmError, match=said):
        FileVectors(tmp_path / "x")


@pytest.mark.parametrize("line", ["b 1 two", "b 1 nan", "b 1 inf"])
def test_lines_that_are_no_vectors(tmp_path: Path, line: str) -> None:
    (tmp_path / "x").write_text(f"a 1 2\n{line}\n")
    vectors = FileVectors(tmp_path / "x")
    vectors.of_tokens([["a"]])
    with pytest.raises(PfsmError, match="the line of 'b' does not have 2 finite numbers"):
        vectors.of_tokens([["b"]])
