"""Error rates of corpora: edits over words of the references."""

import numpy as np
from numpy.typing import NDArray

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
