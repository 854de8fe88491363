"""Correlations straight from their definitions: pairs looked at one by one, sums in exact fractions."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations


def sign(value: float | Fraction) -> int:
    return (value > 0) - (value < 0)


def kendall_tau_b(x: Sequence[float], y: Sequence[float]) -> float:
    """Every pair of points looked at; NaN where a side has no two different values."""
    balance, untied_x, untied_y = 0, 0, 0
    for i, j in combinations(range(len(x)), 2):
        step_x, step_y = sign(x[i] - x[j]), sign(y[i] - y[j])
        balance += step_x * step_y
        untied_x += step_x != 0
        untied_y += step_y != 0
    return balance / math.sqrt(untied_x * untied_y) if untied_x and untied_y else math.nan


def mid_ranks(values: Sequence[float]) -> list[Fraction]:
    """Number of smaller values, and the middle of the places that the equal ones take up."""
    return [
        sum(other < value for other in values) + Fraction(sum(other == value for other in values) + 1, 2)
        for value in values
    ]


def pearson(x: Sequence[float | Fraction], y: Sequence[float | Fraction]) -> float:
    """Exact until the last square root and division; NaN where a side has no two different values."""
    if len(x) < 2:
        return math.nan
    x, y = [Fraction(value) for value in x], [Fraction(value) for value in y]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    products = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    squares = sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)
    if squares == 0:
        return math.nan
    return sign(products) * math.sqrt(products**2 / squares)


def spearman(x: Sequence[float], y: Sequence[float]) -> float:
    return pearson(mid_ranks(x), mid_ranks(y))
