"""The kernel as an autograd function: values and derivatives against finite differences and brute force."""

import numpy as np
import pytest
import torch
from torch import Tensor

from pfsm_kernels import inference
from pfsm_kernels.inference import Expectations
from pfsm_training import log_sum
from tests.kernels.lattice_cases import Numbered, number, random_lattices, random_named, random_weights
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


@pytest.mark.parametrize("seed", range(6))
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


@pytest.mark.parametrize("seed", range(6, 18))
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


def test_the_derivative_of_a_weighted_sum_adds_up_over_pairs() -> None:
    case, _ = small_cases(18)
    weights = parameters(case)
    y = log_sum(weights[0], case.lattices, weights[1], weights[2])
    factors = torch.linspace(-2.0, 3.0, len(case.named), dtype=torch.float64)
    together = torch.autograd.grad(y, weights, factors, retain_graph=True)
    for k, found in enumerate(together):
        single = [torch.autograd.grad(one, weights, retain_graph=True)[k] for one in y]
        apart = sum((factor * part for factor, part in zip(factors, single, strict=True)), torch.zeros(()))
        torch.testing.assert_close(found, apart, rtol=1e-13, atol=1e-13)


def test_an_empty_pair_has_value_and_derivatives_zero() -> None:
    lattices = number([EMPTY, LINKED], {}).lattices
    table = torch.ones((lattices.n_states + 1, lattices.n_states), dtype=torch.float64, requires_grad=True)
    y = log_sum(table, lattices)
    assert float(y[0].detach()) == 0.0
    assert not torch.autograd.grad(y[0], table)[0].any()


def test_derivatives_go_only_where_they_are_asked_for() -> None:
    case, _ = small_cases(19)
    table, arcs, links = parameters(case)
    full = torch.autograd.grad(log_sum(table, case.lattices, arcs, links).sum(), (table, arcs, links))
    arcs_alone = log_sum(table.detach(), case.lattices, arcs, links.detach()).sum()
    assert torch.equal(torch.autograd.grad(arcs_alone, arcs)[0], full[1])
    links_alone = log_sum(table.detach(), case.lattices, arcs.detach(), links).sum()
    assert torch.equal(torch.autograd.grad(links_alone, links)[0], full[2])


def test_without_derivatives_the_values_are_the_same() -> None:
    case, _ = small_cases(20)
    table, arcs, links = parameters(case)
    known = log_sum(table, case.lattices, arcs, links)
    with torch.no_grad():
        plain = log_sum(table, case.lattices, arcs, links)
    assert not plain.requires_grad
    torch.testing.assert_close(plain, known.detach(), rtol=1e-13, atol=1e-13)


def test_a_second_derivative_is_refused_and_not_silently_zero() -> None:
    case, _ = small_cases(21)
    table, arcs, links = parameters(case)
    loss = log_sum(table, case.lattices, arcs, links).square().sum()
    (first,) = torch.autograd.grad(loss, table, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        (first.sum() + table.square().sum()).backward()  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("scale", [1.0, 40.0], ids=["linear space", "log space too"])
def test_values_and_derivatives_do_not_depend_on_threads(
    scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    sizes = [(int(m), int(n)) for m, n in rng.integers(0, 13, (60, 2))]
    lattices = random_lattices(rng, sizes, 6, max_block=2)
    weights = random_weights(rng, lattices, scale)
    assert weights.arcs is not None
    assert weights.links is not None
    arrays = [weights.table, weights.arcs, weights.links]
    tensors = [torch.tensor(array, requires_grad=True) for array in arrays]
    factors = torch.tensor(rng.normal(size=len(lattices)))
    # So that these few pairs make many tasks.
    monkeypatch.setattr(inference, "CELLS_PER_TASK", 100)

    def run(threads: int) -> list[bytes]:
        y = log_sum(tensors[0], lattices, tensors[1], tensors[2], threads)
        return [part.detach().numpy().tobytes() for part in (y, *torch.autograd.grad(y, tensors, factors))]

    alone = run(1)
    assert run(2) == alone
    assert run(5) == alone


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_weight_that_is_no_number_is_refused(bad: float) -> None:
    case, _ = small_cases(22)
    table, arcs, links = parameters(case)
    with pytest.raises(ValueError, match="arcs"):
        log_sum(table, case.lattices, torch.full_like(arcs, bad), links)


def test_single_precision_is_refused() -> None:
    case, _ = small_cases(23)
    with pytest.raises(ValueError, match="float64"):
        log_sum(parameters(case)[0].detach().float(), case.lattices)
