"""Plans the cells of an experiment: which models are trained on which data, and which test rows they score.

A row may require more than the package itself: tables, vectors, other packages.
"""

import hashlib
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pfsm.data import Judgments
from pfsm.errors import PfsmError
from pfsm.evaluation.catalogue import DOCUMENT, SEGMENT, SYSTEM
from pfsm.features.values import feature_signature
from pfsm.metrics import get_metric
from pfsm.model.builder import LatticeBuilder
from pfsm.model.references import plugin_labels
from pfsm.model.settings import Settings
from pfsm_experiments.data import (
    DataFolder,
    Judged,
    Rows,
    TestSet,
    TrainData,
    check_questions,
    groups_of,
    overlap_of,
    reference_notes,
    sample_rows,
)
from pfsm_experiments.spec import PAIRWISE, RANKED, Experiment, RowSpec, absolute_names, level_of
from pfsm_training.config import weighing

_log = logging.getLogger("pfsm.experiment")


def resources_of(settings: Settings) -> list[str]:
    """Lexicons with their checksums, plug-ins with their versions: what lies outside the package.

    Raises:
        PfsmError: If one is missing.
    """
    return [
        *LatticeBuilder(settings).resources,
        *map(feature_signature, settings.features),
        *plugin_labels(settings),
    ]


def missing(row: RowSpec) -> str:
    """The first missing resource that a row needs, and how to get it, in one line; empty if none is missing."""
    try:
        if row.settings is not None:
            resources_of(row.settings)
        elif row.metric is not None:
            get_metric(row.metric, **row.options).check_available()
    except PfsmError as error:
        return str(error)
    return ""


@dataclass(frozen=True, eq=False)
class Cell:
    """One model, or one metric, and the test rows that it scores.

    Attributes:
        row: The row of the table that it belongs to.
        fold: Name of its part of the data, such as ``without cs``; empty if there is only one part.
        train: Training data; None if nothing is trained.
        tests: Rows to score, by name of the test set.
        size: Number of training judgments in a learning curve; None in other schemes.
        sample: Number of the sample of that size, from 0.
        file: Name of the experiment's file in messages.
    """

    row: RowSpec
    fold: str
    train: TrainData | None
    tests: Mapping[str, Rows]
    size: int | None = None
    sample: int = 0
    file: str = ""

    @property
    def where(self) -> str:
        """Its name in messages."""
        return f"{self.file}: row {self.row.name!r}" + (f" ({self.fold})" if self.fold else "")

    @property
    def label(self) -> str:
        """Its name in lines of progress."""
        return f"{self.row.name} ({self.fold})" if self.fold else self.row.name


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything to be computed.

    Attributes:
        tests: Test sets, in the order of the configuration.
        cells: Cells in the order of rows, then of folds or sizes.
        sizes: Training sizes of a learning curve as numbers; empty in other schemes.
        notes: Notes for the reader: rows left out, and overlap of training and test data.
    """

    tests: tuple[TestSet, ...]
    cells: tuple[Cell, ...]
    sizes: tuple[int, ...]
    notes: tuple[str, ...]


def make_plan(experiment: Experiment, folder: DataFolder) -> Plan:
    """Reads the data and plans the cells.

    Raises:
        PfsmError: If data or columns are missing, or do not fit the scheme or the statistics.
    """
    train = folder.train_data(experiment.train) if experiment.train else None
    tests = tuple(folder.test_sets(experiment.test or experiment.train, experiment.group_by))
    for test in tests:
        _check_statistics(experiment, test)
    planner = _Planner(experiment, folder, train, tests)
    used = {name for test in tests for name in statistics_of(experiment, test)}
    planner.notes += [
        f"{name}: left out: it applies to none of the test sets"
        for name in experiment.statistics
        if name not in used
    ]
    cells = tuple(cell for row in experiment.rows for cell in planner.cells(row) if cell.tests)
    sizes = sorted({cell.size for cell in cells if cell.size is not None})
    return Plan(tests, cells, tuple(sizes), tuple(dict.fromkeys(planner.notes)))


# What statistics of a level need in every row; those of systems, with preferences.
_COLUMNS = {SEGMENT: (), DOCUMENT: ("document", "system"), SYSTEM: ("system",)}
_RANKED_COLUMNS = ("better_system", "worse_system")


def statistics_of(experiment: Experiment, test: TestSet) -> tuple[str, ...]:
    """The experiment's statistics that apply to a test set: of preferences some need to know whose they compare."""
    if isinstance(test.data, Judgments):
        return tuple(name for name in experiment.statistics if name in absolute_names())
    named = all(name in test.data.columns for name in _RANKED_COLUMNS)
    return tuple(name for name in experiment.statistics if name in PAIRWISE and (named or name not in RANKED))


def _check_statistics(experiment: Experiment, test: TestSet) -> None:
    scored = isinstance(test.data, Judgments)
    names = statistics_of(experiment, test)
    if not names:
        kind, known = ("scores", absolute_names()) if scored else ("preferences", PAIRWISE)
        raise PfsmError(
            f"{experiment.where}: statistics has none for {test.name}, which has {kind}; "
            f"for {kind} there are {', '.join(known)}"
        )
    for name in names:
        level = level_of(name)
        for column in _COLUMNS[level] if scored or level != SYSTEM else _RANKED_COLUMNS:
            # If some files have the column and others do not, its fields are empty in the others.
            if not all(field.strip() for field in test.data.columns.get(column, ("",))):
                raise PfsmError(
                    f"{experiment.where}: {name} needs the column {column!r}, filled in every row of {test.name}"
                )
    try:
        check_questions(test, names, experiment.resample)
    except PfsmError as error:
        raise PfsmError(f"{experiment.where}: {test.name}: {error}") from None


