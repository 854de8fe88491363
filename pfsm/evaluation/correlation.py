"""Correlation of two series of scores: Pearson's r, Spearman's rho, Kendall's tau-b.

Each is NaN where it is undefined: fewer than two points, or a series whose values are all equal.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's product-moment correlation.

    ``sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2)`` (Pearson 1895), computed
    from the deviations, so that a large common offset or scale costs no digits.

    Args:
        x: float64 [n], finite.
        y: float64 [n], finite.

    Returns:
        A number in [-1, 1]; NaN for fewer than two points or where `x` or `y` is constant.

    Raises:
        ValueError: If the shapes differ, or a value is not finite.
    """
    x, y = paired_scores(x, y)
    return float(pearson_of_rows(x[np.newaxis], y[np.newaxis])[0])


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation (Spearman 1904): Pearson's correlation of mid-ranks.

    Equal values share the mean of the ranks they take up.

    Args:
        x: float64 [n], finite.
        y: float64 [n], finite.

    Returns:
        A number in [-1, 1]; NaN for fewer than two points or where `x` or `y` is constant.

    Raises:
        ValueError: If the shapes differ, or a value is not finite.
    """
    x, y = paired_scores(x, y)
    return pearson(mid_ranks(x), mid_ranks(y))


def kendall_tau_b(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's rank correlation in its tau-b form for ties (Kendall 1945), in O(n log n).

    ``(C - D) / sqrt((N - T_x) (N - T_y))``: C and D count the pairs of points ordered the same way and the
    opposite way, N all pairs, T_x and T_y the pairs tied in x and in y.

    Args:
        x: float64 [n], finite.
        y: float64 [n], finite.

    Returns:
        A number in [-1, 1]; NaN for fewer than two points or where `x` or `y` is constant.

    Raises:
        ValueError: If the shapes differ, or a value is not finite.
    """
    from pfsm_kernels.statistics.rank import repeated_kendall_tau_b  # noqa: PLC0415 - starts a JIT compiler

    x, y = paired_scores(x, y)
    if x.size < 2:
        return float("nan")
    once = np.ones((1, x.size), dtype=np.int64)
    return float(repeated_kendall_tau_b(dense_ranks(x), dense_ranks(y), once)[0])


def paired_scores(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both series as float64 [n].

    Raises:
        ValueError: If they are not one-dimensional and of one length, or a value is not finite.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"scores have shapes {x.shape} and {y.shape}, two series of one length are needed")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("a score is not finite")
    return x, y


def dense_ranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """int64 [n]: 0 for the smallest value, one more for each larger one; equal for equal values."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def mid_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64 [n]: ranks from 1 up, equal values sharing the mean of the ranks they take up."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    middle: NDArray[np.float64] = last - (counts - 1) / 2.0
    return middle[inverse]


def pearson_of_rows(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pearson's correlation of each row of `x` with the same row of `y`, both float64 [n_rows, n].

    Returns:
        float64 [n_rows], in [-1, 1], NaN where a row is constant or shorter than two.
    """
    if x.shape[1] == 0:
        return np.full(x.shape[0], np.nan)
    x, y = _deviations(x), _deviations(y)
    products = np.einsum("ij,ij->i", x, y)
    squares = np.einsum("ij,ij->i", x, x) * np.einsum("ij,ij->i", y, y)
    result = np.full(x.shape[0], np.nan)
    np.divide(products, np.sqrt(squares), out=result, where=squares > 0.0)
    return np.clip(result, -1.0, 1.0, out=result)


def _deviations(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Deviations from each row's mean, each row in a scale of its own; zeros for a constant row."""
    # The largest magnitude comes into [0.5, 1), so that nothing overflows and no square of a deviation
    # vanishes; a power of two rounds nothing.
    exponents = np.frexp(np.abs(rows).max(axis=1, keepdims=True))[1]
    scaled: NDArray[np.float64] = np.ldexp(rows, -exponents)
    # Without a common offset the mean loses no digits, and that of a constant row is exact.
    scaled -= scaled[:, :1].copy()
    scaled -= scaled.mean(axis=1, keepdims=True)
    return scaled
