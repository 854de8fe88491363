"""Test sets as questions to `pfsm.evaluation`, which has the statistics and resamples."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pfsm.data import Judgments
from pfsm.evaluation.catalogue import (
    BY_LEVEL,
    DOCUMENT,
    PREFERENCES,
    SEGMENT,
    Statistic,
    level_and_name,
)
from pfsm.evaluation.engine import Float, check_units
from pfsm.evaluation.questions import Question, absolute_question, preference_question
from pfsm_experiments.data import TestSet

AnyQuestion = Question[Any]
"""Of absolute scores, or of preferences."""


def question_of(
    test: TestSet, level: str = SEGMENT, resample: str | None = None, *, lengths: bool = False
) -> AnyQuestion:
    """What a test set asks; arguments and errors as in `pfsm.evaluation.absolute_question`."""
    if not isinstance(test.data, Judgments):
        return preference_question(test.data, test.files, test.groups, resample=resample)
    # Documents are drawn at their own level, whatever is drawn elsewhere.
    drawn = None if level == DOCUMENT else resample
    return absolute_question(test.data, test.files, test.groups, level, resample=drawn, lengths=lengths)


def metric_scores(test: TestSet, scores: Float) -> Float:
    """Scores as `pfsm.evaluation` takes them.

    Args:
        test: The test set.
        scores: float64 [n], or [2 n] with the better translations first; NaN where the row was not tested.

    Returns:
        float64 [n], or [n, 2].
    """
    if isinstance(test.data, Judgments):
        return scores
    return np.ascontiguousarray(scores.reshape(2, -1).T)


def by_level(test: TestSet, names: Sequence[str]) -> dict[str, dict[str, Statistic[Any]]]:
    """Level -> name of a statistic as given -> the statistic."""
    found: dict[str, dict[str, Statistic[Any]]] = {}
    for name in names:
        level, canonical = level_and_name(name)
        level = level or SEGMENT
        table = BY_LEVEL[level] if isinstance(test.data, Judgments) else PREFERENCES
        found.setdefault(level, {})[name] = table[canonical]
    return found


def questions_of(
    test: TestSet, names: Sequence[str], resample: str
) -> list[tuple[AnyQuestion, dict[str, Statistic[Any]]]]:
    """The questions of a test set, one a level, each with the statistics to answer it by, by name."""
    return [
        (
            question_of(
                test, level, resample, lengths=any("lengths" in one.needs for one in statistics.values())
            ),
            statistics,
        )
        for level, statistics in by_level(test, names).items()
    ]


def check_questions(test: TestSet, names: Sequence[str], resample: str) -> None:
    """Finds out before the work begins whether the statistics can be worked out.

    Raises:
        PfsmError: If what is resampled does not go with the data or with a statistic.
    """
    for question, statistics in questions_of(test, names, resample):
        check_units(question, statistics.values())
