"""Runs an experiment: plans it, computes the missing cells and the statistics, and writes the files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from pfsm.distributed.pools import Pool
from pfsm.errors import NotInstalledError
from pfsm.evaluation.pooled import PooledScores
from pfsm.evaluation.questions import LikenessQuestion
from pfsm.io.temporaries import sweep
from pfsm.runtime.progress import Stage
from pfsm.runtime.threads import default_threads
from pfsm_experiments.data import DataFolder, segments_of
from pfsm_experiments.estimates import Prediction, estimate
from pfsm_experiments.plan import Cell, Plan, make_plan, statistics_of
from pfsm_experiments.questions import likeness_of
from pfsm_experiments.reading import read_experiment
from pfsm_experiments.report.output import Results, write_output
from pfsm_experiments.spec import KING, Experiment
from pfsm_experiments.store import CellStore, make_folder
from pfsm_experiments.task import (
    Finished,
    Outcome,
    Task,
    cell_scores,
    corpora_of,
    likeness_scores,
    make_task,
    pooled_scores,
)
from pfsm_experiments.workers import run_on, run_tasks

Progress = Callable[[str], None]
# Of the logger.
AREA = "experiment"
# Runs tasks, in any order.
Run = Callable[[Sequence[Task]], Iterator[tuple[Task, Outcome]]]


def _silent(line: str) -> None:
    """Reports no progress."""


def run_experiment(
    config: Path,
    data: Path,
    output: Path,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    progress: Progress = _silent,
    pool: Pool | None = None,
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
        progress: Called with lines of text as work goes on.
        pool: Pool that computes the cells instead, one per core at a time.

    Raises:
        PfsmError: If the configuration or the data is invalid, a cell cannot be computed, or the output cannot be
            written.
    """
    experiment = read_experiment(config)
    _check_packages(experiment)
    progress("reading")
    folder = DataFolder(data)
    with Stage(AREA, "reading"):
        plan = make_plan(experiment, folder)
    make_folder(output)
    sweep(output, below=True)

    def run(tasks: Sequence[Task]) -> Iterator[tuple[Task, Outcome]]:
        return run_tasks(tasks, jobs or default_threads()) if pool is None else run_on(pool, tasks)

    likeness = {
        test.name: likeness_of(test) for test in plan.tests if KING in statistics_of(experiment, test)
    }
    finished = _finish(experiment, plan, likeness, CellStore(output, ignore=fresh), run, progress)
    progress("statistics")
    with Stage(AREA, "statistics"):
        predictions = _predictions(experiment, plan, likeness, finished)
        entries, contrasts = estimate(experiment, plan, predictions)
    results = Results(experiment, folder, plan, tuple(finished), predictions, entries, contrasts)
    progress("writing")
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
    run: Run,
    progress: Progress,
) -> list[Finished]:
    """Every cell with its outcome, either loaded or computed and stored."""
    corpora = [
        one
        for test in plan.tests
        for one in corpora_of(test, statistics_of(experiment, test), experiment.resample)
    ]
    tasks = [make_task(cell, plan, _score_column(experiment, cell), corpora, likeness) for cell in plan.cells]
    outcomes: dict[str, Outcome] = {}
    missing: dict[str, Task] = {}
    for task in tasks:
        if task.key in outcomes or task.key in missing:
            continue
        outcome = store.load(task)
        if outcome is None:
            missing[task.key] = task
        else:
            outcomes[task.key] = outcome
    total = len(outcomes) + len(missing)
    if outcomes:
        progress(f"{len(outcomes)} of {total} cells finished earlier")
    if not missing:
        return [
            Finished(cell, task, outcomes[task.key]) for cell, task in zip(plan.cells, tasks, strict=True)
        ]
    there = f"{len(outcomes)} finished earlier" if outcomes else ""
    with Stage(AREA, "cells", len(missing), "cells") as stage:
        stage.advance(0, there)
        for task, outcome in run(list(missing.values())):
            store.save(task, outcome)
            outcomes[task.key] = outcome
            stage.advance(1, task.label)
            progress(f"{len(outcomes)} of {total} cells: {task.label}")
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
    order = {row.name: number for number, row in enumerate(experiment.rows)}
    found: dict[tuple[str, int | None, int], Prediction] = {}
    for row in experiment.rows:  # a row without test data still has its line in the table
        if not any(one.cell.row is row for one in finished):
            found[row.name, None, 0] = _empty(plan, row.name, None, 0)
    for one in finished:
        cell = one.cell
        place = (cell.row.name, cell.size, cell.sample)
        prediction = found.setdefault(place, _empty(plan, *place))
        for name, scores in cell_scores(cell, plan, one.task, one.outcome).items():
            rows, whole = cell.tests[name], prediction.scores[name]
            n = next(len(test.data) for test in plan.tests if test.name == name)
            whole[rows] = scores[: rows.size]
            if whole.size > n:
                whole[rows + n] = scores[rows.size :]
        if likeness:
            scores_of_cases = likeness_scores(cell, likeness, one.task, one.outcome)
            prediction = replace(prediction, likeness={**prediction.likeness, **scores_of_cases})
            found[place] = prediction
        if one.outcome.statistics:
            found[place] = replace(prediction, pooled=_pooled(one))
    return tuple(sorted(found.values(), key=lambda one: (order[one.row], one.size or 0, one.sample)))


def _pooled(one: Finished) -> dict[tuple[str, str], PooledScores]:
    """Of a metric that pools counts, which has a single cell."""
    found = {}
    for corpora, statistics in zip(one.task.corpora, one.outcome.statistics, strict=True):
        scores = pooled_scores(one.cell.row, statistics)
        if scores is not None:
            found[corpora.test, corpora.level] = scores
    return found


def _empty(plan: Plan, row: str, size: int | None, sample: int) -> Prediction:
    scores = {test.name: np.full(len(segments_of(test.data)[0]), np.nan) for test in plan.tests}
    return Prediction(row, size, sample, scores)
