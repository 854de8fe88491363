"""Switches of the paper: raw scores, and features of Jump pruned like others."""

import numpy as np
import pytest

from pfsm.data import Judgments
from pfsm.errors import PfsmError
from pfsm.model.metric import Metric
from pfsm_training import train
from pfsm_training.config import config_from_dict
from pfsm_training.lattices.features import frequent
from tests.training.small_data import invented


def test_raw_scores_are_ridge_regression_in_their_units() -> None:
    """A model of features alone has a closed form: the constant is not penalised, the weights are."""
    data = invented(1)
    values = {"edits": False, "features": ["chrf"], "lambda": 30.0}
    raw = train(data, config=config_from_dict(values | {"standardise": False}, "test"), threads=1)
    assert (raw.scale.mean, raw.scale.sd) == (0.0, 1.0)
    mean, sd = raw.settings.features["chrf"] or (0.0, 1.0)
    from pfsm.metrics import get_metric

    column = (get_metric("chrf").score_pairs(data.hypotheses, data.references) - mean) / sd
    design = np.column_stack([column, np.ones(len(data))])
    weights = np.linalg.solve(design.T @ design + np.diag([30.0, 0.0]), design.T @ data.scores)
    assert [*raw.weights.values(), raw.alpha] == pytest.approx(weights.tolist(), rel=1e-6)
    scores = Metric(raw, 1).score_pairs(data.hypotheses, data.references)
    assert scores == pytest.approx(design @ weights, rel=1e-6)
    assert raw.training["standardise"] is False
    # Standardised, lambda is for weights in standard deviations: the same predictions, as the model is linear.
    usual = train(data, config=config_from_dict(values, "test"), threads=1)
    assert "standardise" not in usual.training
    assert Metric(usual, 1).score_pairs(data.hypotheses, data.references) == pytest.approx(scores, rel=1e-6)


def test_raw_scores_of_a_machine_differ_from_standardised_ones() -> None:
    data = invented(2)
    values = {"lambda": 5.0, "start": "matches"}
    usual, raw = (
        train(data, config=config_from_dict(values | {"standardise": flag}, "test"), threads=1)
        for flag in (True, False)
    )
    assert raw.scale.sd == 1.0 != usual.scale.sd
    assert raw.fingerprint != usual.fingerprint
    assert raw.training["pearson"] > 0.5


def test_features_of_jump_are_pruned() -> None:
    counts = {"Insert": 4, "Delete": 5, "Jump": 6, "Jump>Insert": 6, "Delete>Jump": 6, "Jump>Jump": 0}
    assert frequent(counts, jumps=True) == ("Delete", "Jump", "Delete>Jump")
    assert frequent(counts) == ("Delete", "Jump", "Jump>Insert", "Delete>Jump", "Jump>Jump")
    references = tuple(f"one{k} two{k} three{k} four{k}" for k in range(8))
    hypotheses = (
        *("two0 one0 three0 four0", "one1 three1 two1 four1", "two2 three2"),
        *(" ".join(line.split()[: 1 + k % 4]) for k, line in enumerate(references[3:])),
    )
    data = Judgments(references, hypotheses, np.arange(8.0), {}, ())
    kept, pruned = (
        train(
            data,
            config=config_from_dict({"max_jump": 1, "start": "zero", "prune_jumps": flag}, "test"),
            threads=1,
        )
        for flag in (False, True)
    )
    counts = kept.training["instances"]
    rare = {
        name
        for name in counts
        if "Jump" in name and min(map(counts.__getitem__, {name, *name.split(">")})) < 5
    }
    assert rare
    assert rare <= set(kept.weights)
    assert set(pruned.weights) == set(kept.weights) - rare
    assert pruned.training["prune_jumps"] is True


@pytest.mark.parametrize("key", ["standardise", "prune_jumps"])
def test_both_are_flags(key: str) -> None:
    with pytest.raises(PfsmError, match=f"test: {key} is 'yes', it must be true or false"):
        config_from_dict({key: "yes"}, "test")
