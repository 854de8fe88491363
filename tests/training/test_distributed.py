"""Training in blocks without a cluster: blocks add up to the whole, whatever they are and whatever is selected."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pfsm.distributed import WorkerFaultError
from pfsm.model.settings import Settings
from pfsm_training import LogLinearMachine
from pfsm_training.data.distributed import ClusterData, build, encode_on
from pfsm_training.data.training_set import TrainingSet, block_offsets, encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.lattices.features import frequent
from pfsm_training.loss.objective import Loss, PairwiseLogistic, SquaredError, WeightedSum
from tests.training.report_cases import preferences_of
from tests.training.small_data import invented

if TYPE_CHECKING:
    from pfsm.distributed.cluster import Cluster

Rows = NDArray[np.int64]
JUDGMENTS = invented(0)
NONE: Rows = np.zeros(0, dtype=np.int64)


class AtOnce:
    """A cluster whose results are there as soon as they are asked for."""

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return work(*arguments)

    def results(self, futures: Sequence[Any]) -> list[Any]:
        return list(futures)


def encoder(pairs_per_block: int) -> Callable[[TrainingText], ClusterData]:
    return partial(encode_on, cast("Cluster", AtOnce()), pairs_per_block=pairs_per_block)


PREFERENCES = preferences_of(invented(7), (1.0, 2.0, 3.0))


def both(
    pairs_per_block: int, settings: Settings | None = None, weights: NDArray[np.float64] | None = None
) -> tuple[TrainingSet, ClusterData]:
    text = TrainingText(JUDGMENTS.sorted(), PREFERENCES.sorted(), settings or Settings(), weights)
    return encode_here(text), encoder(pairs_per_block)(text)


def losses(data: TrainingSet) -> list[Loss]:
    targets = (data.scores - data.scores.mean()) / data.scores.std()
    preferred = PairwiseLogistic(data.better, data.worse, data.votes, 1.5)
    found: list[Loss] = [
        WeightedSum([(0.6, SquaredError(targets, threshold=0.4)), (0.3, preferred)]),
        preferred,
    ]
    weighted = SquaredError(targets, data.weights, 0.4), SquaredError(targets, data.weights)
    return [*found, SquaredError(targets), *([] if data.weights is None else weighted)]


def same_data(whole: TrainingSet, parts: TrainingSet) -> None:
    assert len(parts) == len(whole)
    assert (parts.weights is None) == (whole.weights is None)
    if parts.weights is not None and whole.weights is not None:
        np.testing.assert_array_equal(parts.weights, whole.weights)
    for name in ("scores", "better", "worse", "votes"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    assert parts.instances() == whole.instances()
    names = frequent(whole.instances())
    weights = dict(zip(names, np.random.default_rng(3).normal(0.0, 0.5, len(names)).tolist(), strict=True))
    machine = LogLinearMachine(names, weights, 0.25)
    np.testing.assert_array_equal(parts.predictions(machine), whole.predictions(machine))
    for loss in losses(whole):
        for free_alpha in (True, False):
            centre = torch.full_like(machine.theta, 0.1).detach()
            value, model = whole.objective(loss, 2.0, centre).quadratic(machine, free_alpha=free_alpha)
            sums, added = parts.objective(loss, 2.0, centre).quadratic(machine, free_alpha=free_alpha)
            assert sums == pytest.approx(value, rel=1e-13)
            np.testing.assert_allclose(added.gradient, model.gradient, rtol=1e-11, atol=1e-11)
            np.testing.assert_allclose(added.curvature, model.curvature, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("seed", [None, 4])
def test_parts_of_the_data_are_parts_of_the_blocks(seed: int | None) -> None:
    """Without weights of judgments, and with them."""
    weights = None if seed is None else np.random.default_rng(seed).uniform(0.1, 3.0, len(JUDGMENTS))
    whole, parts = both(16, weights=weights)
    same_data(whole, parts)
    scored = np.flatnonzero(np.random.default_rng(0).random(whole.scores.size) < 0.7)
    preferences = np.flatnonzero(np.random.default_rng(1).random(whole.votes.size) < 0.7)
    same_data(whole.select(scored, preferences), parts.select(scored, preferences))
    twice = np.arange(5, scored.size - 5), np.arange(3, preferences.size)
    same_data(
        whole.select(scored, preferences).select(*twice), parts.select(scored, preferences).select(*twice)
    )
    alone = parts.without_preferences()
    assert (len(alone), alone.votes.size) == (len(JUDGMENTS), 0)
    assert alone.instances() == whole.without_preferences().instances()


def test_both_translations_of_a_preference_are_in_one_block() -> None:
    # Pairs 0 to 9; preferences between 2 and 4, 4 and 3, 7 and 6.
    better, worse = np.array([2, 4, 7]), np.array([4, 3, 6])
    assert block_offsets(10, better, worse, 1).tolist() == [0, 1, 2, 5, 6, 8, 9, 10]
    assert block_offsets(10, better, worse, 4).tolist() == [0, 5, 9, 10]
    assert block_offsets(10, NONE, NONE, 3).tolist() == [0, 3, 6, 9, 10]
    assert block_offsets(10, better, worse).tolist() == [0, 10]
    assert block_offsets(0, NONE, NONE, 3).tolist() == [0]
    with pytest.raises(ValueError, match="both translations of a preference or neither"):
        PairwiseLogistic(better, worse, np.ones(3)).part(0, 3)


def test_a_worker_of_another_version_is_refused() -> None:
    with pytest.raises(WorkerFaultError, match=r"has other resources: pfsm@.*, here pfsm@9$"):
        build(Settings(), ("pfsm@9",), ["a b"], ["a c"])
