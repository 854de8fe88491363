"""What ``pfsm evaluate`` is asked to measure: statistics by name, at a level, of each kind of data there is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pfsm.commands.evaluation_inputs import Inputs, check_documents, file_numbers
from pfsm.commands.evaluation_sources import Scorer, Source, scores_at_level
from pfsm.data import Judgments, Table
from pfsm.errors import PfsmError
from pfsm.evaluation.catalogue import (
    BY_LEVEL,
    DOCUMENT,
    LIKENESS,
    PREFERENCES,
    RANKINGS,
    SEGMENT,
    SYSTEM,
    Statistic,
    level_and_name,
)
from pfsm.evaluation.engine import check_units
from pfsm.evaluation.pooled import Scores
from pfsm.evaluation.questions import SEGMENT as SEGMENT_COLUMN
from pfsm.evaluation.questions import (
    SEGMENTS,
    SIDES,
    Question,
    absolute_question,
    likeness_question,
    preference_question,
    ranking_question,
)
from pfsm.evaluation.questions import SYSTEM as SYSTEM_COLUMN
from pfsm.evaluation.system_level import EXPECTED_WINS

KING = "king"
CORRELATIONS = ("pearson", "spearman", "kendall")


@dataclass(frozen=True, eq=False)
class Task:
    """A question, and the statistics to answer it by."""

    question: Question[Any]
    statistics: Sequence[Statistic[Any]]
    scores: Callable[[Source], Scores]
    """A metric's scores, as the question takes them."""

    @property
    def headings(self) -> dict[str, str]:
        """What tables call each key of the document."""
        return {statistic.key: statistic.heading for statistic in self.statistics}


def level_of(statistics: str | None, level: str | None) -> str:
    """The level that is asked about: as an option, or before the names of statistics (``document-pearson``).

    Raises:
        PfsmError: There is more than one.
    """
    names = [] if statistics is None else [name.strip() for name in statistics.split(",")]
    found = {level_and_name(name)[0] or level or SEGMENT: name for name in names}
    if len(found) > 1:
        told = " and ".join(f"{name} of {one}s" for one, name in found.items())
        raise PfsmError(f"--statistics: {told}; ask about one level at a time")
    (asked,) = found or {level or SEGMENT}
    if level not in {None, asked}:
        raise PfsmError(f"--level {level}: {found[asked]} is a statistic of {asked}s")
    return asked


def statistic_names(text: str, inputs: Inputs, level: str) -> list[str]:
    """The canonical names in a list with commas, each fit for the level and for some file.

    Raises:
        PfsmError: An unknown name, one that fits no file, one twice, or preferences at another level.
    """
    known: list[str] = []
    if inputs.absolute is not None:
        known += [*BY_LEVEL[level], *(LIKENESS if level == SEGMENT else ())]
    if inputs.pairwise is not None and level != DOCUMENT:
        known += [name for name in (PREFERENCES if level == SEGMENT else RANKINGS) if name not in known]
    names: list[str] = []
    for given in text.split(","):
        name = level_and_name(given.strip())[1]
        if name in names:
            raise PfsmError(f"--statistics: {name} is named twice")
        if name not in known:
            raise PfsmError(f"--statistics: no {given.strip()!r} here; there are {', '.join(known)}")
        names.append(name)
    return names


def check_level(inputs: Inputs, level: str) -> None:
    """Refuses what has no such level.

    Raises:
        PfsmError: Preferences at the level of documents; a file without systems above the level of segments, or
            without documents at theirs.
    """
    if level == SEGMENT:
        return
    for table in inputs.pairwise_tables:
        if level == DOCUMENT:
            raise PfsmError(f"{table.path}: preferences have no document level; give absolute scores")
        _check_ranked(table)
    if level == DOCUMENT:
        check_documents(inputs.absolute_tables)
    for table in inputs.absolute_tables:
        table.column(SYSTEM_COLUMN, f"; the {level} level needs it")


def _check_ranked(table: Table) -> None:
    """Refuses preferences that do not tell whose translations they compare."""
    columns = [f"{side}_{SYSTEM_COLUMN}" for side in SIDES]
    if any(name not in table.columns for name in columns):
        raise PfsmError(
            f"{table.path}: preferences have no system level without the columns {' and '.join(columns)}"
        )
    for name in columns:
        for line, system in zip(table.line_numbers, table.columns[name], strict=True):
            if not system.strip():
                raise PfsmError(f"{table.path}:{line}: {name} is empty, the system level needs a name")


