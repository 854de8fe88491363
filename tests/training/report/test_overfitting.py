"""Seen and held-out agreement side by side, against sums by hand."""

import math

import numpy as np
import pytest
from scipy import stats

from pfsm_training.fit.crossval import overfitting, training_interval
from tests.training.report.report_cases import kept, training_of
from tests.training.small_data import invented


def test_the_difference_is_taken_fold_by_fold() -> None:
    training = kept(invented(6, 20))
    predicted, scores = training.fitted.predict(training.data), training.data.scores
    found = overfitting(predicted, training.data, training.folds, training.validated)
    seen = [
        float(
            np.corrcoef(predicted[training.folds.member == fold], scores[training.folds.member == fold])[0, 1]
        )
        for fold in range(5)
    ]
    assert list(found.seen.values()) == pytest.approx(seen)
    differences = np.array(seen) - np.array(list(training.validated.folds.values()))
    assert found.difference == pytest.approx(differences.mean())
    low, high = stats.t.interval(0.95, 4, loc=differences.mean(), scale=stats.sem(differences))
    assert found.interval == pytest.approx((low, high))
    record = training.model.training["overfitting"]
    assert record["difference"] == found.difference
    assert record["interval"] == list(found.interval)
    assert training.model.training["cross_validated"]["interval"] == list(training.validated.interval)


def test_the_interval_of_the_training_data_is_a_jackknife_over_the_folds() -> None:
    training = kept(invented(6, 20))
    predicted, scores = training.fitted.predict(training.data), training.data.scores
    everything = float(np.corrcoef(predicted, scores)[0, 1])
    pseudo = []
    for fold in range(5):
        rest = training.folds.member != fold
        pseudo.append(5 * everything - 4 * float(np.corrcoef(predicted[rest], scores[rest])[0, 1]))
    reach = stats.t.ppf(0.975, 4) * stats.sem(pseudo)
    found = training_interval(predicted, training.data, training.folds, "pearson")
    # On the scale of Fisher's z, where the reach is divided by the derivative of the way back.
    z = np.arctanh(everything) + np.array([-1.0, 1.0]) * reach / (1.0 - everything**2)
    assert found == pytest.approx(tuple(np.tanh(z)))
    assert training.model.training["pearson_interval"] == list(found)


def test_there_is_no_interval_where_folds_do_not_hold_the_preferences() -> None:
    """Judgments and preferences have other references here, so that no preference is ever held out."""
    record = training_of("both").model.training
    assert record["kendall_tau"] is not None
    assert record["kendall_tau_interval"] == [None, None]
    assert None not in record["pearson_interval"]


def test_one_segment_has_nothing_to_compare() -> None:
    record = kept(invented(6, 1, systems=7)).model.training
    assert record["overfitting"] == {"seen": {}, "difference": None, "interval": [None, None]}
    assert record["cross_validated"]["interval"] == [None, None]
    assert math.isfinite(record["pearson"])
