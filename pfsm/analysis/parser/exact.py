"""Arc probabilities where double precision fails: the matrix-tree theorem in as many decimal digits as needed.

If the words of a cycle prefer each other by a factor of e^40 to every way out, cancellation in double precision leaves
nothing of the determinant. Such sentences are rare (and mostly garbage), so the time does not matter. The number of
digits is doubled until two results agree.
"""

from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
_FIRST_DIGITS = 60
_MOST_DIGITS = 4000
_AGREEMENT = 1e-12


def exact_tree_marginals(scores: Float) -> tuple[float, Float]:
    """Log-sum over all single-root trees and every arc's probability.

    Args:
        scores: float64 [n, n + 1], finite; score of word m under head h, where 0 is the root; [m, m + 1] is not read.

    Returns:
        The log-sum and float64 [n, n + 1].
    """
    digits = _FIRST_DIGITS
    last = _in_digits(scores, digits)
    while digits < _MOST_DIGITS:
        digits *= 2
        here = _in_digits(scores, digits)
        if last is not None and here is not None and np.abs(here[1] - last[1]).max() < _AGREEMENT:
            return here
        last = here
    raise ArithmeticError("scores too far apart for a sum over trees")


def _in_digits(scores: Float, digits: int) -> tuple[float, Float] | None:
    """The same with so many digits; None if they do not suffice."""
    n = scores.shape[0]
    with localcontext() as context:
        context.prec = digits
        tops = [max(scores[m, h] for h in range(n + 1) if h != m + 1) for m in range(n)]
        weights = [
            [
                Decimal(0) if h == m + 1 else (Decimal(scores[m, h]) - Decimal(tops[m])).exp()
                for h in range(n + 1)
            ]
            for m in range(n)
        ]
        matrix = _laplacian(weights)
        inverse, log_determinant = _inverted(matrix)
        if inverse is None:
            return None
        marginals = np.zeros((n, n + 1))
        for m in range(n):
            marginals[m, 0] = float(weights[m][0] * inverse[m][0])
            for h in range(n):
                inner = (inverse[m][m] if m else Decimal(0)) - (inverse[m][h] if h else Decimal(0))
                marginals[m, h + 1] = 0.0 if h == m else float(weights[m][h + 1] * inner)
        return float(log_determinant) + float(sum(tops)), marginals


def _laplacian(weights: list[list[Decimal]]) -> list[list[Decimal]]:
    n = len(weights)
    matrix = [[-weights[m][h + 1] for m in range(n)] for h in range(n)]
    for m in range(n):
        matrix[m][m] = sum(weights[m][1:], Decimal(0))
    matrix[0] = [weights[m][0] for m in range(n)]
    return matrix


def _inverted(matrix: list[list[Decimal]]) -> tuple[list[list[Decimal]] | None, Decimal]:
    """The inverse and the logarithm of the determinant by Gauss-Jordan elimination with pivots.

    The inverse is None if the matrix is singular or its determinant is not positive.
    """
    n = len(matrix)
    rows = [[*row, *(Decimal(int(i == k)) for i in range(n))] for k, row in enumerate(matrix)]
    log_determinant, sign = Decimal(0), 1
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        value = rows[pivot][k]
        if value == 0:
            return None, Decimal(0)
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            sign = -sign
        sign = sign if value > 0 else -sign
        log_determinant += abs(value).ln()
        rows[k] = [entry / value for entry in rows[k]]
        for i in range(n):
            factor = rows[i][k]
            if i != k and factor != 0:
                rows[i] = [entry - factor * above for entry, above in zip(rows[i], rows[k], strict=True)]
    return (None if sign < 0 else [row[n:] for row in rows]), log_determinant
