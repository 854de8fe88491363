"""Checks of statistics."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pfsm.conformance.checks import Check, Subject, hold
from pfsm.evaluation.catalogue import SEGMENT_LEVEL
from pfsm.evaluation.measure import Measure, scored_items

Float = NDArray[np.float64]
ROUNDING = 1e-9
# Segments of the made-up data, and translations of each.
SEGMENTS, TRANSLATIONS = 12, 3
RESAMPLES, SEED = 20, 1


def checks(subject: Subject) -> Iterator[Check]:
    """The checks of a statistic."""
    trial = _Trial(subject.entry.name)
    yield Check("it gives one number, and the same one every time", trial.gives_a_number)
    yield Check("the order of the translations makes no difference", trial.is_invariant)
    yield Check("it leaves the scores as they are", trial.changes_nothing)
    yield Check("bootstrap resamples give numbers, the same from the same seed", trial.resamples)
    yield Check("equal scores, or one translation alone, give a number or NaN", trial.is_undefined)
    yield Check("what it depends on", trial.depends)


class _Trial:
    def __init__(self, name: str) -> None:
        self._name = name
        draws = np.random.default_rng(SEED)
        self._segments = np.repeat(np.arange(SEGMENTS), TRANSLATIONS)
        self._human = draws.normal(size=self._segments.size).round(3)
        self._metric = (self._human + draws.normal(size=self._human.size)).round(3)

    def _measure(self, human: Float, segments: NDArray[np.int64]) -> Measure:
        statistic = SEGMENT_LEVEL[self._name]
        systems = np.arange(human.size) % TRANSLATIONS
        return statistic.bind(scored_items(human, segments, systems, np.ones(human.size)))

    @cached_property
    def _value(self) -> float:
        return self._measure(self._human, self._segments).value(self._metric.copy())

    def gives_a_number(self) -> str:
        again = self._measure(self._human, self._segments).value(self._metric.copy())
        hold(isinstance(self._value, float), f"it gives a {type(self._value).__name__}")
        hold(np.array_equal(self._value, again, equal_nan=True), f"it gives {self._value} and then {again}")
        return "NaN here" if np.isnan(self._value) else ""

    def is_invariant(self) -> None:
        order = np.random.default_rng(SEED + 1).permutation(self._human.size)
        other = self._measure(self._human[order], self._segments[order]).value(self._metric[order])
        hold(_close(self._value, other), f"it gives {self._value}, and in another order {other}")

    def changes_nothing(self) -> None:
        human, metric = self._human.copy(), self._metric.copy()
        self._measure(human, self._segments).value(metric)
        hold(
            (human == self._human).all() and (metric == self._metric).all(),
            "it changes the arrays that it gets",
        )

    def resamples(self) -> None:
        measure = self._measure(self._human, self._segments)
        first, second = (measure.resampled(self._metric.copy(), RESAMPLES, SEED) for _ in range(2))
        hold(first.shape == (RESAMPLES,), f"they have the shape {first.shape}")
        hold(np.array_equal(first, second, equal_nan=True), "they differ")

    def is_undefined(self) -> None:
        for human, metric in (
            (np.ones(4), np.arange(4.0)),
            (np.arange(4.0), np.ones(4)),
            (np.ones(1), np.ones(1)),
        ):
            value = self._measure(human, np.arange(human.size)).value(metric)
            hold(not np.isinf(value), f"it gives {value} for people's scores {human} and a metric's {metric}")

    def depends(self) -> str:
        measure = self._measure(self._human, self._segments)
        changed = {
            "shifted": self._metric + 5.0,
            "doubled": self._metric * 2.0,
            "ranked": np.argsort(np.argsort(self._metric)).astype(np.float64),
        }
        same = [what for what, metric in changed.items() if _close(self._value, measure.value(metric))]
        return (
            f"it is the same for scores that are {', '.join(same)}"
            if same
            else "it changes with the scale of scores"
        )


def _close(one: float, other: float) -> bool:
    return bool(np.isclose(one, other, rtol=ROUNDING, atol=ROUNDING, equal_nan=True))
