"""Resamples as numbers of times, and sums over them: what a unit adds, times how often it was drawn.

    sum_rk = sum over u of t_ru x_uk

t_ru says how many times unit u stands in resample r, x_uk what it adds to sum k. Units are added in their order, so a
sum depends neither on the number of threads nor on the resamples beside it, as a matrix product may in its last digit.
Cost O(m n k).
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

_Integers = NDArray[np.int64]
_Floats = NDArray[np.float64]


@njit(nogil=True)
def _resampled_sums(times: _Integers, table: _Floats, result: _Floats) -> None:
    sums = np.empty(table.shape[1])
    for resample in range(times.shape[0]):
        sums[:] = 0.0
        for unit in range(times.shape[1]):
            weight = np.float64(times[resample, unit])
            for column in range(table.shape[1]):
                sums[column] += weight * table[unit, column]
        result[resample] = sums


@njit(nogil=True)
def _drawn_times(rows: _Integers, times: _Integers) -> None:
    for resample in range(rows.shape[0]):
        for draw in range(rows.shape[1]):
            times[resample, rows[resample, draw]] += 1


def drawn_times(rows: _Integers, n_units: int) -> _Integers:
    """How many times each unit stands in every resample.

    Args:
        rows: int64 [m, size], numbers of units, with repetition.
        n_units: How many units there are.

    Returns:
        int64 [m, n_units].

    Raises:
        ValueError: If a number is out of range.
    """
    if rows.ndim != 2 or (rows.size and (rows.min() < 0 or rows.max() >= n_units)):
        raise ValueError("a resample names a unit that is not there")
    times = np.zeros((len(rows), n_units), dtype=np.int64)
    _drawn_times(rows, times)
    return times


def resampled_sums(times: _Integers, table: _Floats) -> _Floats:
    """The sums of a table's columns in every resample.

    Args:
        times: int64 [m, n], how many times each unit stands in the resample, from 0.
        table: float64 [n, k].

    Returns:
        float64 [m, k].

    Raises:
        ValueError: If shapes do not fit, or a number of times is negative.
    """
    if times.ndim != 2 or table.ndim != 2 or times.shape[1] != len(table):
        raise ValueError("a resample must say of every unit how many times it stands there")
    if times.size and times.min() < 0:
        raise ValueError("a unit cannot stand in a resample less than no times")
    result = np.zeros((len(times), table.shape[1]))
    _resampled_sums(times, np.ascontiguousarray(table), result)
    return result
