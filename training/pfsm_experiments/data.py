"""Reads the data of an experiment: files by pattern, rows by value, samples independent of the order of rows.

Test sets as questions to `pfsm.evaluation`, which has the statistics and resamples.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences, Table
from pfsm.data.formats.registry import read_judged
from pfsm.data.judgments import SEGMENT_ID, joined_tables
from pfsm.data.reference_digests import overlap
from pfsm.data.table import mean_of_judges
from pfsm.errors import PfsmError
from pfsm.evaluation.catalogue import (
    BY_LEVEL,
    DOCUMENT,
    PREFERENCES,
    RANKINGS,
    SEGMENT,
    SYSTEM,
    Statistic,
    level_and_name,
)
from pfsm.evaluation.catalogue import LIKENESS as LIKENESS_STATISTICS
from pfsm.evaluation.engine import check_units
from pfsm.evaluation.people import EXPECTED_WINS, FITS, LEAST_SQUARES, SYSTEM_SCORES
from pfsm.evaluation.questions import (
    LIKENESS,
    ONE_GROUP,
    SEGMENTS,
    LikenessQuestion,
    Question,
    absolute_question,
    likeness_question,
    preference_question,
    ranking_question,
)
from pfsm_experiments.spec import DataSpec, RowSpec

Rows = NDArray[np.int64]
Judged = Judgments | Preferences
MEAN, POOLED = "mean", "pooled"


@dataclass(frozen=True, eq=False)
class TrainData:
    """Training data: scores, preferences, or both."""

    judgments: Judgments | None
    preferences: Preferences | None

    @property
    def parts(self) -> tuple[Judged, ...]:
        """Those of the two that there are."""
        return tuple(part for part in (self.judgments, self.preferences) if part is not None)

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def select(self, choose: Callable[[Judged], Rows]) -> "TrainData":
        """The rows of each part that a function chooses; a part without rows is left out."""
        chosen = [part.select(choose(part)) for part in self.parts]
        return _joined([part for part in chosen if len(part)])


@dataclass(frozen=True, eq=False)
class TestSet:
    """A test set.

    Attributes:
        name: Heading in tables.
        data: Scores or preferences.
        groups: [n], the group of every row.
        files: int64 [n], number of the file of each row.
        system_scores: As of `pfsm_experiments.spec.DataSpec`.
        pool: Likewise.
    """

    name: str
    data: Judged
    groups: tuple[str, ...]
    files: Rows
    system_scores: str | None = None
    pool: str | None = None


class DataFolder:
    """Reads the data of an experiment, each file once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tables: dict[str, Table] = {}

    @property
    def files(self) -> list[dict[str, Any]]:
        """The files read so far: path inside the folder, number of rows, SHA-256 of the content."""
        return [
            {"file": path, "rows": len(table), "sha256": table.checksum}
            for path, table in sorted(self._tables.items())
        ]

    def train_data(self, specs: Sequence[DataSpec]) -> TrainData:
        """The joined training data of several specifications.

        Raises:
            PfsmError: If no file matches a pattern, a file or column is invalid, or no row is left.
        """
        return _joined([self.read(spec)[0] for spec in specs])

    def test_sets(self, specs: Sequence[DataSpec], group_by: str | None) -> list[TestSet]:
        """One test set per specification.

        Raises:
            PfsmError: As `train_data`, or if two sets have the same name, a set has no column to group by, or a group
                has the name of the mean over the groups.
        """
        sets: list[TestSet] = []
        for spec in specs:
            data, files = self.read(spec)
            pattern = Path(spec.files[0])
            name = spec.name or (pattern.name if pattern.parent == Path() else pattern.parent.as_posix())
            if any(name == other.name for other in sets):
                raise PfsmError(f"{spec.where}: two test sets are called {name!r}; give one another name")
            groups = groups_of(data, group_by, spec.where)
            for taken, of in ((MEAN, "mean over the groups"), (POOLED, "groups pooled")):
                if taken in groups:
                    raise PfsmError(
                        f"{spec.where}: {group_by} is {taken!r} in a row, which is the name of the {of}; "
                        "give the group another name"
                    )
            sets.append(TestSet(name, data, groups, files, spec.system_scores, spec.pool))
        for one in sets:
            if one.pool in {other.name for other in sets}:
                raise PfsmError(f"{specs[0].where}: {one.pool!r} is the name of a test set and of a pool")
        return sets

    def read(self, spec: DataSpec) -> tuple[Judged, Rows]:
        """The rows of a specification.

        Raises:
            PfsmError: As `train_data`.
        """
        tables = [self._table(path) for pattern in spec.files for path in self._found(pattern, spec)]
        absolute, pairwise = joined_tables(tables, spec.score_column)
        if absolute is not None and pairwise is not None:
            raise PfsmError(
                f"{spec.where}: files matches both absolute scores and preferences; list them separately"
            )
        if spec.negate and absolute is not None:
            absolute = replace(absolute, scores=0.0 - absolute.scores)
        whole = pairwise if absolute is None else absolute
        assert whole is not None  # a pattern that matches no file is refused
        rows = _kept(whole, spec)
        if not rows.size:
            raise PfsmError(f"{spec.where}: no row matches 'where'")
        if spec.sample is not None:
            if spec.sample > rows.size:
                raise PfsmError(f"{spec.where}: sample is {spec.sample}, but there are {rows.size} rows")
            rows = rows[sample_rows(whole.select(rows), spec.sample, f"{spec.seed}")]
        files = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
        return whole.select(rows), files[rows]

    def _found(self, pattern: str, spec: DataSpec) -> list[str]:
        try:
            paths = sorted(path for path in self.folder.glob(pattern) if path.is_file())
        except (ValueError, NotImplementedError) as error:  # a pattern such as '', 'a**b' or '/a'
            raise PfsmError(
                f"{spec.where}: {pattern!r} is not a valid pattern of files in {self.folder} ({error})"
            ) from None
        if not paths:
            raise PfsmError(f"{spec.where}: no file matches {pattern!r} in {self.folder}")
        return [path.relative_to(self.folder).as_posix() for path in paths]

    def _table(self, path: str) -> Table:
        if path not in self._tables:
            self._tables[path] = mean_of_judges(read_judged(self.folder / path))
        return self._tables[path]


