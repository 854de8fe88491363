"""The kernel as an autograd function, with jumps too: finite differences, brute force, and objectives over it."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm.data import Judgments
from pfsm.lattice.arrays import ArcFeatures, LatticeBatch
from pfsm.model.builder import LatticeBuilder
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from pfsm_kernels.inference import Expectations
from pfsm_kernels.lattice.lattices import Lattices
from pfsm_training import LogLinearMachine, log_sum, train
from pfsm_training.config import config_from_dict
from tests.kernels.lattice_cases import Numbered, number, random_named
from tests.oracles.enumeration import Arc, EditLattice, Link, enumerate_all

INSERTS, DELETES = ("Insert:function", "Insert:content"), ("Delete:function", "Delete:content")
MATCHES = ("S_word", "S_para")
LINKED = EditLattice(
    ("Delete:content", "Delete:function", "Delete:content"),
    ("Insert:content", "Insert:content", "Insert:function"),
    (
        Arc(0, 1, 0, 1, "S_word", 0.3, -0.2),
        Arc(0, 1, 0, 1, "S_para", -0.1),  # a second offer of the same block
        Arc(1, 1, 1, 1, "S_word", 0.0, 0.7),
        Arc(0, 2, 0, 1, "S_para", 0.4),
        Arc(1, 2, 1, 2, "S_word", -0.6),
        Arc(2, 1, 2, 1, "S_word", 0.2, 0.5),
    ),
    (Link(1, 1, "link:subject"), Link(2, 2, "link:object")),
)
EMPTY = EditLattice((), ())


def small_cases(seed: int) -> tuple[Numbered, dict[str, float]]:
    rng = np.random.default_rng(seed)
    named = [LINKED, EMPTY, *(random_named(rng, INSERTS, DELETES, MATCHES) for _ in range(3))]
    states = (*INSERTS, *DELETES, *MATCHES)
    names = [*states, *(f"{prev}>{cur}" for prev in states for cur in states), "link:subject", "link:object"]
    weights = dict(zip(names, rng.normal(size=len(names)).tolist(), strict=True))
    return number(named, weights), weights


def parameters(case: Numbered) -> tuple[Tensor, Tensor, Tensor]:
    arcs = np.zeros(case.lattices.arcs.shape[0]) if case.weights.arcs is None else case.weights.arcs
    assert case.weights.links is not None
    table, arcs_, links = (torch.tensor(part) for part in (case.weights.table, arcs, case.weights.links))
    return table.requires_grad_(), arcs_.requires_grad_(), links.requires_grad_()


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_are_those_of_central_differences(seed: int) -> None:
    case, _ = small_cases(seed)
    table, arcs, links = parameters(case)

    def with_all(*weights: Tensor) -> Tensor:
        return log_sum(weights[0], case.lattices, weights[1], weights[2])

    def with_arcs(*weights: Tensor) -> Tensor:
        return log_sum(weights[0], case.lattices, weights[1])

    def with_table(*weights: Tensor) -> Tensor:
        return log_sum(weights[0], case.lattices)

    for function, inputs in (
        (with_all, (table, arcs, links)),
        (with_arcs, (table, arcs)),
        (with_table, (table,)),
    ):
        assert torch.autograd.gradcheck(function, inputs, eps=1e-5, atol=1e-8, rtol=1e-7)


@pytest.mark.parametrize("seed", range(6, 12))
def test_values_and_derivatives_are_those_of_all_edit_sequences(seed: int) -> None:
    case, weights = small_cases(seed)
    table, arcs, links = parameters(case)
    y = log_sum(table, case.lattices, arcs, links)
    for pair, lattice in enumerate(case.named):
        truth = enumerate_all(lattice, weights)
        assert float(y[pair].detach()) == pytest.approx(truth.log_sum, abs=1e-9)
        gradients = torch.autograd.grad(y[pair], (table, arcs, links), retain_graph=True)
        of_table = np.zeros((len(case.named), *table.shape))
        of_table[pair] = gradients[0].numpy()
        found = Expectations(np.zeros(0), of_table, gradients[1].numpy(), gradients[2].numpy())
        for name, count in case.named_counts(pair, found).items():
            assert count == pytest.approx(truth.expected_counts.get(name, 0.0), abs=1e-9), name
        assert case.oracle_order(pair, found.arcs) == pytest.approx(truth.arc_posteriors, abs=1e-9)
        assert case.oracle_order(pair, found.links) == pytest.approx(truth.link_posteriors, abs=1e-9)


def test_a_second_derivative_is_refused_and_not_silently_zero() -> None:
    case, _ = small_cases(21)
    table, arcs, links = parameters(case)
    loss = log_sum(table, case.lattices, arcs, links).square().sum()
    (first,) = torch.autograd.grad(loss, table, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        (first.sum() + table.square().sum()).backward()  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_weight_that_is_no_number_is_refused(bad: float) -> None:
    case, _ = small_cases(22)
    table, arcs, links = parameters(case)
    with pytest.raises(ValueError, match="arcs"):
        log_sum(table, case.lattices, torch.full_like(arcs, bad), links)


ARC_NAMES, LINK_NAMES = ("rare:word", "rare:stem"), ("link:subject", "link:object")


def predicted(machine: LogLinearMachine, batch: LatticeBatch) -> NDArray[np.float64]:
    return np.asarray(machine(batch).detach().numpy())


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


REFERENCES = ["we met on Tuesday", "one two three four", "a b", "to be or not to be"]
HYPOTHESES = ["on Tuesday we met", "three four one two", "b a", "not to be or to be"]


def batch(max_jump: int) -> LatticeBatch:
    builder = LatticeBuilder(settings_from_dict({"max_jump": max_jump}, "test"))
    return builder.build(REFERENCES, HYPOTHESES)


@pytest.mark.parametrize("max_jump", [1, 4])
def test_derivatives_with_jumps_are_those_of_central_differences(max_jump: int) -> None:
    lattices = batch(max_jump)
    rng = np.random.default_rng(max_jump)
    n_states, n_arcs = len(lattices.states), lattices.lattices.arcs.shape[0]
    table = torch.tensor(rng.normal(size=(n_states + 1, n_states))).requires_grad_()
    arcs, links = (torch.tensor(rng.normal(size=n_arcs)).requires_grad_() for _ in range(2))

    def with_jumps(*weights: Tensor) -> Tensor:
        return log_sum(weights[0], lattices.lattices, weights[1], weights[2], jumps=lattices.jumps)

    assert torch.autograd.gradcheck(with_jumps, (table, arcs, links), atol=1e-7, rtol=1e-6)


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
