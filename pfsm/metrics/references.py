"""Rows with one reference or several each: the best one counts."""

from collections.abc import Sequence

import numpy as np

from pfsm.metrics.distinct import Float, PairScorer


def best_of_references(
    score_pairs: PairScorer, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> Float:
    """Scores of translations whose numbers of references may differ.

    Args:
        score_pairs: From hypotheses and references to float64 [n_pairs].
        hypotheses: Translations.
        references: For each of them its references, one at least.

    Returns:
        float64 [n_hypotheses], the score against the best reference.

    Raises:
        ValueError: If the lists differ in length.
    """
    if not hypotheses:
        return np.zeros(0)
    counts = [len(several) for several in references]
    flat = [reference for several in references for reference in several]
    repeated = [
        hypothesis for hypothesis, count in zip(hypotheses, counts, strict=True) for _ in range(count)
    ]
    starts = np.cumsum([0, *counts[:-1]])
    return np.maximum.reduceat(score_pairs(repeated, flat), starts)
