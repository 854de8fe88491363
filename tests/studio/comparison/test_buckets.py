"""Buckets of segments of about equal size."""

import numpy as np
import pytest

from pfsm_studio.comparison.buckets import quantile_bins


def binned(values: list[float], count: int) -> list[list[float]]:
    array = np.array(values)
    found = quantile_bins(array, np.arange(array.size), count, lambda low, high: f"{low} {high}")
    for one in found:
        assert one.label == f"{array[one.rows].min()} {array[one.rows].max()}"
    return [sorted(array[one.rows].tolist()) for one in found]


@pytest.mark.parametrize(
    ("values", "count", "expected"),
    [
        ([4.0, 1.0, 3.0, 2.0], 4, [[1.0], [2.0], [3.0], [4.0]]),
        ([8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 4, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]),
        # The quartiles of these are 1, 1 and 2: equal numbers are never torn apart.
        ([1.0, 1.0, 1.0, 2.0, 5.0], 4, [[1.0, 1.0, 1.0], [2.0], [5.0]]),
        ([3.0, 3.0, 3.0], 4, [[3.0, 3.0, 3.0]]),
        ([2.0, 1.0], 5, [[1.0], [2.0]]),
        ([7.0], 5, [[7.0]]),
        ([], 4, []),
    ],
)
def test_quantiles(values: list[float], count: int, expected: list[list[float]]) -> None:
    assert binned(values, count) == expected
