"""The statistics that ``pfsm evaluate --statistics`` names, in every group and on average, as plain values."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pfsm.commands.evaluation_inputs import (
    SEGMENT,
    SYSTEM,
    Inputs,
    check_documents,
    document_items,
    group_names,
    judgment_items,
    pairwise_items,
)
from pfsm.data import Judgments
from pfsm.errors import PfsmError
from pfsm.evaluation import Estimate, Interval, MeanEstimate, calibrate_ties
from pfsm.evaluation.catalogue import DOCUMENT_LEVEL, PREFERENCES, SEGMENT_LEVEL, SYSTEM_LEVEL, Named
from pfsm.evaluation.document_level import TranslatedDocuments
from pfsm.evaluation.measure import Items, Measure
from pfsm.evaluation.pairwise import Yardstick, best_accuracy
from pfsm.evaluation.preference_measures import PreferenceItems
from pfsm.evaluation.samples import Sample, group_members, group_seed, mean_of_groups
from pfsm.evaluation.tie_calibration import CalibratedAccuracy

CONFIDENCE = 0.95
BY_LEVEL: Mapping[str, Mapping[str, Named[Items]]] = {
    "segment": SEGMENT_LEVEL,
    "document": DOCUMENT_LEVEL,
    "system": SYSTEM_LEVEL,
}
"""Statistics of absolute scores, by level."""
_NEEDED_COLUMNS = {"segments": SEGMENT, "systems": SYSTEM}
Data = TypeVar("Data", Items, PreferenceItems)


@dataclass(frozen=True, eq=False)
class Task(Generic[Data]):
    """The human side of one kind of data, and what is to be measured on it."""

    kind: str
    """"correlation" or "preference", as the document calls it."""
    level: str
    """A key of `BY_LEVEL`."""
    items: Data
    groups: Sequence[str]
    statistics: Sequence[Named[Data]]
    unit: str
    """What is resampled."""
    documents: TranslatedDocuments | None = None
    """At document level: how scores of segments become those of the items."""

    def scores(self, metric: NDArray[np.float64]) -> NDArray[np.float64]:
        """A metric's scores of the items, from those of the data's rows."""
        return metric if self.documents is None else self.documents.means(metric)

    @property
    def headings(self) -> dict[str, str]:
        """What tables call each key of the document."""
        return {key(statistic.name): statistic.heading for statistic in self.statistics}


def key(name: str) -> str:
    """A statistic's name as a key of the document."""
    return "kendall_tau_b" if name == "kendall" else name.replace("-", "_")


def absolute_task(inputs: Inputs, level: str, names: Sequence[str]) -> Task[Items] | None:
    """What is to be measured on absolute scores; None where there are none.

    Args:
        inputs: The files.
        level: A key of `BY_LEVEL`.
        names: Of statistics; those that are not for absolute scores are passed over.

    Raises:
        PfsmError: A statistic needs a column that a file has not.
    """
    data = inputs.absolute
    if data is None:
        return None
    chosen = [BY_LEVEL[level][name] for name in names if name in BY_LEVEL[level]]
    if level == "document":
        return _document_task(inputs, data, chosen)
    for statistic in chosen:
        for need in statistic.needs:
            for table in inputs.absolute_tables:
                if need in _NEEDED_COLUMNS and _NEEDED_COLUMNS[need] not in table.columns:
                    table.column(_NEEDED_COLUMNS[need], f"; {statistic.name} needs it")
    items = judgment_items(inputs, data, any("lengths" in statistic.needs for statistic in chosen))
    unit = "judgments" if items.segments is None else "segments"
    return Task("correlation", level, items, group_names(data, inputs.by), chosen, unit)


def _document_task(inputs: Inputs, data: Judgments, chosen: Sequence[Named[Items]]) -> Task[Items]:
    documents = document_items(inputs, data)
    if any("segments" in statistic.needs for statistic in chosen) and not documents.with_rivals:
        raise PfsmError("mean-removed compares translations of a document, and no document has two here")
    names = group_names(data, inputs.by)
    groups = [names[row] for row in documents.first.tolist()]
    return Task("correlation", "document", documents.items, groups, chosen, "documents", documents)