@dataclass(eq=False)
class _Planner:
    experiment: Experiment
    folder: DataFolder
    train: TrainData | None
    tests: tuple[TestSet, ...]

    def __post_init__(self) -> None:
        self.notes: list[str] = []
        self.whole = {test.name: np.arange(len(test.data)) for test in self.tests}

    def cells(self, row: RowSpec) -> Iterator[Cell]:
        """The cells of a row of the table; none if the row is optional and lacks a resource."""
        where = f"{self.experiment.where}: row {row.name!r}"
        if reason := missing(row):
            if not row.optional:
                raise PfsmError(f"{where}: {reason}")
            # The reason may name folders of this machine, which mean nothing to readers elsewhere.
            _log.warning("%s: left out: %s", row.name, reason)
            self.notes.append(f"{row.name}: left out: something that it needs is not installed")
            return
        train = self.folder.train_data(row.train_data) if row.train_data else self.train
        try:
            parts = () if train is None or row.config is None else train.parts
            for data in (*(test.data for test in self.tests), *parts):
                for name in row.columns:
                    data.numbers(name)
            if row.config is not None and train is not None:
                weighing(train.judgments, train.preferences, row.config.weights)
        except PfsmError as error:
            raise PfsmError(f"{where}: {error}") from None
        if row.config is None:
            yield self._checked(Cell(row, "", None, self.whole), None)
            return
        assert train is not None  # the configuration was checked
        scheme = {
            "train-test": self._train_test,
            "k-fold": self._folds,
            "round-robin": self._round_robin,
            "learning-curve": self._curve,
        }[self.experiment.scheme]
        for cell in scheme(row, train):
            if not cell.train:
                raise PfsmError(
                    f"{replace(cell, file=self.experiment.where).where}: no training data is left"
                )
            # Overlap with a test set must not depend on the draw, so all data that a sample is drawn from counts.
            yield self._checked(cell, cell.train if cell.size is None else train)

    def _train_test(self, row: RowSpec, train: TrainData) -> Iterator[Cell]:
        yield Cell(row, "", train, self.whole)

    def _values(self, data: Judged) -> tuple[str, ...]:
        """What decides which rows are held out together."""
        return groups_of(data, str(self.experiment.by), f"{self.experiment.where}: by")

    def _folds(self, row: RowSpec, train: TrainData) -> Iterator[Cell]:
        """Rows with the same value of a column are held out together, in a fold that a hash of the value determines."""
        by, count = self.experiment.by, self.experiment.folds
        values = sorted({value for part in train.parts for value in self._values(part)})
        if len(values) < count:
            raise PfsmError(
                f"{self.experiment.where}: by: {count} folds need {count} values of {by!r}, there are {len(values)}"
            )
        values.sort(key=lambda value: hashlib.sha256(value.encode("utf-8", "surrogatepass")).digest())
        for fold in range(count):
            yield self._without(row, train, f"fold {fold + 1}", set(values[fold::count]))

    def _round_robin(self, row: RowSpec, train: TrainData) -> Iterator[Cell]:
        """Each value of a column is tested on once, by a model trained on all others."""
        for value in sorted({value for test in self.tests for value in self._values(test.data)}):
            yield self._without(row, train, f"without {value}", {value})

    def _without(self, row: RowSpec, train: TrainData, fold: str, held_out: set[str]) -> Cell:
        """Tests on the rows with these values, and trains on the others."""

        def members(data: Judged, inside: bool) -> Rows:
            return np.flatnonzero(np.array([(value in held_out) == inside for value in self._values(data)]))

        tests = {test.name: members(test.data, inside=True) for test in self.tests}
        kept = {name: rows for name, rows in tests.items() if rows.size or self.experiment.scheme == "k-fold"}
        return Cell(row, fold, train.select(lambda part: members(part, inside=False)), kept)

    def _curve(self, row: RowSpec, train: TrainData) -> Iterator[Cell]:
        """Samples of growing size; a smaller sample is part of the larger one with the same number."""
        if len(train.parts) > 1:
            raise PfsmError(
                f"{self.experiment.where}: a learning curve needs either scores or preferences to train on, not both"
            )
        for wanted in self.experiment.sizes:
            size = len(train) if wanted is None else wanted
            if size > len(train):
                raise PfsmError(
                    f"{self.experiment.where}: sizes has {size}, but row {row.name!r} has {len(train)} judgments"
                )
            for sample in range(self.experiment.repeats if size < len(train) else 1):
                drawn = train.select(partial(sample_rows, size=size, seed=f"{self.experiment.seed}:{sample}"))
                yield Cell(row, f"{size} judgments, sample {sample + 1}", drawn, self.whole, size, sample)

    def _checked(self, cell: Cell, train: TrainData | None) -> Cell:
        """The cell without test sets that its model was trained on; common references are noted."""
        apart = self.experiment.scheme in {"train-test", "learning-curve"}
        fold = cell.fold if cell.size is None else ""
        kept = dict(cell.tests)
        for test in self.tests:
            if test.name not in kept:
                continue
            named = "not_on names it" if test.name in cell.row.not_on else ""
            if reason := named or overlap_of(cell.row, train if apart else None, test):
                del kept[test.name]
                self.notes.append(f"{cell.row.name}: not tested on {test.name}: {reason}")
            else:
                self.notes += reference_notes(cell.row, train, fold, test, cell.tests[test.name])
        return replace(cell, tests=kept, file=self.experiment.where)