def groups_of(data: Judged, by: str | None, where: str) -> tuple[str, ...]:
    """The values of a column; without a column, one value for all rows.

    Raises:
        PfsmError: If there is no such column.
    """
    if by is None:
        return (ONE_GROUP,) * len(data)
    if by == "reference":
        return data.references
    if by not in data.columns:
        there = ", ".join(data.columns) or "none"
        raise PfsmError(f"{where}: the data has no column {by!r} to group by; columns are {there}")
    return data.columns[by]


def sample_rows(data: Judged, size: int, seed: str) -> Rows:
    """Rows drawn without replacement; with the same seed, a smaller sample is part of a larger one.

    The rows with the smallest hashes of seed and content are drawn, so the order of the rows does not matter.
    """
    names = sorted(data.columns)
    columns = (data.columns[name] for name in names)
    keys = [
        hashlib.sha256("\0".join((seed, *map(str, row))).encode("utf-8", "surrogatepass")).digest()
        for row in zip(data.references, *_content(data), *columns, strict=True)
    ]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return np.sort(np.array(order[:size], dtype=np.int64))


def _content(data: Judged) -> tuple[Sequence[object], ...]:
    if isinstance(data, Judgments):
        return data.hypotheses, data.scores.tolist()
    return data.better, data.worse, data.votes.tolist()


def _kept(data: Judged, spec: DataSpec) -> Rows:
    kept = np.ones(len(data), dtype=bool)
    for column, values in spec.keep.items():
        fields = groups_of(data, column, f"{spec.where}: where")
        kept &= np.array([value in values for value in fields], dtype=bool)
    return np.flatnonzero(kept)


def _joined(parts: Sequence[Judged]) -> TrainData:
    judgments = [part for part in parts if isinstance(part, Judgments)]
    preferences = [part for part in parts if isinstance(part, Preferences)]
    return TrainData(
        Judgments.join(judgments) if judgments else None,
        Preferences.join(preferences) if preferences else None,
    )


def segments_of(data: Judged) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """What is to be scored: one hypothesis per judgment, for preferences all better ones, then all worse.

    Returns:
        Hypotheses, and all references of each.
    """
    if isinstance(data, Judgments):
        return data.hypotheses, data.all_references
    return (*data.better, *data.worse), (*data.all_references, *data.all_references)


def columns_digest(data: Judged) -> str:
    """SHA-256 of everything in the data, in the order of the rows."""
    digest = hashlib.sha256()

    def add(name: str, values: Sequence[object]) -> None:
        text = "\0".join((name, str(len(values)), *map(str, values)))
        digest.update(text.encode("utf-8", "surrogatepass") + b"\x01")

    add("reference", data.references)
    for number, values in enumerate(_content(data)):
        add(f"content {number}", values)
    columns: Mapping[str, Sequence[str]] = data.columns
    for name, fields in columns.items():
        add(f"column {name}", fields)
    add("sources", [f"{source.name} {source.rows} {source.checksum}" for source in data.sources])
    return digest.hexdigest()