def pairwise_task(inputs: Inputs, names: Sequence[str]) -> Task[PreferenceItems] | None:
    """What is to be measured on preferences; None where there are none. Arguments as in `absolute_task`."""
    data = inputs.pairwise
    if data is None:
        return None
    chosen = [PREFERENCES[name] for name in names if name in PREFERENCES]
    items = pairwise_items(inputs, data)
    unit = "segments" if items.units.max() + 1 < len(items) else "pairs"
    return Task("preference", "segment", items, group_names(data, inputs.by), chosen, unit)


def statistic_names(text: str, inputs: Inputs, level: str, further: Sequence[str] = ()) -> list[str]:
    """The names in a list with commas, each fit for the level and for some file.

    Args:
        text: The list.
        inputs: The files.
        level: A key of `BY_LEVEL`.
        further: Names of absolute scores at segment level besides those of the catalogue.

    Raises:
        PfsmError: An unknown name, one that fits no file, one twice, or preferences at another level.
    """
    names = [name.strip() for name in text.split(",")]
    known: list[str] = []
    if inputs.absolute is not None:
        known += [*BY_LEVEL[level], *(further if level == "segment" else ())]
    if inputs.pairwise is not None and level == "segment":
        known += [name for name in PREFERENCES if name not in known]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise PfsmError(f"--statistics: {name} is there twice")
        if name not in known:
            raise PfsmError(f"--statistics: no {name!r} here; there are {', '.join(known)}")
    return names


def check_level(inputs: Inputs, level: str) -> None:
    """Refuses what has no such level.

    Raises:
        PfsmError: Preferences, or a file without systems, above the level of segments; a file without documents
            at theirs.
    """
    if level == "segment":
        return
    for table in inputs.pairwise_tables:
        raise PfsmError(f"{table.path}: preferences have no {level} level; give absolute scores")
    if level == "document":
        check_documents(inputs.absolute_tables)
    for table in inputs.absolute_tables:
        table.column(SYSTEM, f"; the {level} level needs it")


def statistics_document(
    task: Task[Data], metric: NDArray[np.float64], n_resamples: int, seed: int
) -> dict[str, Any]:
    """Every statistic in every group, with intervals, and the means; undefined numbers are null.

    Args:
        task: What to measure.
        metric: The metric's scores of the data's rows, float64 [n], of preferences [n, 2].
        n_resamples: Of each group.
        seed: A group's resamples depend on it and on the group's name.
    """
    metric = task.scores(metric)
    members = group_members(task.groups, len(task.items))
    entries: dict[str, dict[str, Any]] = {
        name: {"group": name, "n": rows.size} for name, rows in members.items()
    }
    parts = {name: task.items.select(rows) for name, rows in members.items()}
    means: dict[str, Any] = {}
    for statistic in task.statistics:
        samples = {}
        for name, rows in members.items():
            measure = statistic.bind(parts[name])
            samples[name] = Sample(
                measure.value(metric[rows]),
                measure.resampled(metric[rows], n_resamples, group_seed(seed, name)),
            )
            entry = estimate_entry(samples[name].estimate(CONFIDENCE))
            entries[name][key(statistic.name)] = entry | _remarks(measure, metric[rows])
        means[key(statistic.name)] = estimate_entry(mean_of_groups(samples, CONFIDENCE))
    return {
        "level": task.level,
        "resampled": task.unit,
        "groups": list(entries.values()),
        "mean": means,
    }


def _remarks(measure: Measure, metric: NDArray[np.float64]) -> dict[str, Any]:
    """What else is known of a value."""
    if isinstance(measure, CalibratedAccuracy):
        return {"threshold": number(calibrate_ties(measure.human, metric, measure.segments).threshold)}
    if isinstance(measure, Yardstick) and measure.best:
        return {"exact": best_accuracy(measure.judgments).exact}
    return {}


def estimate_entry(estimate: Estimate | MeanEstimate) -> dict[str, Any]:
    """A value and its interval as the document has them."""
    entry: dict[str, Any] = {"value": number(estimate.value), "interval": interval_entry(estimate.interval)}
    if isinstance(estimate, MeanEstimate) and estimate.left_out:
        entry["left_out"] = list(estimate.left_out)
    return entry


def interval_entry(interval: Interval) -> list[float | None]:
    """Both ends, null where undefined."""
    return [number(interval.low), number(interval.high)]


def number(value: float) -> float | None:
    """A number that JSON can hold; None for one that is undefined."""
    return value if math.isfinite(value) else None
