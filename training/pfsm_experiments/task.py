"""The work of one cell, self-contained: it can be sent to another process, and has a name for all that decides it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.metrics import get_metric
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm.model.plugins import metric_labels
from pfsm.version import __version__
from pfsm_experiments.data import TestSet, TrainData, columns_digest, pairs_of
from pfsm_experiments.plan import Cell, Plan
from pfsm_experiments.requirements import resources_of, settings_of
from pfsm_experiments.spec import RowSpec
from pfsm_training.config import config_from_dict

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Task:
    """What to train or take, and what to score with it.

    Attributes:
        key: SHA-256 of everything that decides the outcome.
        label: What lines of progress call it.
        where: What messages call it: the file of the experiment, and the row.
        row: Row of the table.
        train: Training data; None where there is nothing to train.
        score_column: What the scores are called in the data.
        hypotheses: Of the distinct pairs to score.
        references: As many.
    """

    key: str
    label: str
    where: str
    row: RowSpec
    train: TrainData | None
    score_column: str
    hypotheses: tuple[str, ...]
    references: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a cell came to: the model, where it has one, its signature, and float64 [n_pairs] scores."""

    model: Model | None
    signature: str
    scores: Float


def run_task(task: Task) -> Outcome:
    """Trains and scores, on one thread.

    Raises:
        PfsmError: If the data cannot be learned from.
    """
    row = task.row
    if row.metric is not None:
        metric = get_metric(row.metric, **row.options)
        return Outcome(None, metric.signature, metric.score_pairs(task.hypotheses, task.references))
    model = row.model if row.training is None else _trained(task)
    assert model is not None
    scorer = Metric(model, threads=1)
    scores = scorer.score_pairs(task.hypotheses, task.references)
    return Outcome(model, scorer.get_signature(1), scores)


def _trained(task: Task) -> Model:
    from pfsm_training.trainer import train  # noqa: PLC0415 - brings torch

    assert task.train is not None
    assert task.row.training is not None
    return train(
        task.train.judgments,
        preferences=task.train.preferences,
        config=config_from_dict(task.row.training, task.row.name, task.row.init),
        init=task.row.init,
        name=task.row.name,
        score_column=task.score_column,
        threads=1,
    )


def make_task(cell: Cell, plan: Plan, score_column: str) -> Task:
    """The work of a cell.

    Raises:
        PfsmError: If something that the row needs is not there.
    """
    try:
        identity = row_identity(cell.row)
    except PfsmError as error:
        raise PfsmError(f"{cell.where}: {error}") from None
    pairs = dict.fromkeys(
        pair for test in plan.tests if test.name in cell.tests for pair in _pairs(cell, test)
    )
    hypotheses, references = tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
    decisive = {
        "row": identity,
        "train": None if cell.train is None else [columns_digest(part) for part in cell.train.parts],
        "score_column": score_column if cell.train is not None else None,
        "test": _text_digest(hypotheses, references),
        "versions": row_versions(cell.row),
    }
    key = hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()
    return Task(key, cell.label, cell.where, cell.row, cell.train, score_column, hypotheses, references)


def cell_scores(cell: Cell, plan: Plan, task: Task, outcome: Outcome) -> dict[str, Float]:
    """Scores of the cell's rows of every test set; of preferences, those of the better ones and then the worse."""
    place = {pair: at for at, pair in enumerate(zip(task.hypotheses, task.references, strict=True))}
    return {
        test.name: outcome.scores[np.array([place[pair] for pair in _pairs(cell, test)], dtype=np.int64)]
        for test in plan.tests
        if test.name in cell.tests
    }


def _pairs(cell: Cell, test: TestSet) -> list[tuple[str, str]]:
    return list(zip(*pairs_of(test.data.select(cell.tests[test.name])), strict=True))


def row_identity(row: RowSpec) -> Mapping[str, Any]:
    """What a row decides; the name goes into the model file."""
    if row.metric is not None:
        plugins = metric_labels(row.metric, row.options)
        return {
            "metric": row.metric,
            "options": dict(row.options),
            **({"plugins": plugins} if plugins else {}),
        }
    if row.model is not None:
        return {"model": row.model.to_dict(), "resources": resources_of(row.model.settings)}
    assert row.training is not None
    init, settings = row.init, settings_of(row)
    assert settings is not None
    return {
        "name": row.name,
        "train": row.training,
        "init": None if init is None else init.to_dict(),
        "resources": resources_of(settings),
    }


def row_versions(row: RowSpec) -> dict[str, str]:
    """Versions of what the outcome of a row depends on."""
    packages = ["numpy", "sacrebleu"] if row.metric is not None else ["numpy", "numba", "scipy", "PyStemmer"]
    if row.training is not None:
        packages.append("torch")
    return {"pfsm": __version__, **{package: version(package) for package in packages}}


def _text_digest(hypotheses: tuple[str, ...], references: tuple[str, ...]) -> str:
    text = "\n".join(f"{len(line)} {line}" for line in (*hypotheses, *references))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
