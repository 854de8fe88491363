"""The work of one cell, self-contained: it can be sent to another process, and has a name for all that decides it."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.evaluation.catalogue import SEGMENT
from pfsm.evaluation.pooled import PooledScores, corpus_statistics, oriented_scores
from pfsm.evaluation.questions import LikenessQuestion
from pfsm.metrics import get_metric
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import number_by_segment
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm.model.plugins import metric_labels
from pfsm.version import __version__
from pfsm_experiments.data import TestSet, TrainData, columns_digest, numbers_of_segments, segments_of
from pfsm_experiments.plan import Cell, Plan
from pfsm_experiments.questions import questions_of
from pfsm_experiments.requirements import columns_of_row, resources_of, settings_of
from pfsm_experiments.spec import RowSpec, level_of
from pfsm_training.config import config_from_dict

Float = NDArray[np.float64]
PACKAGES = ("pfsm", "pfsm_kernels", "pfsm_training", "pfsm_experiments")
# Files of these packages that decide no outcome, or that keys name by their own checksums (tables, parsers, models).
APART = (
    "commands/",
    "cli.py",
    "page/",
    "report/",
    "resources/lexicons/",
    "resources/models/",
    "resources/parsers/",
)
KINDS = (".py", ".txt")
# A hypothesis, all its references, and numbers of columns.
Segment = tuple[str, tuple[str, ...], tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Corpora:
    """The systems, or the documents, of a test set.

    Attributes:
        test: Name of the test set.
        level: One of `pfsm.evaluation.catalogue.LEVELS`.
        hypotheses: [n], of every row of the test set; of preferences every translation once.
        references: [n], all references of each.
        members: int64 [n], the corpus of each.
    """

    test: str
    level: str
    hypotheses: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    members: NDArray[np.int64]


def corpora_of(test: TestSet, statistics: Sequence[str], resample: str | None) -> list[Corpora]:
    """The corpora that statistics of a test set are about; none for statistics of segments."""
    hypotheses, references = segments_of(test.data)
    names = [name for name in statistics if level_of(name) != SEGMENT]
    found = []
    for question, _ in questions_of(test, names, resample):
        chosen = question.translations
        if chosen is not None:
            hypotheses = tuple(hypotheses[at] for at in chosen.tolist())
            references = tuple(references[at] for at in chosen.tolist())
        found.append(Corpora(test.name, question.level, hypotheses, references, question.corpora))
    return found


def pooling_metric(row: RowSpec) -> SegmentMetric | None:
    """The metric of a row, if it pools counts to score corpora.

    Raises:
        PfsmError: If something that it needs is not installed.
    """
    if row.metric is None:
        return None
    metric = get_metric(row.metric, **row.options)
    return None if metric.averages else metric


def statistics_and_signature(metric: SegmentMetric, corpora: Corpora) -> tuple[Float, str]:
    """What every row adds to the score of its corpus, float64 [n, k], and the signature of these scores."""
    statistics = corpus_statistics(metric, corpora.hypotheses, corpora.references, corpora.members)
    return statistics, metric.get_signature(number_by_segment(corpora.references), "corpus")


def pooled_scores(row: RowSpec, statistics: Float) -> PooledScores | None:
    """The statistics of a row's metric as scores; None if it does not pool."""
    metric = pooling_metric(row)
    return None if metric is None else PooledScores(statistics, oriented_scores(metric))


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
        hypotheses: Of the distinct segments to score.
        references: As many, all references of each.
        corpora: What is scored as corpora, by a metric that pools counts.
        columns: Columns of the data that the row's model weighs, a number for each segment.
    """

    key: str
    label: str
    where: str
    row: RowSpec
    train: TrainData | None
    score_column: str
    hypotheses: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    corpora: tuple[Corpora, ...] = ()
    columns: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a cell came to.

    Attributes:
        model: The model, where it has one.
        signature: Of the scores.
        scores: float64 [n_segments].
        statistics: For each of the task's corpora what its rows add, float64 [n_rows, k].
        corpus_signatures: As many, the signatures of the scores of systems or documents.
    """

    model: Model | None
    signature: str
    scores: Float
    statistics: tuple[Float, ...] = ()
    corpus_signatures: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Finished:
    """A cell with its task and outcome."""

    cell: Cell
    task: Task
    outcome: Outcome


def run_task(task: Task) -> Outcome:
    """Trains and scores, on one thread.

    Raises:
        PfsmError: If the data cannot be learned from.
    """
    row = task.row
    if row.metric is not None:
        metric = get_metric(row.metric, **row.options)
        scores = metric.score_segments(task.hypotheses, task.references)
        pooled = [statistics_and_signature(metric, corpora) for corpora in task.corpora]
        return Outcome(
            None,
            metric.get_signature(number_by_segment(task.references)),
            scores,
            tuple(statistics for statistics, _ in pooled),
            tuple(signature for _, signature in pooled),
        )
    model = row.model if row.training is None else _trained(task)
    assert model is not None
    scorer = Metric(model, threads=1)
    scores = scorer.score_rows(
        task.hypotheses, task.references, {name: np.array(numbers) for name, numbers in task.columns.items()}
    )
    return Outcome(model, scorer.get_signature(number_by_segment(task.references)), scores)


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


