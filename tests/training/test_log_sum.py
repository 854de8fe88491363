"""The kernel as an autograd function, with jumps too: finite differences, brute force, and objectives over it."""

import numpy as np
import pytest
import torch
from torch import Tensor

from pfsm.lattice.arrays import LatticeBatch
from pfsm.model.builder import LatticeBuilder
from pfsm.model.settings import settings_from_dict
from pfsm_training import log_sum
from tests.kernels.lattice_cases import Numbered, number, random_named
from tests.oracles.enumeration import Arc, EditLattice, Link

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


def small_case(seed: int) -> Numbered:
    rng = np.random.default_rng(seed)
    named = [LINKED, EMPTY, *(random_named(rng, INSERTS, DELETES, MATCHES) for _ in range(3))]
    states = (*INSERTS, *DELETES, *MATCHES)
    names = [*states, *(f"{prev}>{cur}" for prev in states for cur in states), "link:subject", "link:object"]
    weights = dict(zip(names, rng.normal(size=len(names)).tolist(), strict=True))
    return number(named, weights)


def parameters(case: Numbered) -> tuple[Tensor, Tensor, Tensor]:
    arcs = np.zeros(case.lattices.arcs.shape[0]) if case.weights.arcs is None else case.weights.arcs
    assert case.weights.links is not None
    table, arcs_, links = (torch.tensor(part) for part in (case.weights.table, arcs, case.weights.links))
    return table.requires_grad_(), arcs_.requires_grad_(), links.requires_grad_()


def test_derivatives_are_those_of_central_differences() -> None:
    case = small_case(0)
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


def test_a_second_derivative_is_refused_and_not_silently_zero() -> None:
    case = small_case(21)
    table, arcs, links = parameters(case)
    loss = log_sum(table, case.lattices, arcs, links).square().sum()
    (first,) = torch.autograd.grad(loss, table, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        (first.sum() + table.square().sum()).backward()  # type: ignore[no-untyped-call]


def test_a_weight_that_is_no_number_is_refused() -> None:
    case = small_case(22)
    table, arcs, links = parameters(case)
    with pytest.raises(ValueError, match="arcs"):
        log_sum(table, case.lattices, torch.full_like(arcs, float("nan")), links)


REFERENCES = ["we met on Tuesday", "one two three four", "a b", "to be or not to be"]
HYPOTHESES = ["on Tuesday we met", "three four one two", "b a", "not to be or to be"]


def batch(max_jump: int) -> LatticeBatch:
    builder = LatticeBuilder(settings_from_dict({"max_jump": max_jump}, "test"))
    return builder.build(REFERENCES, HYPOTHESES)


def test_derivatives_with_jumps_are_those_of_central_differences() -> None:
    max_jump = 4
    lattices = batch(max_jump)
    rng = np.random.default_rng(max_jump)
    n_states, n_arcs = len(lattices.states), lattices.lattices.arcs.shape[0]
    table = torch.tensor(rng.normal(size=(n_states + 1, n_states))).requires_grad_()
    arcs, links = (torch.tensor(rng.normal(size=n_arcs)).requires_grad_() for _ in range(2))

    def with_jumps(*weights: Tensor) -> Tensor:
        return log_sum(weights[0], lattices.lattices, weights[1], weights[2], jumps=lattices.jumps)

    assert torch.autograd.gradcheck(with_jumps, (table, arcs, links), atol=1e-7, rtol=1e-6)
