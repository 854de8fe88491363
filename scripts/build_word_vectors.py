"""Builds pfsm/resources/encoder/words-en, vectors of single English words, from the encoder that ships.

    PFSM_DATA=… python scripts/build_word_vectors.py

The words are those that occur twice or more in the English texts of the judgments, lower-cased, and single words of
WordNet, those with the most senses first. Each word alone goes through the encoder; its vector is the mean of its
pieces. From the vectors their mean is taken, in which a word counts by the square root of its frequency, and what is
left is projected onto its first principal components. Rows are rounded to whole numbers from -127 to 127.
"""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from build_encoder import LICENCE
from numpy.typing import NDArray
from real_data import CHECKOUT, data_folder, rows_of

from pfsm.embeddings.encoders import ABOUT, DEFAULT_SOURCE, label, load_vectors
from pfsm.embeddings.safetensors import SCALE, quantised, safetensors_content
from pfsm.embeddings.words import MATRIX, VECTORS, WORDS
from pfsm.lexicons import registry
from pfsm.lexicons.synonyms import KIND, SynonymTable
from pfsm.matchers.synonym import DEFAULT_TABLE
from pfsm.text.languages import tokeniser_named

NAME = "words-en"
# The et-en part of mlqe-pe shares its hypotheses with the set that is kept for testing.
SETS = (
    "wmt12-rr/*-en*", "wmt13-rr/*-en*", "wmt15-daseg/*-en*", "wmt16-daseg/*-en*", "wmt19-darr/*-en*",
    "wmt21-da/*-en*", "wmt21-mqm/*-en*", "sum-realsumm/*", "mlqe-pe/ro-en-train*", "mlqe-pe/ne-en-train*",
)  # fmt: skip
COLUMNS = ("reference", "hypothesis", "better")
SIZE, DIMENSION, LONGEST, FEWEST = 72_000, 64, 30, 2
AT_ONCE = 4096
Float = NDArray[np.float64]


def main() -> None:
    """Writes the files."""
    counts = frequencies(data_folder())
    words = chosen(counts)
    vectors = projected(alone(words), np.sqrt([max(counts[word], 1) for word in words]))
    codes, scale = quantised(vectors.astype(np.float32))
    target = CHECKOUT / "pfsm" / "resources" / "encoder" / NAME
    target.mkdir(parents=True, exist_ok=True)
    (target / WORDS).write_bytes("".join(f"{word}\n" for word in words).encode())
    (target / VECTORS).write_bytes(safetensors_content({MATRIX: codes, MATRIX + SCALE: scale}))
    about = {
        "about": f"each word alone through all-MiniLM-L6-v2, {DIMENSION} principal components, English, lower-cased",
        "licence": "Apache-2.0",
        "sources": f"{label(DEFAULT_SOURCE)}; words by their frequency in WMT's texts, and of WordNet 3.0",
    }
    (target / ABOUT).write_text(f"{json.dumps(about, indent=2)}\n", encoding="utf-8")
    shutil.copyfile(CHECKOUT / "LICENSE", target / LICENCE)
    for path in sorted(target.iterdir()):
        print(f"{path.relative_to(CHECKOUT)}: {path.stat().st_size:,} bytes")


def frequencies(data: Path) -> Counter[str]:
    """How often each lower-cased word occurs in the different texts of the sets."""
    counts: Counter[str] = Counter()
    tokeniser = tokeniser_named("penn")
    for text in dict.fromkeys(texts(data)):
        for key in tokeniser.keys(text):
            counts.update(token.lower() for token in tokeniser.analyse(key))
    return counts


def texts(data: Path) -> Iterator[str]:
    """The references and translations of the sets."""
    for row in (row for pattern in SETS for path in sorted(data.glob(pattern)) for row in rows_of(path)):
        yield from (row[column] for column in COLUMNS if row.get(column))


def chosen(counts: Counter[str]) -> list[str]:
    """The words, in alphabetical order."""
    often = [word for word, count in counts.items() if count >= FEWEST and is_word(word)]
    table = SynonymTable(registry.load(DEFAULT_TABLE, KIND))
    senses = {
        word: len(table.synsets(word))
        for number in range(table.size)
        for word in table.words(number)
        if "_" not in word and is_word(word)
    }
    more = sorted(senses.keys() - set(often), key=lambda word: (-senses[word], len(word), word))
    return sorted([*often, *more[: max(SIZE - len(often), 0)]])


def is_word(text: str) -> bool:
    """Whether there is a letter and no digit in it, and it is not too long."""
    return (
        len(text) <= LONGEST
        and any(map(str.isalpha, text))
        and not any(map(str.isdigit, text))
        and text.isprintable()
    )


def alone(words: list[str]) -> Float:
    """The vector of each word without a sentence, float64 [n, dimension], of length 1."""
    vectors = load_vectors(DEFAULT_SOURCE)
    means = [
        rows.mean(axis=0)
        for first in range(0, len(words), AT_ONCE)
        for rows in vectors.of_texts(words[first : first + AT_ONCE])
    ]
    return of_length_one(np.array(means))


def projected(vectors: Float, weights: Float) -> Float:
    """The vectors without their weighted mean, on their first principal components, scaled to length 1."""
    shares = weights / weights.sum()
    centred = vectors - shares @ vectors
    _, axes = np.linalg.eigh((centred * shares[:, np.newaxis]).T @ centred)
    return of_length_one(centred @ axes[:, ::-1][:, :DIMENSION])


def of_length_one(rows: Float) -> Float:
    """The rows divided by their lengths."""
    result: Float = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return result


if __name__ == "__main__":
    main()
