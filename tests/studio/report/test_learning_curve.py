"""The learning curve of a report against sums by hand."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from pfsm_studio.report import learning_curve as curves
from pfsm_studio.report.learning_curve import FEWEST_ITEMS, LearningCurve, learning_curve, segments_of
from pfsm_studio.report.sections import hint
from tests.training.report_cases import kept, training_of
from tests.training.small_data import invented


def test_parts_are_nested_and_hold_nothing_of_the_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    training = training_of("scores", 120)
    segments = segments_of(training.judgments, None)
    taken: list[set[int]] = []

    def trained(_: Any, items: Any, held_out: Any) -> float:
        assert len(items) + held_out.scores.size < segments.size
        taken.append(set(items.tolist()))
        return 0.1 + 1e-3 * len(items)

    monkeypatch.setattr(curves, "_trained", trained)
    found = learning_curve(training, segments)
    assert isinstance(found, LearningCurve)
    assert len(taken) == 5 * 6
    for fold in range(5):
        held_out = set(np.flatnonzero(training.folds.member == fold).tolist())
        eighths, quarters, halves = (
            taken[6 * fold + 2 * size : 6 * fold + 2 * size + 2] for size in range(3)
        )
        for small, large in ((eighths, quarters), (quarters, halves)):
            assert all(one < other for one, other in zip(small, large, strict=True))
        for first, second in (eighths, quarters, halves):
            assert not first & second
            assert not (first | second) & held_out
            assert not {int(segments[item]) for item in first} & {int(segments[item]) for item in second}
        assert halves[0] | halves[1] == set(range(segments.size)) - held_out
    assert [round(point.items) for point in found.points] == [36, 72, 144, 288]


def test_the_hint_continues_the_last_doubling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sums by hand: from half to all of 288 judgments each fold gains what we say; 360 judgments, 200 more."""
    training = training_of("scores", 120)
    gained = dict(zip(training.folds.names, (0.02, 0.03, 0.01, 0.02, 0.04), strict=True))
    known = training.validated.folds
    current: list[str] = []
    original = curves._fold

    def fold(one: Any, segments: Any, number: int, *rest: Any) -> Any:
        current[:] = [training.folds.names[number]]
        return original(one, segments, number, *rest)

    monkeypatch.setattr(curves, "_fold", fold)
    monkeypatch.setattr(curves, "_trained", lambda *_: known[current[0]] - gained[current[0]])
    found = learning_curve(training, segments_of(training.judgments, None))
    assert isinstance(found, LearningCurve)
    assert found.more == 200
    per_doubling = {
        "like 1/n": (1 / 360 - 1 / 560) / (1 / 144 - 1 / 288),
        "like 1/sqrt n": (360**-0.5 - 560**-0.5) / (144**-0.5 - 288**-0.5),
        "like log n": math.log(560 / 360) / math.log(2.0),
    }
    values = np.array(list(gained.values()))
    assert found.gain == pytest.approx(values.mean() * per_doubling["like 1/n"])
    ends = [
        stats.t.interval(0.95, 4, loc=(values * factor).mean(), scale=stats.sem(values * factor))
        for factor in per_doubling.values()
    ]
    assert found.low == pytest.approx(min(low for low, _ in ends))
    assert found.high == pytest.approx(max(high for _, high in ends))
    assert hint(found, "judgments", "r").startswith("200 more judgments are likely to add about 0.0")


@pytest.mark.parametrize("segments", [2, 20])
def test_too_few_judgments_have_no_curve(segments: int) -> None:
    training = kept(invented(3, segments))
    found = learning_curve(training, segments_of(training.judgments, None))
    assert isinstance(found, str)
    assert "needs" in found
    assert 3 * segments * 4 // 5 // 4 < FEWEST_ITEMS
    assert hint(found, "judgments", "Pearson's r") == ""