def tasks_of(
    inputs: Inputs,
    level: str,
    names: Sequence[str] | None,
    tau: str,
    resample: str | None,
    system_scores: str = EXPECTED_WINS,
) -> list[Task]:
    """What is to be measured, of each kind of data there is.

    Args:
        inputs: The files.
        level: One of `pfsm.evaluation.catalogue.LEVELS`.
        names: Canonical names of statistics; None: those of the usual tables.
        tau: The Kendall's tau of the usual table of preferences.
        resample: What is resampled; None: the default of each.
        system_scores: What people's scores of systems are where they ranked translations.

    Raises:
        PfsmError: The files lack what a statistic or the resamples need.
    """
    usual = (*CORRELATIONS, *(("accuracy",) if level == SYSTEM else ()))
    tasks = []
    if inputs.absolute is not None:
        tasks.append(_absolute(inputs, inputs.absolute, level, usual if names is None else names, resample))
        if names is not None and KING in names:
            tasks.append(_likeness(inputs, inputs.absolute, resample))
    if inputs.pairwise is not None and level == SYSTEM:
        tasks.append(_ranking(inputs, usual if names is None else names, resample, system_scores))
    elif inputs.pairwise is not None:
        tasks.append(_pairwise(inputs, ("accuracy", tau) if names is None else names, resample))
    return [task for task in tasks if task.statistics]


def _chosen(names: Sequence[str], table: Mapping[str, Statistic[Any]]) -> list[Statistic[Any]]:
    return [table[name] for name in names if name in table]


def _absolute(
    inputs: Inputs, data: Judgments, level: str, names: Sequence[str], resample: str | None
) -> Task:
    statistics = _chosen(names, BY_LEVEL[level])
    question = absolute_question(
        data,
        file_numbers(inputs.absolute_tables),
        inputs.groups(data),
        level,
        resample=resample,
        lengths=any("lengths" in statistic.needs for statistic in statistics),
    )
    check_units(question, statistics)
    within = any("segments" in statistic.needs for statistic in statistics)
    if question.documents is not None and within and not question.documents.with_rivals:
        raise PfsmError("mean-removed compares translations of a document, and no document has two here")
    return Task(question, statistics, lambda source: scores_at_level(source, inputs, question))


def _pairwise(inputs: Inputs, names: Sequence[str], resample: str | None) -> Task:
    data = inputs.pairwise
    assert data is not None
    files = file_numbers(inputs.pairwise_tables)
    question = preference_question(data, files, inputs.groups(data), resample=resample, ties=inputs.ties)
    return Task(question, _chosen(names, PREFERENCES), lambda source: source.pairwise(inputs))


def _ranking(inputs: Inputs, names: Sequence[str], resample: str | None, people: str) -> Task:
    data = inputs.pairwise
    assert data is not None
    files = file_numbers(inputs.pairwise_tables)
    question = ranking_question(data, files, inputs.groups(data), resample=resample, people=people)
    return Task(question, _chosen(names, RANKINGS), lambda source: scores_at_level(source, inputs, question))


def _likeness(inputs: Inputs, data: Judgments, resample: str | None) -> Task:
    for table in inputs.absolute_tables:
        if SEGMENT_COLUMN not in table.columns:
            raise PfsmError(f"{table.path}: {KING} needs absolute scores with the column {SEGMENT_COLUMN}")
    if resample not in {None, SEGMENTS}:
        raise PfsmError(f"{KING} resamples segments, not {resample}")
    cases = likeness_question(data, file_numbers(inputs.absolute_tables), inputs.groups(data))
    return Task(
        cases.question,
        list(LIKENESS.values()),
        lambda source: cases.scores(scorer_for_likeness(source).score_segments),
    )


def scorer_for_likeness(source: Source) -> Scorer:
    """The source, if it can score any pair.

    Raises:
        PfsmError: It has scores of the translations alone.
    """
    if not isinstance(source, Scorer):
        raise PfsmError(
            f"{KING} scores references too, for which {source.name!r} has no scores; give a model or --metric"
        )
    return source
