"""Runs an experiment: plans it, computes the missing cells and the statistics, and writes the files."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from pfsm.errors import NotInstalledError
from pfsm.evaluation.pooled import PooledScores, oriented_scores
from pfsm.evaluation.questions import LikenessQuestion
from pfsm.runtime.terminal import Stage
from pfsm.runtime.threads import default_threads
from pfsm_experiments.data import DataFolder, likeness_of, segments_of
from pfsm_experiments.estimates import Prediction, estimate
from pfsm_experiments.plan import Cell, Plan, make_plan, statistics_of
from pfsm_experiments.reading import read_experiment
from pfsm_experiments.report.output import Results, write_output
from pfsm_experiments.spec import KING, Experiment
from pfsm_experiments.task import (
    CellStore,
    Finished,
    Task,
    corpora_of,
    likeness_scores,
    make_folder,
    make_task,
    pooling_metric,
    run_tasks,
    scores_on,
)

# Of the logger.
AREA = "experiment"
# Runs tasks, in any order.


def run_experiment(
    config: Path,
    data: Path,
    output: Path,
    *,
    jobs: int | None = None,
    fresh: bool = False,
) -> Results:
    """Runs the experiment of a YAML file and writes all results into a folder.

    Cells that an earlier run has finished in the same folder are reused, unless something that their result depends on
    has changed. The same input gives the same bytes, whatever the number of processes.

    Args:
        config: The YAML file.
        data: Folder that the patterns of the file are relative to.
        output: Folder to write into; created if it does not exist.
        jobs: Number of processes; None: as many as the process may use.
        fresh: Whether to compute finished cells again.

    Raises:
        PfsmError: If the configuration or the data is invalid, a cell cannot be computed, or the output cannot be
            written.
    """
    experiment = read_experiment(config)
    _check_packages(experiment)
    folder = DataFolder(data)
    with Stage(AREA, "reading"):
        plan = make_plan(experiment, folder)
    make_folder(output)
    likeness = {
        test.name: likeness_of(test) for test in plan.tests if KING in statistics_of(experiment, test)
    }
    finished = _finish(experiment, plan, likeness, CellStore(output, ignore=fresh), jobs)
    with Stage(AREA, "statistics"):
        predictions = _predictions(experiment, plan, likeness, finished)
        entries, contrasts = estimate(experiment, plan, predictions)
    results = Results(experiment, folder, plan, tuple(finished), predictions, entries, contrasts)
    with Stage(AREA, "writing"):
        write_output(results, config, output)
    return results


def _check_packages(experiment: Experiment) -> None:
    """Refuses pictures without matplotlib and a row that is trained without PyTorch, before any work is done."""
    if experiment.pictures and find_spec("matplotlib") is None:
        raise NotInstalledError(
            f"{experiment.where}: pictures need matplotlib, which is not installed",
            ["matplotlib"],
            ["experiment"],
        )
    trained = next((row.name for row in experiment.rows if row.training is not None), None)
    if trained is not None and find_spec("torch") is None:
        raise NotInstalledError(
            f"{experiment.where}: row {trained!r} is trained, which needs PyTorch", ["torch"], ["experiment"]
        )


def _finish(
    experiment: Experiment,
    plan: Plan,
    likeness: Mapping[str, LikenessQuestion],
    store: CellStore,
    jobs: int | None,
) -> list[Finished]:
    """Every cell with its outcome, either loaded or computed and stored."""
    corpora = [
        one
        for test in plan.tests
        for one in corpora_of(test, statistics_of(experiment, test), experiment.resample)
    ]
    tasks = [make_task(cell, plan, _score_column(experiment, cell), corpora, likeness) for cell in plan.cells]
    distinct: dict[str, Task] = {}
    for task in tasks:
        distinct.setdefault(task.key, task)
    loaded = {key: store.load(task) for key, task in distinct.items()}
    outcomes = {key: one for key, one in loaded.items() if one is not None}
    missing = [distinct[key] for key, one in loaded.items() if one is None]
    if missing:
        with Stage(AREA, "cells", len(missing), "cells") as stage:
            stage.advance(0, f"{len(outcomes)} finished earlier" if outcomes else "")
            for task, outcome in run_tasks(missing, jobs or default_threads()):
                store.save(task, outcome)
                outcomes[task.key] = outcome
                stage.advance(1, task.label)
    return [Finished(cell, task, outcomes[task.key]) for cell, task in zip(plan.cells, tasks, strict=True)]


def _score_column(experiment: Experiment, cell: Cell) -> str:
    """Name of the column of training scores, for the record of a model."""
    specs = cell.row.train_data or experiment.train
    names = {f"-{spec.score_column}" if spec.negate else spec.score_column for spec in specs}
    return ", ".join(sorted(names)) or "score"


def _predictions(
    experiment: Experiment, plan: Plan, likeness: Mapping[str, LikenessQuestion], finished: Sequence[Finished]
) -> tuple[Prediction, ...]:
    """Predictions of each row over all its folds; those of a learning curve separately for each sample."""
    found: dict[tuple[str, int | None, int], Prediction] = {}

    def prediction_of(row: str, size: int | None = None, sample: int = 0) -> Prediction:
        if (row, size, sample) not in found:
            scores = {test.name: np.full(len(segments_of(test.data)[0]), np.nan) for test in plan.tests}
            found[row, size, sample] = Prediction(row, size, sample, scores, {}, {})
        return found[row, size, sample]

    for one in finished:
        cell = one.cell
        prediction = prediction_of(cell.row.name, cell.size, cell.sample)
        for test in plan.tests:
            if test.name in cell.tests:
                rows, scores = cell.tests[test.name], scores_on(cell, test, one.task, one.outcome)
                # Of preferences the better translations come first, then the worse.
                sides = prediction.scores[test.name].reshape(-1, len(test.data))
                sides[:, rows] = scores.reshape(len(sides), -1)
        prediction.likeness.update(likeness_scores(cell, likeness, one.task, one.outcome))
        # A metric that pools counts has a single cell.
        metric = pooling_metric(cell.row)
        if metric is not None:
            for corpora, statistics in zip(one.task.corpora, one.outcome.statistics, strict=True):
                pooled = PooledScores(statistics, oriented_scores(metric))
                prediction.pooled[corpora.test, corpora.level] = pooled
    order = {row.name: number for number, row in enumerate(experiment.rows)}
    for row in order.keys() - {place[0] for place in found}:
        prediction_of(row)  # a row without test data still has its line in the table
    return tuple(sorted(found.values(), key=lambda one: (order[one.row], one.size or 0, one.sample)))
