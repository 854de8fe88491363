"""The kernel as an autograd function, with jumps too: finite differences, and what is refused."""

import numpy as np
import pytest
import torch
from torch import Tensor

from pfsm.lattice.arrays import LatticeBatch
from pfsm.model.builder import LatticeBuilder
from pfsm.model.settings import settings_from_dict
from pfsm_training import log_sum

REFERENCES = ["we met on Tuesday", "one two three four", "a b", "to be or not to be", ""]
HYPOTHESES = ["on Tuesday we met", "three four one two", "b a", "not to be or to be", ""]


def drawn(max_jump: int) -> tuple[LatticeBatch, tuple[Tensor, Tensor, Tensor]]:
    """Lattices with blocks and overlapping offers, and random weights in the table, on arcs and on links."""
    settings = {"max_jump": max_jump, "max_block": 2, "matching": "overlapping"}
    batch = LatticeBuilder(settings_from_dict(settings, "test")).build(REFERENCES, HYPOTHESES)
    rng = np.random.default_rng(max_jump)
    n_states, n_arcs = len(batch.states), batch.lattices.arcs.shape[0]
    table, arcs, links = (
        torch.tensor(rng.normal(size=shape)).requires_grad_()
        for shape in ((n_states + 1, n_states), n_arcs, n_arcs)
    )
    return batch, (table, arcs, links)


@pytest.mark.parametrize("max_jump", [0, 4])
def test_derivatives_are_those_of_central_differences(max_jump: int) -> None:
    batch, weights = drawn(max_jump)

    def sums(*given: Tensor) -> Tensor:
        table, arcs, links = (*given, None, None)[:3]
        assert table is not None
        return log_sum(table, batch.lattices, arcs, links, jumps=batch.jumps)

    for number in (1, 2, 3):
        assert torch.autograd.gradcheck(sums, weights[:number], atol=1e-7, rtol=1e-6)


def test_a_second_derivative_is_refused_and_not_silently_zero() -> None:
    batch, (table, arcs, links) = drawn(0)
    loss = log_sum(table, batch.lattices, arcs, links).square().sum()
    (first,) = torch.autograd.grad(loss, table, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        (first.sum() + table.square().sum()).backward()  # type: ignore[no-untyped-call]


def test_a_weight_that_is_no_number_is_refused() -> None:
    batch, (table, arcs, links) = drawn(0)
    with pytest.raises(ValueError, match="arcs"):
        log_sum(table, batch.lattices, torch.full_like(arcs, float("nan")), links)
