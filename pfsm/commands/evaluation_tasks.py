"""What ``pfsm evaluate`` measures: statistics by name and level, of each kind of data; the results as plain values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pfsm.commands.evaluation_sources import Inputs, Scorer, Source, scores_at_level
from pfsm.commands.options import meant
from pfsm.data import Judgments, Preferences
from pfsm.data.judgments import SEGMENT_ID
from pfsm.errors import PfsmError
from pfsm.evaluation import Difference, Estimates, PairedTest, compare, estimate
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
from pfsm.evaluation.comparison import estimate_entry, interval_entry, number
from pfsm.evaluation.engine import check_units
from pfsm.evaluation.people import EXPECTED_WINS, FITS, LEAST_SQUARES, MEANS
from pfsm.evaluation.pooled import Scores, segment_scores
from pfsm.evaluation.questions import (
    CORRELATION,
    SEGMENTS,
    SIDES,
    Question,
    absolute_question,
    likeness_question,
    preference_question,
    ranking_question,
)
from pfsm.evaluation.questions import SYSTEM as SYSTEM_COLUMN
from pfsm.evaluation.significance import permutation_test, williams_p_values

KING = "king"
CORRELATIONS = ("pearson", "spearman", "kendall")
# Tells metrics apart where r does not; of segments with several translations.
WITHIN = "mean-removed"


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
    """The level that is asked about: as an option, or before the names of statistics (``document-pearson``)."""
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
    """The canonical names in a list with commas, each fit for the level and for some file."""
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
            found = f"no {given.strip()!r} here{meant(name, known)}"
            raise PfsmError(f"--statistics: {found}; there are {', '.join(known)}")
        names.append(name)
    return names


def check_level(inputs: Inputs, level: str) -> None:
    """Refuses what has no such level."""
    if level == SEGMENT:
        return
    for table in inputs.tables_of(pairwise=True):
        if level == DOCUMENT:
            raise PfsmError(f"{table.path}: preferences have no document level; give absolute scores")
        columns = [f"{side}_{SYSTEM_COLUMN}" for side in SIDES]
        if any(name not in table.columns for name in columns):
            raise PfsmError(
                f"{table.path}: preferences have no system level without the columns {' and '.join(columns)}"
            )
        for name in columns:
            table.names(name)
    absolute = inputs.tables_of(pairwise=False)
    for table in absolute if level == DOCUMENT else ():
        table.names(DOCUMENT, f"; the {level} level needs it")
    for table in absolute:
        table.column(SYSTEM_COLUMN, f"; the {level} level needs it")


def tasks_of(
    inputs: Inputs,
    level: str,
    names: Sequence[str] | None,
    tau: str,
    resample: str | None,
    system_scores: str | None = None,
) -> list[Task]:
    """What is to be measured, of each kind of data there is.

    Args:
        inputs: The files.
        level: One of `pfsm.evaluation.catalogue.LEVELS`.
        names: Canonical names of statistics; None: those of the usual tables.
        tau: The Kendall's tau of the usual table of preferences.
        resample: What is resampled; None: the default of each.
        system_scores: What people's scores of systems are, from scores or from rankings; None: the default of each.
    """
    usual = (*CORRELATIONS, *(("accuracy", "significant", "ceiling") if level == SYSTEM else ()))
    fit = MEANS if system_scores == MEANS else LEAST_SQUARES
    people = EXPECTED_WINS if system_scores is None or system_scores in FITS else system_scores
    tasks = []
    if inputs.absolute is not None:
        chosen = usual if names is None else names
        task = _absolute(inputs, inputs.absolute, level, chosen, resample, fit)
        if names is None and level == SEGMENT and resample in {None, SEGMENTS} and _has_rivals(task.question):
            task = replace(task, statistics=[*task.statistics, BY_LEVEL[level][WITHIN]])
        tasks.append(task)
        if names is not None and KING in names:
            tasks.append(_likeness(inputs, inputs.absolute, resample))
    if inputs.pairwise is not None:
        chosen = names or (usual if level == SYSTEM else ("accuracy", tau))
        tasks.append(_preferences(inputs, inputs.pairwise, level, chosen, resample, people))
    return [task for task in tasks if task.statistics]


def _has_rivals(question: Question[Any]) -> bool:
    """Whether segments have several translations, not just a few lines that happen to be alike."""
    segments = question.items.segments
    if segments is None:
        return False
    named = np.asarray(segments)
    return all(2 * rows.size >= 3 * np.unique(named[rows]).size for rows in question.members.values())


def _chosen(names: Sequence[str], table: Mapping[str, Statistic[Any]]) -> list[Statistic[Any]]:
    return [table[name] for name in names if name in table]


def _absolute(
    inputs: Inputs, data: Judgments, level: str, names: Sequence[str], resample: str | None, people: str
) -> Task:
    statistics = _chosen(names, BY_LEVEL[level])
    question = absolute_question(
        data,
        inputs.file_numbers(pairwise=False),
        inputs.groups(data),
        level,
        resample=resample,
        lengths=any("lengths" in statistic.needs for statistic in statistics),
        people=people,
    )
    check_units(question, statistics)
    within = any("segments" in statistic.needs for statistic in statistics)
    if (
        level == DOCUMENT
        and within
        and np.unique(question.items.needed("segments")).size == len(question.items)
    ):
        raise PfsmError("mean-removed compares translations of a document, and no document has two here")
    return Task(question, statistics, lambda source: scores_at_level(source, inputs, question))


def _preferences(
    inputs: Inputs, data: Preferences, level: str, names: Sequence[str], resample: str | None, people: str
) -> Task:
    files, groups = inputs.file_numbers(pairwise=True), inputs.groups(data)
    if level == SYSTEM:
        question: Question[Any] = ranking_question(data, files, groups, resample=resample, people=people)
    else:
        question = preference_question(data, files, groups, resample=resample, ties=inputs.ties)
    statistics = _chosen(names, RANKINGS if level == SYSTEM else PREFERENCES)
    return Task(question, statistics, lambda source: scores_at_level(source, inputs, question))


def _likeness(inputs: Inputs, data: Judgments, resample: str | None) -> Task:
    for table in inputs.tables_of(pairwise=False):
        if SEGMENT_ID not in table.columns:
            raise PfsmError(f"{table.path}: {KING} needs absolute scores with the column {SEGMENT_ID}")
    if resample not in {None, SEGMENTS}:
        raise PfsmError(f"{KING} resamples segments, not {resample}")
    cases = likeness_question(data, inputs.file_numbers(pairwise=False), inputs.groups(data))
    return Task(
        cases.question,
        list(LIKENESS.values()),
        lambda source: cases.scores(scorer_for_likeness(source).metric.score_segments),
    )


def scorer_for_likeness(source: Source) -> Scorer:
    """The source, if it can score any pair."""
    if not isinstance(source, Scorer):
        raise PfsmError(
            f"{KING} scores references too, for which {source.name!r} has no scores; give a model or --metric"
        )
    return source


BOOTSTRAP, PERM_BOTH = "bootstrap", "perm-both"


def statistics_document(task: Task, metric: Scores, n_resamples: int, seed: int) -> dict[str, Any]:
    """Every statistic of a metric's scores by group, with intervals, and the means; undefined numbers are null."""
    question, statistics = task.question, task.statistics
    found = estimate(question, metric, statistics, n_resamples, seed)
    systems = getattr(question.items, "systems", None) if question.level == SYSTEM else None
    return {
        "level": question.level,
        "resampled": question.unit,
        "groups": [
            {"group": name, "n": rows.size}
            | ({} if systems is None else {"systems": int(np.unique(np.asarray(systems)[rows]).size)})
            | {one.key: estimate_entry(found[one.name].groups[name]) for one in statistics}
            for name, rows in question.members.items()
        ],
        "mean": {one.key: estimate_entry(found[one.name].mean) for one in statistics},
        **_of_systems(question, {one.key: found[one.name] for one in statistics}),
    }


