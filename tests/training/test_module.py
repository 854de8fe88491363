"""The log-linear machine: predictions and gradients against weights by name and every edit sequence."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pfsm.lattice.arrays import ArcFeatures, LatticeBatch
from pfsm.lattice.names import transition
from pfsm_kernels.lattice.lattices import Lattices
from pfsm_training import LogLinearMachine
from pfsm_training.loss.objective import Objective, SquaredError
from tests.oracles.log_linear import predictions, squared_error
from tests.training.small_data import STATES, random_batch, random_features

ARC_NAMES, LINK_NAMES = ("rare:word", "rare:stem"), ("link:subject", "link:object")
EVERY = (
    *STATES,
    *(transition(prev, cur) for prev in STATES for cur in STATES),
    *ARC_NAMES,
    *LINK_NAMES,
)


def featured_batch(seed: int) -> LatticeBatch:
    batch = random_batch(seed, pairs=7, longest=3, arcs=3.0)
    n_arcs = batch.lattices.arcs.shape[0]
    return replace(
        batch,
        arc_features=random_features(seed, n_arcs, ARC_NAMES),
        link_features=random_features(seed + 1, n_arcs, LINK_NAMES),
    )


def random_start(seed: int, names: tuple[str, ...] = EVERY) -> dict[str, float]:
    values = np.random.default_rng(seed).normal(0.0, 0.7, len(names))
    return dict(zip(names, values.tolist(), strict=True))


def predicted(machine: LogLinearMachine, batch: LatticeBatch) -> NDArray[np.float64]:
    return np.asarray(machine(batch).detach().numpy())


@pytest.mark.parametrize("seed", range(8))
def test_predictions_are_those_of_the_weights_by_name(seed: int) -> None:
    batch, start = featured_batch(seed), random_start(seed)
    machine = LogLinearMachine(EVERY, start, alpha=-0.4)
    assert machine.weights() == start
    assert predicted(machine, batch) == pytest.approx(predictions(batch, start, -0.4), abs=1e-9)


def test_the_featured_lattices_hold_what_they_are_meant_to_test() -> None:
    """Without any one kind of weight, some prediction is another."""
    batch, start = featured_batch(1), random_start(1)
    full = predictions(batch, start, 0.0)
    for names in (STATES, EVERY[6:42], ARC_NAMES, LINK_NAMES):
        without = {name: weight for name, weight in start.items() if name not in names}
        assert predictions(batch, without, 0.0) != pytest.approx(full, abs=1e-3)


@pytest.mark.parametrize("seed", range(1, 4))
def test_the_gradient_of_the_objective_is_that_of_central_differences(seed: int) -> None:
    batch = featured_batch(seed)
    learned = tuple(np.random.default_rng(seed).permutation(EVERY)[:30].tolist())
    weights, fixed = random_start(seed, learned), random_start(seed + 50)
    centre = random_start(seed + 100, learned)
    targets = np.random.default_rng(seed).normal(size=len(batch))
    machine = LogLinearMachine(learned, {**fixed, **weights}, alpha=0.3)
    at = torch.tensor([centre[name] for name in learned], dtype=torch.float64)
    objective = Objective((batch,), SquaredError(targets), 0.7, at)
    loss = objective(machine)
    of_theta, of_alpha = torch.autograd.grad(loss, [machine.theta, machine.alpha])

    def naive(changed: dict[str, float], alpha: float = 0.3) -> float:
        every = {**fixed, **weights, **changed}
        return squared_error(batch, targets.tolist(), every, alpha, 0.7, centre)

    step = 1e-5
    assert float(loss.detach()) == pytest.approx(naive({}), abs=1e-9)
    slope = (naive({}, 0.3 + step) - naive({}, 0.3 - step)) / (2 * step)
    assert float(of_alpha) == pytest.approx(slope, abs=1e-7)
    for name, found in zip(learned, of_theta.tolist(), strict=True):
        higher, lower = (naive({name: weights[name] + sign * step}) for sign in (1, -1))
        assert found == pytest.approx((higher - lower) / (2 * step), abs=1e-7), name


def test_weights_that_are_not_learned_count_and_stay() -> None:
    batch = featured_batch(4)
    fixed = {"Insert": -0.8, "Insert>Delete": 0.3, "link:subject": 1.1, "not in these lattices": 9.0}
    learned = ("S_word", "Delete", "link:object", "nor is this")
    machine = LogLinearMachine(learned, fixed)
    assert [name for name, _ in machine.named_parameters()] == ["theta", "alpha"]
    assert machine.theta.shape == (4,)
    assert predicted(machine, batch) == pytest.approx(predictions(batch, fixed, 0.0), abs=1e-9)
    with torch.no_grad():
        machine.theta.copy_(torch.tensor([0.5, -0.25, 2.0, 7.0]))
    expected = {**fixed, "S_word": 0.5, "Delete": -0.25, "link:object": 2.0, "nor is this": 7.0}
    assert machine.weights() == expected
    assert predicted(machine, batch) == pytest.approx(predictions(batch, expected, 0.0), abs=1e-9)


def test_what_has_no_weight_weighs_nothing() -> None:
    batch = featured_batch(5)
    machine = LogLinearMachine((), {})
    assert machine.weights() == {}
    assert predicted(machine, batch) == pytest.approx(predictions(batch, {}, 0.0), abs=1e-9)


def test_an_empty_pair_is_predicted_as_alpha() -> None:
    machine = LogLinearMachine(STATES, random_start(6, STATES), alpha=0.125)
    assert predicted(machine, featured_batch(6))[0] == 0.125


def linked_pair(subject: float) -> LatticeBatch:
    """Two words that match in order, the second with a link feature; and a block that has one in vain."""
    arcs = np.array([[0, 1, 0, 1, 2], [0, 2, 0, 2, 2], [1, 1, 1, 1, 2]], dtype=np.int32)
    lattices = Lattices(
        3,
        np.ones(2, dtype=np.int32),
        np.zeros(2, dtype=np.int32),
        arcs,
        np.array([[0, 0, 0], [2, 2, 3]], dtype=np.int64),
    )
    links = ArcFeatures(
        ("link:subject",),
        np.array([2, 1], dtype=np.int64),
        np.zeros(2, dtype=np.int32),
        np.array([subject, 100.0]),
    )
    return LatticeBatch(("Insert", "Delete", "S_word"), lattices, ArcFeatures(), links)


def test_a_link_feature_counts_on_the_second_of_two_single_words_only() -> None:
    """One sequence goes through both words; without the link it is worth 1 like all others."""
    machine = LogLinearMachine(("link:subject",), {"link:subject": 1.0})
    linked, unlinked = (np.exp(4.0 * predicted(machine, linked_pair(value))[0]) for value in (2.0, 0.0))
    # 6 orders of two Inserts and two Deletes, 2 around either word alone, both words, and the block.
    assert unlinked == pytest.approx(6 + 2 * 2 + 1 + 1)
    assert linked == pytest.approx(unlinked - 1 + np.exp(2.0))
