"""Scoring every distinct pair once: in rankings a translation stands on dozens of rows."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
PairScorer = Callable[[Sequence[str], Sequence[str]], Float]
# A reference, or all references of a segment.
Reference = TypeVar("Reference", bound=Hashable)


def score_distinct(
    score_pairs: Callable[[Sequence[str], Sequence[Reference]], Float],
    hypotheses: Sequence[str],
    references: Sequence[Reference],
) -> Float:
    """Scores of all pairs by a function that is shown each distinct pair once.

    Args:
        score_pairs: From hypotheses and references to float64 [n_pairs]; a pair's score must depend on it alone.
        hypotheses: Translations.
        references: As many references.

    Returns:
        float64 [n_pairs], in the order given.

    Raises:
        ValueError: If the lists differ in length.
    """
    place: dict[tuple[str, Reference], int] = {}
    rows = [place.setdefault(pair, len(place)) for pair in zip(hypotheses, references, strict=True)]
    scores = score_pairs([hypothesis for hypothesis, _ in place], [reference for _, reference in place])
    return scores[np.array(rows, dtype=np.int64)]
