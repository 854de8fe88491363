"""Plans the cells of an experiment: which models are trained on which data, and which test rows they score."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pfsm.data import Judgments
from pfsm.errors import PfsmError
from pfsm.evaluation.catalogue import DOCUMENT, SEGMENT, SYSTEM
from pfsm_experiments.data import (
    DataFolder,
    Judged,
    Rows,
    TestSet,
    TrainData,
    groups_of,
    overlap_with_model,
    overlap_with_training,
    reference_notes,
    sample_rows,
)
from pfsm_experiments.questions import check_questions
from pfsm_experiments.requirements import check_weights, columns_of_row, missing, without_places
from pfsm_experiments.spec import PAIRWISE, RANKED, Experiment, RowSpec, absolute_names, level_of


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
    specs = experiment.test or experiment.train
    tests = tuple(folder.test_sets(specs, experiment.group_by))
    for test in tests:
        _check_statistics(experiment, test)
    planner = _Planner(experiment, folder, train, tests)
    planner.notes += _unused_statistics(experiment, tests)
    cells = tuple(cell for row in experiment.rows for cell in planner.cells(row) if cell.tests)
    sizes = sorted({cell.size for cell in cells if cell.size is not None})
    return Plan(tests, cells, tuple(sizes), tuple(dict.fromkeys(planner.notes)))


def statistics_of(experiment: Experiment, test: TestSet) -> tuple[str, ...]:
    """The experiment's statistics that apply to a test set."""
    known = absolute_names() if isinstance(test.data, Judgments) else PAIRWISE
    return tuple(
        name for name in experiment.statistics if name in known and not (name in RANKED and _unnamed(test))
    )


_RANKED_COLUMNS = ("better_system", "worse_system")


def _unnamed(test: TestSet) -> bool:
    """Whether it is a set of preferences that does not say whose translations they compare."""
    return not isinstance(test.data, Judgments) and any(
        name not in test.data.columns for name in _RANKED_COLUMNS
    )


def _unused_statistics(experiment: Experiment, tests: Sequence[TestSet]) -> list[str]:
    """Sentences about statistics that apply to no test set."""
    used = {name for test in tests for name in statistics_of(experiment, test)}
    return [
        f"{name}: left out: it applies to none of the test sets"
        for name in experiment.statistics
        if name not in used
    ]


# What statistics of a level need in every row.
_COLUMNS = {SEGMENT: (), DOCUMENT: ("document", "system"), SYSTEM: ("system",)}


def _check_statistics(experiment: Experiment, test: TestSet) -> None:
    if not statistics_of(experiment, test):
        kind, known = (
            ("scores", absolute_names()) if isinstance(test.data, Judgments) else ("preferences", PAIRWISE)
        )
        raise PfsmError(
            f"{experiment.where}: statistics has none for {test.name}, which has {kind}; "
            f"for {kind} there are {', '.join(known)}"
        )
    for name in statistics_of(experiment, test):
        for column in _needed(name, test):
            # If some files have the column and others do not, its fields are empty in the others.
            if not all(field.strip() for field in test.data.columns.get(column, ("",))):
                raise PfsmError(
                    f"{experiment.where}: {name} needs the column {column!r}, filled in every row of {test.name}"
                )
    try:
        check_questions(test, statistics_of(experiment, test), experiment.resample)
    except PfsmError as error:
        raise PfsmError(f"{experiment.where}: {test.name}: {error}") from None


