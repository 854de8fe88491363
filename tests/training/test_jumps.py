"""Training with jumps: derivatives, features, selection of pairs, and a model that uses them."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from pfsm.data import Judgments
from pfsm.lattice.arrays import LatticeBatch
from pfsm.model.builder import LatticeBuilder
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from pfsm_kernels.inference import expectations
from pfsm_training import LogLinearMachine, log_sum, train
from pfsm_training.config import config_from_dict
from pfsm_training.lattices.features import frequent, instances, select_pairs

REFERENCES = ["we met on Tuesday", "one two three four", "a b", "to be or not to be"]
HYPOTHESES = ["on Tuesday we met", "three four one two", "b a", "not to be or to be"]


def batch(max_jump: int) -> LatticeBatch:
    builder = LatticeBuilder(settings_from_dict({"max_jump": max_jump}, "test"))
    return builder.build(REFERENCES, HYPOTHESES)


@pytest.mark.parametrize("max_jump", [1, 2, 4])
def test_derivatives_are_those_of_central_differences(max_jump: int) -> None:
    lattices = batch(max_jump)
    rng = np.random.default_rng(max_jump)
    n_states, n_arcs = len(lattices.states), lattices.lattices.arcs.shape[0]
    table = torch.tensor(rng.normal(size=(n_states + 1, n_states))).requires_grad_()
    arcs, links = (torch.tensor(rng.normal(size=n_arcs)).requires_grad_() for _ in range(2))

    def with_jumps(*weights: Tensor) -> Tensor:
        return log_sum(weights[0], lattices.lattices, weights[1], weights[2], jumps=lattices.jumps)

    assert torch.autograd.gradcheck(with_jumps, (table, arcs, links), atol=1e-7, rtol=1e-6)


def test_features_of_jump_are_kept_however_rare() -> None:
    counts = instances(batch(2))
    names = frequent(counts)
    assert {"Jump", "S_word>Jump", "Jump>S_word", "Delete>Jump", "Jump>Insert", "Jump>Jump"} <= set(names)
    assert counts["Jump"] > 0
    assert not any("Jump" in name for name in instances(batch(0)))


def test_selected_pairs_jump_as_before() -> None:
    lattices = batch(4)
    weights = {"Jump": -0.5, "S_word": 1.0, "Insert": -1.0, "Delete": -1.2, "Jump>S_word": 0.3}
    chosen = np.array([3, 0])
    part = select_pairs(lattices, chosen)
    whole = expectations(lattices.lattices, lattices.weights(weights), 1, lattices.jumps)
    some = expectations(part.lattices, part.weights(weights), 1, part.jumps)
    assert np.array_equal(some.log_sum, whole.log_sum[chosen])
    assert np.array_equal(some.table, whole.table[chosen])


def swapped_judgments(n: int) -> Judgments:
    """Sentences in two halves, exchanged or not, with words replaced; the score counts the replaced words alone."""
    rng = np.random.default_rng(7)
    vocabulary = [f"word{number}" for number in range(400)]
    references, hypotheses, scores = [], [], []
    for _ in range(n):
        words = list(rng.choice(vocabulary, size=8, replace=False))
        halves = [words[:4], words[4:]]
        if rng.random() < 0.5:
            halves.reverse()
        wrong = int(rng.integers(0, 5))
        kept = [word for half in halves for word in half]
        for at in rng.choice(len(kept), size=wrong, replace=False):
            kept[at] = f"noise{at}"
        references.append(" ".join(words))
        hypotheses.append(" ".join(kept))
        scores.append(-float(wrong))
    return Judgments(tuple(references), tuple(hypotheses), np.array(scores), {}, ())


def test_jumps_are_learned_where_order_does_not_matter() -> None:
    judgments = swapped_judgments(120)
    fits = {
        limit: train(judgments, config=config_from_dict({"max_jump": limit, "lambda": 0.1}, "test"))
        for limit in (0, 5)
    }
    # Without jumps an exchanged sentence looks half wrong whatever else is wrong with it.
    assert fits[5].training["pearson"] > fits[0].training["pearson"] + 0.1
    assert fits[5].weights["Jump>S_word"] != 0.0
    metric = Metric(fits[5])
    scores = metric.score_pairs(judgments.hypotheses, judgments.references)
    again = Metric(replace(fits[5], name="copy"), threads=2).score_pairs(
        judgments.hypotheses, judgments.references
    )
    assert np.array_equal(scores, again)


def test_predictions_of_the_module_are_those_of_the_kernel() -> None:
    lattices = batch(2)
    weights = {"Jump": 0.4, "S_word": 0.8, "Insert": -0.5, "Delete": -0.7, "S_word>Jump": -0.2}
    machine = LogLinearMachine((), weights, 0.5)
    expected = expectations(lattices.lattices, lattices.weights(weights), 1, lattices.jumps).log_sum
    found = machine(lattices).detach().numpy()
    assert found == pytest.approx(expected / lattices.lattices.lengths + 0.5, abs=1e-12)
