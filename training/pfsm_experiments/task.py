"""The work of one cell, self-contained: it can be sent to another process, and has a name for all that decides it.

A cell whose key is found on disk is not computed again (`CellStore`). The folder ``cells/KEY`` holds ``model.json`` if
a model was trained, ``scores.txt.gz`` with one score per line, in the order of the distinct test pairs, and
``cell.json``. That is written last: without it the cell is not finished. ``statistics-N.txt.gz`` holds what the rows of
the N-th corpora add to scores of systems or documents.

Every task runs in a fresh interpreter's worker on one thread, also if there is one worker only, so the outcome does not
depend on the number of workers (`run_tasks`). Ctrl-C reaches the parent alone, which ends the workers.
"""

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.evaluation.catalogue import SEGMENT
from pfsm.evaluation.pooled import corpus_statistics
from pfsm.evaluation.questions import LikenessQuestion
from pfsm.io.files import atomic_write, decode, read_bytes, read_lines
from pfsm.metrics import get_metric
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import number_by_segment
from pfsm.model.file import Model, load_model, save_model
from pfsm.model.metric import Metric
from pfsm.model.references import metric_labels
from pfsm.registry import own
from pfsm.runtime.workers import Workers
from pfsm.version import __version__
from pfsm_experiments.data import TestSet, TrainData, columns_digest, questions_of, segments_of
from pfsm_experiments.plan import Cell, Plan, resources_of
from pfsm_experiments.spec import RowSpec, level_of

if TYPE_CHECKING:
    from concurrent.futures import Future

PACKAGES = ("pfsm", "pfsm_kernels", "pfsm_training", "pfsm_experiments")
# Files of these packages, and of those that offer matchers and metrics, that decide no outcome, or that keys name by
# their own checksums (tables, parsers, models).
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
    metric = None if row.metric is None else get_metric(row.metric, **row.options)
    return None if metric is None or metric.averages else metric


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

    @property
    def trained(self) -> Model | None:
        """The model that was trained, if any."""
        return None if self.cell.train is None else self.outcome.model


def run_task(task: Task) -> Outcome:
    """Trains and scores, on one thread.

    Raises:
        PfsmError: If the data cannot be learned from.
    """
    row = task.row
    if row.metric is not None:
        metric = get_metric(row.metric, **row.options)
        scores = metric.score_segments(task.hypotheses, task.references)
        return Outcome(
            None,
            metric.get_signature(number_by_segment(task.references)),
            scores,
            tuple(
                corpus_statistics(metric, one.hypotheses, one.references, one.members) for one in task.corpora
            ),
            tuple(metric.get_signature(number_by_segment(one.references), "corpus") for one in task.corpora),
        )
    model = row.model
    if task.train is not None:
        from pfsm_training.trainer import train  # noqa: PLC0415 - brings torch

        model = train(
            task.train.judgments,
            preferences=task.train.preferences,
            config=row.config,
            init=row.init,
            name=row.name,
            score_column=task.score_column,
            threads=1,
        )
    assert model is not None
    scorer = Metric(model, threads=1)
    scores = scorer.score_segments(
        task.hypotheses, task.references, {name: np.array(numbers) for name, numbers in task.columns.items()}
    )
    return Outcome(model, scorer.get_signature(number_by_segment(task.references)), scores)


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
    names = cell.row.columns
    for name, cases in (likeness or {}).items():
        if name in cell.tests:
            if names:
                raise PfsmError(
                    f"{cell.where}: king scores references too, for which the column {names[0]!r} has no number"
                )
            segments |= dict.fromkeys(_cases(cases))
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
        decisive["corpora"] = [
            [" ".join(map(str, one.members.tolist())), _text_digest(one.hypotheses, one.references)]
            for one in pooled
        ]
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


def scores_on(cell: Cell, test: TestSet, task: Task, outcome: Outcome) -> Float:
    """Scores of the cell's rows of a test set; of preferences, those of the better ones and then the worse."""
    return _scores_of(_segments(cell, test), task, outcome)


def likeness_scores(
    cell: Cell, likeness: Mapping[str, LikenessQuestion], task: Task, outcome: Outcome
) -> dict[str, Float]:
    """Scores of the test cases of human likeness of every test set that the cell scores."""
    return {
        name: _scores_of(_cases(cases), task, outcome)
        for name, cases in likeness.items()
        if name in cell.tests
    }


def _cases(likeness: LikenessQuestion) -> list[Segment]:
    return [(*case, ()) for case in zip(likeness.hypotheses, likeness.references, strict=True)]


def _scores_of(segments: Sequence[Segment], task: Task, outcome: Outcome) -> Float:
    numbers = zip(*task.columns.values(), strict=True) if task.columns else [()] * len(task.hypotheses)
    known = zip(task.hypotheses, task.references, numbers, strict=True)
    place = {segment: at for at, segment in enumerate(known)}
    return outcome.scores[np.array([place[segment] for segment in segments], dtype=np.int64)]


def _segments(cell: Cell, test: TestSet) -> list[Segment]:
    """Hypothesis, all its references, and the numbers in the columns that the row's model weighs."""
    data = test.data.select(cell.tests[test.name])
    hypotheses, references = segments_of(data)
    # Of preferences those of the better translations, then of the worse.
    columns = [np.ravel(data.numbers(name)).tolist() for name in cell.row.columns]
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
    assert row.settings is not None
    resources = resources_of(row.settings)
    if row.model is not None:
        return {"model": row.model.to_dict(), "resources": resources}
    init = None if row.init is None else row.init.to_dict()
    return {"name": row.name, "train": row.training, "init": init, "resources": resources}


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
    offered = [*own("matcher").values(), *own("metric_group").values()]
    packages = {*PACKAGES, *(point.module.partition(".")[0] for point in offered)}
    return files_digest(Path(str(files(package))) for package in sorted(packages))


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


