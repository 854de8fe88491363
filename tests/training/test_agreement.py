"""What a training records of its agreement, against sums by hand: overfitting, intervals over the folds."""

import math

import numpy as np
import pytest
from scipy import stats

from pfsm_training.fit.crossval import training_interval
from tests.training.report_cases import kept, training_of
from tests.training.small_data import invented


def test_the_difference_is_taken_fold_by_fold() -> None:
    training = kept(invented(6, 20))
    predicted, scores = training.fitted.predict(training.data), training.data.scores
    record = training.model.training["overfitting"]
    parts = [training.folds.member == fold for fold in range(5)]
    seen = [float(np.corrcoef(predicted[part], scores[part])[0, 1]) for part in parts]
    assert list(record["seen"].values()) == pytest.approx(seen)
    differences = np.array(seen) - np.array(list(training.validated.folds.values()))
    assert record["difference"] == pytest.approx(differences.mean())
    low, high = stats.t.interval(0.95, 4, loc=differences.mean(), scale=stats.sem(differences))
    assert record["interval"] == pytest.approx([low, high])
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
