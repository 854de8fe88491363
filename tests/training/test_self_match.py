"""The option ``self_match``: references matched with themselves, against expected counts and finite differences."""

import numpy as np
import pytest

from pfsm import Metric, PfsmError
from pfsm.lattice.names import DELETE
from pfsm_training import train
from pfsm_training.config import config_from_dict
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.self_match import SelfMatchLoss, lost_by_word, self_match_to_train
from pfsm_training.loss.module import LogLinearMachine
from tests.training.small_data import invented

JUDGED = invented(6)
LINES = sorted(set(JUDGED.references))


def test_what_is_lost_is_minus_the_log_of_the_probability_that_nothing_is_deleted() -> None:
    """Against the products of the probabilities of words, where these are nearly certain, and against differences."""
    config = config_from_dict({"self_match": 0.9}, "x")
    constraint = self_match_to_train(TrainingText(JUDGED, None, config.settings), config)
    assert constraint is not None
    assert len(constraint.same) == len(LINES)
    names = ("Insert", "Delete", "S_word", "S_word>S_word", "Insert>Delete")
    weights = dict(zip(names, (-0.5, -1.0, 1.5, 0.3, -0.2), strict=True))
    slopes = lost_by_word(LogLinearMachine(names, weights, 0.7), constraint.same)[1]
    assert slopes[-1] == 0.0
    for place, name in enumerate(names):
        up, down = (
            lost_by_word(LogLinearMachine(names, {**weights, name: weights[name] + step}), constraint.same)[0]
            for step in (1e-5, -1e-5)
        )
        assert slopes[place] == pytest.approx((up - down) / 2e-5, abs=1e-7)
    sure = {"S_word": 4.0, "S_punct": 4.0, "Insert": -1.0, "Delete": -1.0}
    machine = LogLinearMachine(tuple(sure), sure)
    counts = machine.with_jacobian(constraint.same)[1][:, list(sure).index(DELETE)] * 2.0
    assert lost_by_word(machine, constraint.same)[0] == pytest.approx(float(np.mean(counts)), rel=0.02)


def test_it_is_a_hinge() -> None:
    config = config_from_dict({"self_match": 0.9}, "x")
    constraint = self_match_to_train(TrainingText(JUDGED, None, config.settings), config)
    assert constraint is not None
    machine = LogLinearMachine(("S_word",), {"S_word": 0.5})
    lost = lost_by_word(machine, constraint.same)[0]
    for most in (0.5 * lost, 2.0 * lost):
        value, model = SelfMatchLoss(constraint.same, most, 3.0).quadratic(machine, free_alpha=False)
        assert value == pytest.approx(3.0 * max(0.0, lost - most) ** 2)
        assert model.hinges[0].slopes.shape == (1, 1)


def test_words_of_other_references_match_themselves() -> None:
    """Scores of random worth leave the edits nothing to say; with the constraint they still match."""
    others = sorted(set(invented(12, 30).references))
    unmatched = []
    for least in (0, 0.95):
        options = {"lambda": 50, "start": "zero", "self_match": least}
        model = train(JUDGED, config=config_from_dict(options, "x"), threads=1)
        aligned = Metric(model, 1).alignments(others, others)
        words = sum(len(pair.reference) for pair in aligned.pairs)
        unmatched.append(aligned.counts[:, aligned.parts.index(DELETE)].sum() / words)
    assert unmatched[0] > 0.1
    assert unmatched[1] < 0.05
    assert model.training["self_match"]["reached"] > 0.95


def test_where_it_cannot_be_had() -> None:
    assert config_from_dict({"form": "absolute"}, "x").self_match == 0.0
    assert config_from_dict({"matchers": ["lemma"], "encoder": {"tune": "head"}}, "x").self_match == 0.0
    assert config_from_dict({"encoder": {"tune": "head"}}, "x").self_match == 0.95
    with pytest.raises(PfsmError, match="self_match needs solver: gauss-newton"):
        config_from_dict({"solver": "lbfgs", "self_match": 0.5}, "x")
    with pytest.raises(PfsmError, match="self_match needs edits, and word among the matchers"):
        train(JUDGED, config=config_from_dict({"matchers": ["lemma"], "self_match": 0.5}, "x"), threads=1)