def _of_systems(question: Question[Any], found: Mapping[str, Estimates]) -> dict[str, Any]:
    """What people's scores of systems are, and shares of pairs of systems over all groups."""
    if question.level != SYSTEM:
        return {}
    pooled = {
        key: estimate_entry(one.pooled) | {"interval_over_groups": interval_entry(one.over_groups)}
        for key, one in found.items()
        if one.pooled is not None and one.over_groups is not None
    }
    several = len(question.members) > 1 and pooled
    return {"system_scores": question.people, **({"pooled": pooled} if several else {})}


def versus_document(
    task: Task, metrics: tuple[Scores, Scores], test: str, n_resamples: int, seed: int
) -> dict[str, Any]:
    """The difference of every statistic in every group, of the means, and over all items; with p-values.

    Args:
        task: What to measure.
        metrics: Scores of the metric, and of the one that it is compared with.
        test: `BOOTSTRAP` or `PERM_BOTH`.
        n_resamples: Resamples, or permutations.
        seed: Of either.
    """
    question = task.question
    chosen = [statistic for statistic in task.statistics if statistic.of_metric]
    if test == PERM_BOTH:
        found = {one.name: permutation_test(question, *metrics, one, n_resamples, seed) for one in chosen}
    else:
        found = compare(question, *metrics, chosen, n_resamples, seed)
    document: dict[str, Any] = {"unit": question.unit}
    for statistic in chosen:
        entry = document[statistic.key] = test_entry(found[statistic.name])
        if (question.kind, question.level, statistic.name) == (CORRELATION, SEGMENT, "pearson"):
            p_values = williams_p_values(question, *map(segment_scores, metrics))
            for group in entry["groups"]:
                if p_values is not None:
                    group["williams_p"] = number(p_values[group["group"]])
    return document


def test_entry(result: PairedTest) -> dict[str, Any]:
    """A test's groups, mean and pooled result as plain values."""
    entry: dict[str, Any] = {
        "groups": [{"group": group.name, **_difference(group)} for group in result.groups],
        "mean": _difference(result.mean),
    }
    if result.pooled is not None:
        entry["pooled"] = _difference(result.pooled)
    return entry


def _difference(result: Difference) -> dict[str, Any]:
    return {
        "n": result.n,
        "value": number(result.value_a),
        "versus": number(result.value_b),
        "difference": number(result.difference),
        "interval": interval_entry(result.interval),
        "p_value": number(result.p_value),
    }