def _needed(name: str, test: TestSet) -> tuple[str, ...]:
    """The columns that a statistic cannot do without."""
    level = level_of(name)
    if level == SYSTEM and not isinstance(test.data, Judgments):
        return _RANKED_COLUMNS
    return _COLUMNS[level]


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
        if reason := missing(row):
            if not row.optional:
                raise PfsmError(f"{self.experiment.where}: row {row.name!r}: {reason}")
            self.notes.append(f"{row.name}: left out: {without_places(reason)}")
            return
        self._check_columns(row, [test.data for test in self.tests])
        if row.training is None:
            yield self._checked(Cell(row, "", None, self.whole), None)
            return
        train = self.folder.train_data(row.train_data) if row.train_data else self.train
        assert train is not None  # the configuration was checked
        self._check_columns(row, train.parts)
        try:
            check_weights(row, train.judgments, train.preferences)
        except PfsmError as error:
            raise PfsmError(f"{self.experiment.where}: row {row.name!r}: {error}") from None
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

    def _check_columns(self, row: RowSpec, parts: Sequence[Judged]) -> None:
        for name in columns_of_row(row):
            for data in parts:
                try:
                    data.numbers(name)
                except PfsmError as error:
                    raise PfsmError(f"{self.experiment.where}: row {row.name!r}: {error}") from None

    def _train_test(self, row: RowSpec, train: TrainData) -> Iterator[Cell]:
        yield Cell(row, "", train, self.whole)

    def _folds(self, row: RowSpec, train: TrainData) -> Iterator[Cell]:
        """Rows with the same value of a column are held out together, in a fold that a hash of the value determines."""
        by, count = str(self.experiment.by), self.experiment.folds
        where = f"{self.experiment.where}: by"
        values = sorted({value for part in train.parts for value in groups_of(part, by, where)})
        if len(values) < count:
            raise PfsmError(f"{where}: {count} folds need {count} values of {by!r}, there are {len(values)}")
        values.sort(key=lambda value: hashlib.sha256(value.encode("utf-8", "surrogatepass")).digest())
        fold_of = {value: place % count for place, value in enumerate(values)}

        def members(data: Judged, fold: int, inside: bool) -> Rows:
            fields = groups_of(data, by, where)
            return np.flatnonzero(np.array([(fold_of[value] == fold) == inside for value in fields]))

        for fold in range(count):
            yield Cell(
                row,
                f"fold {fold + 1}",
                train.select(lambda part, fold=fold: members(part, fold, inside=False)),  # type: ignore[misc]
                {test.name: members(test.data, fold, inside=True) for test in self.tests},
            )

    def _round_robin(self, row: RowSpec, train: TrainData) -> Iterator[Cell]:
        """Each value of a column is tested on once, by a model trained on all others."""
        by, where = str(self.experiment.by), f"{self.experiment.where}: by"
        values = sorted({value for test in self.tests for value in groups_of(test.data, by, where)})

        def members(data: Judged, value: str, inside: bool) -> Rows:
            return np.flatnonzero(np.array([(one == value) == inside for one in groups_of(data, by, where)]))

        for value in values:
            tests = {test.name: members(test.data, value, inside=True) for test in self.tests}
            yield Cell(
                row,
                f"without {value}",
                train.select(lambda part, value=value: members(part, value, inside=False)),  # type: ignore[misc]
                {name: rows for name, rows in tests.items() if rows.size},
            )

    def _curve(self, row: RowSpec, train: TrainData) -> Iterator[Cell]:
        """Samples of growing size; a smaller sample is part of the larger one with the same number."""
        if len(train.parts) > 1:
            raise PfsmError(
                f"{self.experiment.where}: a learning curve needs either scores or preferences to train on, not both"
            )
        seed = self.experiment.seed
        for wanted in self.experiment.sizes:
            size = len(train) if wanted is None else wanted
            if size > len(train):
                raise PfsmError(
                    f"{self.experiment.where}: sizes has {size}, but row {row.name!r} has {len(train)} judgments"
                )
            for sample in range(self.experiment.repeats if size < len(train) else 1):
                name = f"{seed}:{sample}"
                drawn = train.select(lambda part, size=size, name=name: sample_rows(part, size, name))  # type: ignore[misc]
                fold = f"{size} judgments, sample {sample + 1}"
                yield Cell(row, fold, drawn, self.whole, size, sample)

    def _checked(self, cell: Cell, train: TrainData | None) -> Cell:
        """The cell without test sets that its model was trained on; common references are noted."""
        left_out = set()
        fold = cell.fold if cell.size is None else ""
        for test in self.tests:
            if test.name not in cell.tests:
                continue
            if reason := self._overlap(cell.row, train, test):
                left_out.add(test.name)
                self.notes.append(f"{cell.row.name}: not tested on {test.name}: {reason}")
            else:
                self.notes += reference_notes(cell.row, train, fold, test, cell.tests[test.name])
        tests = {name: rows for name, rows in cell.tests.items() if name not in left_out}
        return replace(cell, tests=tests, file=self.experiment.where)

    def _overlap(self, row: RowSpec, train: TrainData | None, test: TestSet) -> str | None:
        if test.name in row.not_on:
            return "not_on names it"
        for model in (row.model, row.init):
            if model is not None and (reason := overlap_with_model(model, test)):
                return reason
        if train is not None and self.experiment.scheme in {"train-test", "learning-curve"}:
            return overlap_with_training(train, test)
        return None
