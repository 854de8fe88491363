"""Training on rows with several references: derivatives, closed forms, and single-reference data that is the same."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pfsm.data import Judgments
from pfsm.metrics import get_metric
from pfsm.model.metric import Metric
from pfsm.model.settings import UseOfReferences
from pfsm_training import LogLinearMachine, TrainingConfig, train
from pfsm_training.config import config_from_dict
from pfsm_training.data.training_set import encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.loss.objective import (
    Loss,
    OverReferences,
    PairsOfItems,
    PairwiseLogistic,
    SquaredError,
    WeightedSum,
)
from tests.training.small_data import invented

Float = NDArray[np.float64]
BOTH: tuple[UseOfReferences, ...] = ("best", "mean")
SIZES = [1, 3, 2, 1, 2, 3]


def several(seed: int = 1) -> Judgments:
    """Judgments with one to three references; further ones are other translations of the same segment."""
    data = invented(seed)
    texts = data.hypotheses
    second = tuple(texts[k - 1] if k % 3 else "" for k in range(len(data)))
    third = tuple(texts[k - 2] if k % 3 == 2 else "" for k in range(len(data)))
    return replace(data, columns={**data.columns, "reference_2": second, "reference_3": third})


def single(data: Judgments, references: tuple[str, ...]) -> Judgments:
    columns = {name: column for name, column in data.columns.items() if not name.startswith("reference_")}
    return replace(data, references=references, columns=columns)


def losses(rng: np.random.Generator) -> list[Loss]:
    targets = rng.normal(size=4)
    preferred = PairwiseLogistic(np.array([4, 0]), np.array([5, 3]), np.array([1.0, 2.5]), 0.7)
    return [
        SquaredError(targets),
        SquaredError(targets, threshold=0.5),
        WeightedSum([(0.3, SquaredError(targets)), (1.0, preferred)]),
    ]


@pytest.mark.parametrize("use", BOTH)
def test_derivatives_are_those_of_finite_differences(use: UseOfReferences) -> None:
    rng = np.random.default_rng(5)
    items = PairsOfItems.of_sizes(SIZES, use)
    constant, jacobian = rng.normal(size=12), rng.normal(size=(12, 3))
    for inner in losses(rng):
        loss = items.loss(inner)
        assert isinstance(loss, OverReferences)

        def at(weights: Float, loss: Loss = loss) -> float:
            return float(loss.value(torch.from_numpy(constant + jacobian @ weights)))

        weights, step = rng.normal(size=3), 1e-6
        found = loss.quadratic(constant + jacobian @ weights, jacobian).gradient
        wanted = [(at(weights + step * unit) - at(weights - step * unit)) / (2 * step) for unit in np.eye(3)]
        assert found == pytest.approx(wanted, rel=1e-6, abs=1e-7)
        tensor = torch.from_numpy(constant + jacobian @ weights).requires_grad_()
        (gradient,) = torch.autograd.grad(loss.value(tensor), [tensor])
        assert jacobian.T @ gradient.numpy() == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize("use", BOTH)
def test_items_by_hand(use: UseOfReferences) -> None:
    items = PairsOfItems.of_sizes([1, 3, 2], use)
    of_pairs = np.array([4.0, 1.0, 3.0, 3.0, 0.0, -2.0])
    wanted = {"best": [4.0, 3.0, 0.0], "mean": [4.0, 7 / 3, -1.0]}[use]
    assert items.predictions(of_pairs) == pytest.approx(wanted)
    with pytest.raises(ValueError, match="all references of a translation"):
        items.part(2, 6)
    loss = OverReferences(SquaredError(np.array([1.0, 2.0])), items)
    total = float(loss.value(torch.from_numpy(of_pairs)))
    parts = [loss.part(*ends).value(torch.from_numpy(of_pairs[slice(*ends)])) for ends in ((0, 4), (4, 6))]
    assert total == pytest.approx(float(sum(parts)))


def config(use: str, **others: object) -> TrainingConfig:
    return config_from_dict({"references": use, "form": "absolute", "lambda": 2.0, **others}, "test")


def test_the_mean_is_ridge_regression_on_mean_features() -> None:
    """A model of features alone is linear, so the mean of its scores is the score of the mean of its features."""
    data = several()
    model = train(data, config=config("mean", edits=False, features=["chrf", "length_ratio"]), threads=1)
    columns = []
    for name in ("chrf", "length_ratio"):
        rows = zip(data.hypotheses, data.all_references, strict=True)
        parts = [get_metric(name).score_pairs([one] * len(lines), lines) for one, lines in rows]
        flat = np.concatenate(parts)
        columns.append([(part.mean() - flat.mean()) / flat.std() for part in parts])
    design = np.column_stack([*columns, np.ones(len(data))])
    targets = (data.scores - data.scores.mean()) / data.scores.std()
    weights = np.linalg.solve(design.T @ design + np.diag([2.0, 2.0, 0.0]), design.T @ targets)
    found = [model.weights["feature:chrf"], model.weights["feature:length_ratio"], model.alpha]
    assert found == pytest.approx(weights.tolist(), rel=1e-6)
    predicted = Metric(model, 1).score_segments(data.hypotheses, data.all_references)
    assert predicted == pytest.approx(data.scores.mean() + data.scores.std() * (design @ weights), rel=1e-6)


def test_the_best_is_a_minimum_of_the_references_that_it_chose() -> None:
    data = several()
    model = train(data, config=config("best"), threads=1)
    metric = Metric(model, 1)
    chosen = tuple(
        lines[int(np.argmax(metric.score_pairs([one] * len(lines), lines)))]
        for one, lines in zip(data.hypotheses, data.all_references, strict=True)
    )
    assert set(chosen) != set(data.references)
    # The same weights minimise the objective of the chosen references alone, where only these are counted.
    text = TrainingText(single(data, chosen), None, model.settings)
    alone = encode_here(text)
    names = tuple(model.weights)
    machine = LogLinearMachine(names, model.weights, model.alpha, 1)
    targets = (data.scores - data.scores.mean()) / data.scores.std()
    centre = torch.zeros(len(names), dtype=torch.float64)
    value, found = alone.objective(SquaredError(targets), 2.0, centre).quadratic(machine, free_alpha=True)
    gradient = found.gradient + 4.0 * np.append(list(model.weights.values()), 0.0)
    assert np.abs(gradient).max() < 1e-6 * len(data)
    assert value == pytest.approx(model.training["minimum"], rel=1e-9)
