"""Everything that a report says, as numbers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.runtime.progress import Stage
from pfsm_training.data.moments import mean_and_sd
from pfsm_training.fit.crossval import HeldOut
from pfsm_training.fit.training import AREA, PATIENCE, Training
from pfsm_training.report.items import local, segments_of
from pfsm_training.report.learning_curve import LearningCurve, learning_curve
from pfsm_training.report.residuals import Errors, ErrorTable, error_tables
from pfsm_training.report.weights import FEWEST_SEGMENTS, Intervals, weight_intervals
from pfsm_training.report.worst import WorstSegment, worst_segments

Float = NDArray[np.float64]
Rows = NDArray[np.int64]

TOO_MUCH_MEMORY = "the derivatives of all predictions would take too much memory"


@dataclass(frozen=True, eq=False)
class Findings:
    """What a report says.

    Attributes:
        training: The training.
        curve: The learning curve, or why there is none.
        intervals: Of the weights, or why there are none.
        judgments: Errors of judgments by length and group.
        preferences: Errors of preferences by length and group.
        worst: The worst segments.
    """

    training: Training
    curve: LearningCurve | str
    intervals: Intervals | str
    judgments: tuple[ErrorTable, ...]
    preferences: tuple[ErrorTable, ...]
    worst: tuple[WorstSegment, ...]


def findings(training: Training) -> Findings:
    """Works out a report. PyTorch must run on one thread, so that sums add in the same order.

    Raises:
        PfsmError: If PFSM_SEED is no seed.
    """
    data = training.data
    segments = segments_of(training.judgments, training.preferences)
    curve = learning_curve(training, segments)
    with Stage(AREA, "report: derivatives", patience=PATIENCE):
        at = local(training)
    intervals = TOO_MUCH_MEMORY if at is None else weight_intervals(training, at, segments)
    if intervals is None:
        intervals = f"intervals of weights need {FEWEST_SEGMENTS} segments or more"
    held_out, margins = _held_out(training)
    errors = (held_out - data.scores) / mean_and_sd(data.scores, data.weights)[1]
    return Findings(
        training,
        curve,
        intervals,
        _tables_of_judgments(training, errors, segments),
        _tables_of_preferences(training, margins, segments),
        tuple(worst_segments(training, errors, margins)),
    )


def _held_out(training: Training) -> tuple[Float, Float]:
    """Held-out predictions of judgments and margins of preferences."""
    kept = training.validated.held_out
    if kept is None:
        kept = HeldOut.unknown(training.data.scores.size, training.data.votes.size)
    return kept.scores, kept.better - kept.worse


def _tables_of_judgments(training: Training, errors: Float, segments: Rows) -> tuple[ErrorTable, ...]:
    part = training.judgments
    if part is None:
        return ()
    weights = training.data.weights
    weights = np.ones(errors.size) if weights is None else weights
    return tuple(
        error_tables(Errors(errors, weights, segments[: errors.size], part.references, part.columns))
    )


def _tables_of_preferences(training: Training, margins: Float, segments: Rows) -> tuple[ErrorTable, ...]:
    part = training.preferences
    if part is None:
        return ()
    wrong = np.where(np.isfinite(margins), np.where(margins > 0.0, 0.0, 1.0), np.nan)
    last = segments[segments.size - margins.size :]
    return tuple(error_tables(Errors(wrong, part.votes, last, part.references, part.columns)))