def overlap_of(row: RowSpec, train: TrainData | None, test: TestSet) -> str:
    """The reason not to test a row on a test set; empty without one.

    Its model's training record names a file of the set, or it shares a file, and pairs, with the training data.
    """
    tested = {source.checksum for source in test.data.sources}
    for model in filter(None, (row.model, row.init)):
        entries = model.training.get("data", [])
        if tested & {str(entry.get("sha256")) for entry in entries if isinstance(entry, Mapping)}:
            return f"the model {model.name} was trained on it"
    parts = () if train is None else train.parts
    if not tested & {source.checksum for part in parts for source in part.sources}:
        return ""
    common = len({pair for part in parts for pair in _pairs(part)} & _pairs(test.data))
    return f"{common} of its pairs are in the training data" if common else ""


def reference_notes(row: RowSpec, train: TrainData | None, fold: str, test: TestSet, rows: Rows) -> list[str]:
    """Notes on references that training data and test data have in common."""
    references = {line for at in rows.tolist() for line in test.data.all_references[at]}
    about = f"{test.name} ({fold})" if fold else test.name
    of = f"of the {len(references)} references of {about}"
    notes = [
        f"{row.name}: {common} {of} are in the training data of the model {model.name}"
        for model in filter(None, (row.model, row.init))
        if (common := overlap(references, str(model.training.get("reference_digests", ""))))
    ]
    if train is not None:
        known = {line for part in train.parts for several in part.all_references for line in several}
        if common := len(references & known):
            own = f"{row.name}: " if row.train_data else ""
            notes.append(f"{own}{common} {of} are in the training data")
    return notes


def _pairs(data: Judged) -> set[tuple[str, str]]:
    return {(ours, line) for ours, several in zip(*segments_of(data), strict=True) for line in several}


AnyQuestion = Question[Any]
"""A question on absolute scores or on preferences."""


def likeness_of(test: TestSet, resample: str | None = None) -> LikenessQuestion:
    """The test cases of human likeness of a test set of scores, with what there is to score for them.

    Raises:
        PfsmError: If it lacks the columns, or they are not to be resampled by segments.
    """
    assert isinstance(test.data, Judgments)
    if SEGMENT_ID not in test.data.columns:
        raise PfsmError(f"king needs the column {SEGMENT_ID!r}")
    if resample not in {None, SEGMENTS}:
        raise PfsmError(f"king resamples segments, not {resample}")
    return likeness_question(test.data, test.files, test.groups)


def questions_of(
    test: TestSet, names: Sequence[str], resample: str | None
) -> list[tuple[AnyQuestion, dict[str, Statistic[Any]]]]:
    """The questions of a test set, one per level, each with its statistics by the names given."""
    scored = isinstance(test.data, Judgments)
    found: dict[str, dict[str, Statistic[Any]]] = {}
    for name in names:
        level, canonical = level_and_name(name)
        level = LIKENESS if canonical in LIKENESS_STATISTICS else level or SEGMENT
        table: Mapping[str, Statistic[Any]] = LIKENESS_STATISTICS
        if level != LIKENESS:
            table = BY_LEVEL[level] if scored else RANKINGS if level == SYSTEM else PREFERENCES
        found.setdefault(level, {})[name] = table[canonical]
    return [
        (
            _question(test, level, resample, any("lengths" in one.needs for one in statistics.values())),
            statistics,
        )
        for level, statistics in found.items()
    ]


def _question(test: TestSet, level: str, resample: str | None, lengths: bool) -> AnyQuestion:
    """Errors are those of `pfsm.evaluation.absolute_question`."""
    if level == LIKENESS:
        return likeness_of(test, resample).question
    rows, people = (test.files, test.groups), test.system_scores
    if isinstance(test.data, Judgments):
        # Statistics of documents always resample documents, whatever the unit of the others.
        drawn = None if level == DOCUMENT else resample
        return absolute_question(
            test.data, *rows, level, resample=drawn, lengths=lengths, people=people or LEAST_SQUARES
        )
    if level == SYSTEM:
        return ranking_question(test.data, *rows, resample=resample, people=people or EXPECTED_WINS)
    return preference_question(test.data, *rows, resample=resample)


def check_questions(test: TestSet, names: Sequence[str], resample: str | None) -> None:
    """Checks before the work begins that the statistics can be computed.

    Raises:
        PfsmError: If the unit of resampling, or people's scores of systems, do not fit the data or a statistic.
    """
    known = FITS if isinstance(test.data, Judgments) else SYSTEM_SCORES
    if test.system_scores not in {None, *known}:
        raise PfsmError(f"system_scores is {test.system_scores!r}, it must be one of {', '.join(known)}")
    for question, statistics in questions_of(test, names, resample):
        check_units(question, statistics.values())
