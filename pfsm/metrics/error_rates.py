"""Error rates: edits over words of the references."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.references import flat_pairs

Float = NDArray[np.float64]


def rates_of_totals(totals: Float) -> Float:
    """Edits over words in percent; lower is better.

    Args:
        totals: float64 [..., 2], sums of edits and of words of the references.

    Returns:
        float64 [...]; without words 100 where there are edits, else 0.
    """
    edits, words = totals[..., 0], totals[..., 1]
    rates = np.divide(edits, words, out=np.array(edits > 0, dtype=np.float64), where=words > 0)
    return np.asarray(100.0 * rates)


def fewest_edits(
    count: Callable[[Sequence[str], Sequence[str]], Float],
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
) -> Float:
    """Edits to the closest reference, and the mean length of all references (Snover et al. 2006, section 2).

    Args:
        count: From hypotheses and references to edits and words of the reference, float64 [n_pairs, 2].
        hypotheses: One translation a segment.
        references: For each of them its references, one at least.

    Returns:
        float64 [n_segments, 2].
    """
    if not hypotheses:
        return np.zeros((0, 2))
    repeated, flat, starts = flat_pairs(hypotheses, references)
    edits, words = count(repeated, flat).T
    counts = np.diff([*starts, len(flat)])
    return np.column_stack([np.minimum.reduceat(edits, starts), np.add.reduceat(words, starts) / counts])
