"""The scikit-learn estimator: the same as training by hand, scikit-learn's own checks where they apply, searches."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_checks as checks

from pfsm import Metric, PfsmError
from pfsm_training import TrainingConfig, train
from pfsm_training.sklearn import PfsmRegressor
from tests.training.small_data import invented

JUDGMENTS = invented(6, segments=20)
PAIRS = list(zip(JUDGMENTS.references, JUDGMENTS.hypotheses, strict=True))
SCORES = JUDGMENTS.scores


def test_it_is_training_and_scoring() -> None:
    model = train(JUDGMENTS, config=TrainingConfig(penalty=2.0), threads=1)
    fitted = PfsmRegressor(penalty=2.0, threads=1).fit(PAIRS, SCORES)
    expected = Metric(model, 1).score_pairs(JUDGMENTS.hypotheses, JUDGMENTS.references)
    np.testing.assert_allclose(fitted.predict(PAIRS), expected, rtol=1e-9)
    assert fitted.model_.settings == model.settings
    errors, spread = SCORES - expected, SCORES - SCORES.mean()
    assert fitted.score(PAIRS, SCORES) == pytest.approx(1.0 - errors @ errors / (spread @ spread))


def test_bad_weights_of_scores_are_refused() -> None:
    regressor = PfsmRegressor(threads=1)
    with pytest.raises(ValueError, match="60 pairs in X, but 59 numbers in sample_weight"):
        regressor.fit(PAIRS, SCORES, sample_weight=np.ones(59))
    with pytest.raises(ValueError, match="sample_weight contains a number that is not finite"):
        regressor.fit(PAIRS, SCORES, sample_weight=[np.nan, *np.ones(59)])
    with pytest.raises(PfsmError, match="row 2: sample_weight is -1, a weight must be 0 or from 1e-06"):
        regressor.fit(PAIRS, SCORES, sample_weight=[1.0, -1.0, *np.ones(58)])
    with pytest.raises(
        PfsmError, match="weights names a column, but X has texts alone; give the weights to fit"
    ):
        PfsmRegressor(weights="raters").fit(PAIRS, SCORES)


def test_other_forms_of_the_data() -> None:
    pairs = PAIRS[:30]
    fitted = PfsmRegressor(threads=1).fit(np.array(pairs, dtype=object), SCORES[:30].tolist())
    expected = fitted.predict(pairs)
    np.testing.assert_array_equal(fitted.predict(np.array(pairs)), expected)
    np.testing.assert_array_equal(fitted.predict([list(pair) for pair in pairs]), expected)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(pairs, columns=["reference", "hypothesis"])
    np.testing.assert_array_equal(fitted.predict(frame), expected)
    assert fitted.predict([]).shape == (0,)


def test_clones_and_copies() -> None:
    init = PfsmRegressor(threads=1).fit(PAIRS, SCORES).model_
    regressor = PfsmRegressor(max_jump=2, matchers=("word", "punct"), threads=1)
    copy = clone(regressor)
    assert copy is not regressor
    assert copy.get_params() == regressor.get_params()
    assert not hasattr(clone(regressor.fit(PAIRS[:20], SCORES[:20])), "model_")
    stored = pickle.loads(pickle.dumps(regressor))
    np.testing.assert_array_equal(stored.predict(PAIRS), regressor.predict(PAIRS))
    near = clone(PfsmRegressor(init=init, penalty=1e9, threads=1)).fit(PAIRS[:20], SCORES[:20])
    assert near.model_.weights == pytest.approx(dict(init.weights), abs=1e-4)


def test_scikit_learns_checks() -> None:
    for check in (
        checks.check_parameters_default_constructible,
        checks.check_no_attributes_set_in_init,
        checks.check_get_params_invariance,
        checks.check_set_params,
        checks.check_do_not_raise_errors_in_init_or_set_params,
        checks.check_estimator_cloneable,
        checks.check_estimator_repr,
        checks.check_mixin_order,
        checks.check_valid_tag_types,
    ):
        check("PfsmRegressor", PfsmRegressor())


@pytest.mark.parametrize(
    ("pairs", "scores", "fault"),
    [
        (
            [("a", "b"), "ab"],
            [1.0, 2.0],
            r"X\[1\] is 'ab', it must be a pair of strings: reference, hypothesis",
        ),
        ([("a", "b"), ("a", "b", "c")], [1.0, 2.0], r"X\[1\] is"),
        ([("a", "b")], [1.0, 2.0], "1 pairs in X, but 2 scores in y"),
        ([("a", "b"), ("a", "c")], [1.0, np.nan], "y contains a number that is not finite"),
    ],
)
def test_bad_data(pairs: Any, scores: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        PfsmRegressor(threads=1).fit(pairs, scores)


def test_parameters_are_refused_by_fit() -> None:
    with pytest.raises(PfsmError, match="PfsmRegressor: max_jump is -1, it must be a whole number from 0"):
        PfsmRegressor(max_jump=-1).fit(PAIRS, SCORES)
    with pytest.raises(PfsmError, match="start is 'one'"):
        PfsmRegressor(start="one").fit(PAIRS, SCORES)
    with pytest.raises(PfsmError, match="feature column:quality is a number of every translation"):
        PfsmRegressor(features=["column:quality"]).fit(PAIRS, SCORES)
    with pytest.raises(NotFittedError):
        PfsmRegressor().predict(PAIRS)


def test_every_key_of_a_configuration_is_a_parameter() -> None:
    from pfsm.model.settings import KEYS as SETTINGS
    from pfsm.runtime.names import SWITCHES, TRAINING

    renamed = {"lambda": "penalty"}
    known = {renamed.get(key, key) for key in (*SETTINGS, *TRAINING, *SWITCHES)} - {"counts"}
    assert known <= set(PfsmRegressor().get_params())