def make_task(
    cell: Cell,
    plan: Plan,
    score_column: str,
    corpora: Sequence[Corpora] = (),
    likeness: Mapping[str, LikenessQuestion] | None = None,
) -> Task:
    """The work of a cell.

    Args:
        cell: The cell.
        plan: The plan that it is part of.
        score_column: What the scores are called in the data.
        corpora: The systems and documents that statistics are about; of the test sets that the cell scores, those
            whose counts its metric pools are part of the work.
        likeness: By test set, the test cases of human likeness, if they are asked for.

    Raises:
        PfsmError: If something that the row needs is not there.
    """
    try:
        identity = row_identity(cell.row)
        pools = pooling_metric(cell.row) is not None
    except PfsmError as error:
        raise PfsmError(f"{cell.where}: {error}") from None
    segments = dict.fromkeys(
        segment for test in plan.tests if test.name in cell.tests for segment in _segments(cell, test)
    )
    names = columns_of_row(cell.row)
    for name, cases in (likeness or {}).items():
        if name in cell.tests:
            if names:
                raise PfsmError(
                    f"{cell.where}: king scores references too, for which the column {names[0]!r} has no number"
                )
            segments |= dict.fromkeys(
                (*case, ()) for case in zip(cases.hypotheses, cases.references, strict=True)
            )
    hypotheses, references = tuple(one[0] for one in segments), tuple(one[1] for one in segments)
    columns = {name: tuple(numbers[at] for *_, numbers in segments) for at, name in enumerate(names)}
    decisive: dict[str, Any] = {
        "row": identity,
        "train": None if cell.train is None else [columns_digest(part) for part in cell.train.parts],
        "score_column": score_column if cell.train is not None else None,
        "test": _text_digest(hypotheses, references),
        "versions": row_versions(cell.row),
        **({"columns": columns} if columns else {}),
    }
    pooled = tuple(one for one in corpora if pools and one.test in cell.tests)
    if pooled:
        decisive["corpora"] = [_corpora_digest(one) for one in pooled]
    key = hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()
    return Task(
        key,
        cell.label,
        cell.where,
        cell.row,
        cell.train,
        score_column,
        hypotheses,
        references,
        pooled,
        columns,
    )


def cell_scores(cell: Cell, plan: Plan, task: Task, outcome: Outcome) -> dict[str, Float]:
    """Scores of the cell's rows of every test set; of preferences, those of the better ones and then the worse."""
    return {
        test.name: _scores_of(_segments(cell, test), task, outcome)
        for test in plan.tests
        if test.name in cell.tests
    }


def likeness_scores(
    cell: Cell, likeness: Mapping[str, LikenessQuestion], task: Task, outcome: Outcome
) -> dict[str, Float]:
    """Scores of the test cases of human likeness of every test set that the cell scores."""
    return {
        name: _scores_of(
            [(*case, ()) for case in zip(cases.hypotheses, cases.references, strict=True)], task, outcome
        )
        for name, cases in likeness.items()
        if name in cell.tests
    }


def _scores_of(segments: Sequence[Segment], task: Task, outcome: Outcome) -> Float:
    numbers = zip(*task.columns.values(), strict=True) if task.columns else [()] * len(task.hypotheses)
    known = zip(task.hypotheses, task.references, numbers, strict=True)
    place = {segment: at for at, segment in enumerate(known)}
    return outcome.scores[np.array([place[segment] for segment in segments], dtype=np.int64)]


def _segments(cell: Cell, test: TestSet) -> list[Segment]:
    """Hypothesis, all its references, and the numbers in the columns that the row's model weighs."""
    data = test.data.select(cell.tests[test.name])
    hypotheses, references = segments_of(data)
    columns = [numbers_of_segments(data, name).tolist() for name in columns_of_row(cell.row)]
    numbers = zip(*columns, strict=True) if columns else [()] * len(hypotheses)
    return list(zip(hypotheses, references, numbers, strict=True))


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
    ours = {"pfsm": __version__, "sources": sources_digest()}
    return {**ours, **{package: version(package) for package in packages}}


@cache
def sources_digest() -> str:
    """SHA-256 of the installed files that decide outcomes: within one version the code may change."""
    return files_digest(Path(str(files(package))) for package in PACKAGES)


def files_digest(folders: Iterable[Path]) -> str:
    """SHA-256 of names and contents of the files of some packages, but for those of ``APART``."""
    digest = hashlib.sha256()
    for folder in folders:
        named = {
            path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.suffix in KINDS
        }
        for name in sorted(named):
            if not name.startswith(APART):
                content = named[name].read_bytes()
                digest.update(f"{folder.name}/{name} {len(content)}\n".encode("utf-8", "surrogatepass"))
                digest.update(content)
    return digest.hexdigest()


def _corpora_digest(corpora: Corpora) -> list[str]:
    members = " ".join(map(str, corpora.members.tolist()))
    return [members, _text_digest(corpora.hypotheses, corpora.references)]


def _text_digest(hypotheses: tuple[str, ...], references: tuple[tuple[str, ...], ...]) -> str:
    counts = " ".join(str(len(several)) for several in references)
    flat = (line for several in references for line in several)
    text = "\n".join([counts, *(f"{len(line)} {line}" for line in (*hypotheses, *flat))])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
