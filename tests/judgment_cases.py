"""Small made-up sets of judgments: sentences of a toy vocabulary, damaged, and scored by what was damaged."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

WORDS = (
    "red", "blue", "small", "large", "house", "tree", "river", "garden", "walks", "walked", "walking",
    "bird", "birds", "sing", "sings", "the", "a", "near", "under", ",", ".", "!",
)  # fmt: skip
Row = tuple[str, str, str]


def rows(count: int, seed: int = 0) -> list[Row]:
    """Reference, hypothesis and score, as fields of a file; the score falls with every change."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        reference = [WORDS[at] for at in rng.integers(0, len(WORDS), rng.integers(3, 9))]
        kept = [word for word in reference if rng.random() < 0.75]
        extra = [WORDS[at] for at in rng.integers(0, len(WORDS), rng.integers(0, 3))]
        score = 5.0 - (len(reference) - len(kept)) - 0.5 * len(extra) + 0.25 * rng.normal()
        made.append((" ".join(reference), " ".join([*kept, *extra]), f"{score:.3f}"))
    return made


def tsv(made: Iterable[Row], score: str = "score", **columns: str | Sequence[str]) -> str:
    """The rows as a TSV; further columns come first, one value for all rows or one each."""
    table = list(made)
    filled: Mapping[str, Sequence[str]] = {
        name: [value] * len(table) if isinstance(value, str) else value for name, value in columns.items()
    }
    lines = ["\t".join([*filled, "reference", "hypothesis", score])]
    lines += [
        "\t".join([*(values[number] for values in filled.values()), *row]) for number, row in enumerate(table)
    ]
    return "".join(f"{line}\n" for line in lines)


def preferences(made: Iterable[Row]) -> str:
    """A TSV of preferences: of two neighbouring hypotheses of a made-up pair, the better scored one."""
    lines = ["reference\tbetter\tworse\tvotes"]
    for (reference, one, first), (_, other, second) in pairwise(made):
        better, worse = (one, other) if float(first) > float(second) else (other, one)
        lines.append(f"{reference}\t{better}\t{worse}\t1")
    return "".join(f"{line}\n" for line in lines)