def _text_digest(hypotheses: tuple[str, ...], references: tuple[tuple[str, ...], ...]) -> str:
    counts = " ".join(str(len(several)) for several in references)
    flat = (line for several in references for line in several)
    text = "\n".join([counts, *(f"{len(line)} {line}" for line in (*hypotheses, *flat))])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def run_tasks(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Outcome]]:
    """Runs tasks in up to `jobs` processes; yields each with its outcome, in the order in which they finish.

    Raises:
        PfsmError: If a task fails for a reason in its data, or a process was killed.
        Exception: Whatever else a task raises.
    """
    if not tasks:
        return
    compiling = get_context("spawn").Event()
    workers = min(jobs, len(tasks))
    running: dict[Future[Outcome], Task] = {}
    waiting = iter(tasks)
    with Workers(workers, _start, compiling) as pool:
        while True:
            for task in islice(waiting, workers - len(running)):
                try:
                    running[pool.submit(run_task, task)] = task
                except OSError as error:
                    raise PfsmError(
                        f"{task.where}: no process can be started ({error.strerror}); try --jobs 1"
                    ) from None
            if not running:
                return
            done = pool.first_done(running)
            if compiling.is_set():
                from pfsm_kernels.cache import the_notice  # noqa: PLC0415 - brings numba

                the_notice.on_start(None)
            for future in done:
                outcome = _outcome(future, running)
                yield running.pop(future), outcome


def _outcome(future: "Future[Outcome]", running: dict["Future[Outcome]", Task]) -> Outcome:
    task = running[future]
    try:
        return future.result()
    except PfsmError as error:
        raise PfsmError(f"{task.where}: {error}") from None
    except MemoryError:
        raise PfsmError(f"{task.where}: not enough memory; try --jobs 1") from None
    except BrokenProcessPool:
        names = " or ".join(one.where for one in running.values())
        raise PfsmError(
            f"{names}: its process was killed, perhaps for want of memory; finished cells are kept, so try again with "
            "--jobs 1"
        ) from None


class _Teller(logging.Handler):
    """Tells the parent that kernels are compiled, which it says once for all workers."""

    def __init__(self, compiling: Any) -> None:
        super().__init__()
        self.compiling = compiling

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002
        """See `logging.Handler`."""
        self.compiling.set()


def _start(compiling: Any) -> None:
    """Prepares a worker."""
    kernels = logging.getLogger("pfsm.kernels")
    kernels.setLevel(logging.INFO)
    kernels.propagate = False
    kernels.addHandler(_Teller(compiling))


FORMAT = "pfsm-cell-1"


class CellStore:
    """The cells in an output folder."""

    def __init__(self, folder: Path, *, ignore: bool = False) -> None:
        self.folder = folder / "cells"
        self.ignore = ignore

    def load(self, task: Task) -> Outcome | None:
        """The stored outcome of a task; None if there is none or it is damaged."""
        if self.ignore:
            return None
        folder = self.folder / task.key
        try:
            content = json.loads(decode(read_bytes(folder / "cell.json"), "cell.json"))
            if content["format"] != FORMAT or content["key"] != task.key:
                return None
            scores = np.array(
                [float(line) for line in read_lines(folder / "scores.txt.gz")], dtype=np.float64
            )
            model = load_model(folder / "model.json") if content["model"] else None
            signature = str(content["signature"])
            corpus_signatures = tuple(map(str, content.get("corpus_signatures", ())))
            statistics = tuple(
                _read_table(folder / _statistics(number)) for number in range(len(task.corpora))
            )
        except (PfsmError, ValueError, KeyError, TypeError, RecursionError):
            return None
        sizes = [corpora.members.size for corpora in task.corpora]
        if scores.size != len(task.hypotheses) or [len(table) for table in statistics] != sizes:
            return None
        if len(corpus_signatures) != len(sizes):
            return None
        return Outcome(model, signature, scores, statistics, corpus_signatures)

    def save(self, task: Task, outcome: Outcome) -> None:
        """Stores an outcome.

        Raises:
            PfsmError: If it cannot be written.
        """
        folder = self.folder / task.key
        make_folder(folder)
        if outcome.model is not None:
            save_model(outcome.model, folder / "model.json")
        with atomic_write(folder / "scores.txt.gz") as handle:
            handle.writelines(f"{score!r}\n" for score in outcome.scores.tolist())
        for number, table in enumerate(outcome.statistics):
            with atomic_write(folder / _statistics(number)) as handle:
                handle.writelines("\t".join(map(repr, row)) + "\n" for row in table.tolist())
        content = {
            "format": FORMAT,
            "key": task.key,
            "cell": task.label,
            "model": outcome.model is not None,
            "pairs": len(task.hypotheses),
            "signature": outcome.signature,
        }
        if outcome.corpus_signatures:
            content["corpus_signatures"] = outcome.corpus_signatures
        with atomic_write(folder / "cell.json") as handle:
            handle.write(json.dumps(content, indent=1) + "\n")


def _statistics(number: int) -> str:
    return f"statistics-{number + 1}.txt.gz"


def _read_table(path: Path) -> Float:
    """float64 [n, k]."""
    rows = [[float(field) for field in line.split("\t")] for line in read_lines(path)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), -1)


def make_folder(folder: Path) -> None:
    """Creates a folder and its parents.

    Raises:
        PfsmError: If it cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise PfsmError(f"{folder}: is a file, a folder is needed") from None
    except OSError as error:
        raise PfsmError(f"{folder}: cannot be created ({error.strerror})") from None
