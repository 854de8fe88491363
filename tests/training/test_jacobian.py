"""Exact derivatives of every prediction in every learned weight, against central differences of predictions."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm.lattice.arrays import LatticeBatch, SentenceFeatures
from pfsm.lattice.names import transition
from pfsm.model.builder import LatticeBuilder
from pfsm.model.settings import settings_from_dict
from pfsm_kernels.lattice.lattices import table_shape
from pfsm_training import LogLinearMachine, log_sum
from pfsm_training.lattices.features import feature_index, frequent, instances
from tests.oracles.log_linear import predictions as enumerated
from tests.training.small_data import STATES, invented, random_batch, random_features

Float = NDArray[np.float64]
ARC_NAMES, LINK_NAMES = ("rare:word", "rare:stem"), ("link:subject", "link:object")
SENTENCE_NAMES = ("feature:chrf", "feature:length")
TRANSITIONS = tuple(transition(prev, cur) for prev in STATES for cur in STATES)
EVERY = (*STATES, *TRANSITIONS, *ARC_NAMES, *LINK_NAMES, *SENTENCE_NAMES)


def featured(seed: int, pairs: int = 7, longest: int = 3) -> LatticeBatch:
    """A batch with every kind of feature and an empty pair, on which sentence features have values too."""
    batch = random_batch(seed, pairs=pairs, longest=longest, arcs=3.0)
    n_arcs = batch.lattices.arcs.shape[0]
    values = np.random.default_rng(seed).normal(size=(pairs, len(SENTENCE_NAMES)))
    return replace(
        batch,
        arc_features=random_features(seed, n_arcs, ARC_NAMES),
        link_features=random_features(seed + 1, n_arcs, LINK_NAMES),
        sentence_features=SentenceFeatures(SENTENCE_NAMES, values),
    )


def split_by_class(max_jump: int = 0, matching: str = "exclusive") -> LatticeBatch:
    """Real lattices whose Insert and word states are split by word class."""
    settings = settings_from_dict(
        {
            "split": ["Insert", "S_word"],
            "classes": {"negation": ["not", "lamp", "wind"], "function": ["the", "river", "bread"]},
            "max_jump": max_jump,
            "max_block": 2,
            "matching": matching,
        },
        "test",
    )
    judgments = invented(3, segments=5)
    return LatticeBuilder(settings).build([*judgments.references, ""], [*judgments.hypotheses, ""])


def random_machine(
    seed: int, learned: tuple[str, ...], fixed: tuple[str, ...] = (), threads: int = 1
) -> LogLinearMachine:
    values = np.random.default_rng(seed).normal(0.0, 0.7, len(learned) + len(fixed))
    start = dict(zip((*learned, *fixed), values.tolist(), strict=True))
    return LogLinearMachine(learned, start, 0.3, threads)


def differences(machine: LogLinearMachine, batch: LatticeBatch, step: float = 1e-5) -> Float:
    """The Jacobian by moving one parameter at a time."""
    columns = []
    for parameter in (machine.theta.detach().reshape(-1), machine.alpha.detach().reshape(-1)):
        for at in range(parameter.numel()):
            here = float(parameter[at])
            both = []
            for sign in (1.0, -1.0):
                parameter[at] = here + sign * step
                with torch.no_grad():
                    both.append(machine(batch).numpy().copy())
            parameter[at] = here
            columns.append((both[0] - both[1]) / (2 * step))
    return np.stack(columns, axis=1)


def agrees(machine: LogLinearMachine, batch: LatticeBatch) -> Float:
    """Checks predictions and Jacobian; returns the Jacobian."""
    predictions, jacobian = machine.with_jacobian(batch)
    with torch.no_grad():
        assert predictions == pytest.approx(machine(batch).numpy(), abs=1e-12)
    assert jacobian.shape == (len(batch), len(machine.learned) + 1)
    np.testing.assert_allclose(jacobian, differences(machine, batch), rtol=0.0, atol=1e-8)
    assert (jacobian[:, -1] == 1.0).all()
    return jacobian


def test_every_kind_of_feature() -> None:
    seed = 0
    batch = featured(seed, pairs=15, longest=4)
    jacobian = agrees(random_machine(seed, EVERY), batch)
    for names in (STATES, TRANSITIONS, ARC_NAMES, LINK_NAMES, SENTENCE_NAMES):
        columns = [EVERY.index(name) for name in names]
        assert np.abs(jacobian[:, columns]).max() > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_predictions_are_those_of_every_edit_sequence(seed: int) -> None:
    batch, machine = featured(seed), random_machine(seed, EVERY)
    weights = machine.weights()
    sentence = batch.sentence_features.values @ [weights[name] for name in SENTENCE_NAMES]
    found, _ = machine.with_jacobian(batch)
    assert found == pytest.approx(enumerated(batch, weights, 0.3) + sentence, abs=1e-9)


def test_fixed_weights_count_and_have_no_column() -> None:
    seed = 1
    batch = featured(seed)
    mixed = tuple(np.random.default_rng(seed).permutation(EVERY).tolist())
    learned, fixed = mixed[:25], mixed[25:45]
    jacobian = agrees(random_machine(seed, learned, fixed), batch)
    # The same derivatives as where those weights are learned too.
    both = random_machine(seed, (*learned, *fixed))
    np.testing.assert_allclose(jacobian[:, :25], both.with_jacobian(batch)[1][:, :25], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(("max_jump", "matching"), [(0, "overlapping"), (3, "exclusive")])
def test_states_split_by_word_class_move_their_shared_weights_too(max_jump: int, matching: str) -> None:
    batch = split_by_class(max_jump, matching)
    learned = frequent(instances(batch))
    assert {"Insert", "Insert:negation", "Insert:content", "S_word:content", "S_word"} <= set(learned)
    assert "Delete>Insert" in learned
    assert "Delete>Insert:content" in learned
    assert ("Jump" in learned) == bool(max_jump)
    machine = random_machine(6, learned)
    jacobian = agrees(machine, batch)
    parts = [at for at, name in enumerate(learned) if name.startswith("Insert:") and ">" not in name]
    whole = learned.index("Insert")
    np.testing.assert_allclose(jacobian[:, parts].sum(axis=1), jacobian[:, whole], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(("max_jump", "matching", "size"), [(0, "exclusive", 60.0), (3, "overlapping", 1.0)])
def test_parts_that_differ_in_visits_alone(max_jump: int, matching: str, size: float) -> None:
    """Found by whole states, but for weights too large to be taken apart."""
    batch = split_by_class(max_jump, matching)
    learned = tuple(
        name
        for name in frequent(instances(batch))
        if not (":" in name and ">" in name) and name != "Insert:name"
    )
    machine = random_machine(10, learned, ("Insert:name", "S_word:function"))
    assert feature_index(batch, machine.learned, machine.initial).whole is not None
    with torch.no_grad():
        machine.theta[learned.index("Insert:content")] = size
    agrees(machine, batch)


@pytest.mark.parametrize("max_jump", [0, 4])
def test_the_sum_as_a_function_of_pytorch(max_jump: int) -> None:
    """By central differences; its second derivative is refused, not silently zero."""
    batch, rng = split_by_class(max_jump, "overlapping"), np.random.default_rng(max_jump)
    n_arcs = batch.lattices.arcs.shape[0]
    sizes = table_shape(len(batch.states)), n_arcs, n_arcs
    weights = tuple(torch.tensor(rng.normal(size=size)).requires_grad_() for size in sizes)

    def sums(table: Tensor, arcs: Tensor | None = None, links: Tensor | None = None) -> Tensor:
        return log_sum(table, batch.lattices, arcs, links, jumps=batch.jumps)

    for number in (1, 2, 3):
        assert torch.autograd.gradcheck(sums, weights[:number], atol=1e-7, rtol=1e-6, fast_mode=True)
    (first,) = torch.autograd.grad(sums(*weights).square().sum(), weights[:1], create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        (first.sum() + weights[0].square().sum()).backward()  # type: ignore[no-untyped-call]
    with pytest.raises(ValueError, match="arcs"):
        sums(weights[0], torch.full_like(weights[1], float("nan")))
