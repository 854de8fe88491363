"""Statistics by name: what each one needs to know of the translations, and how it becomes a measure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pfsm.evaluation.bootstrap import Statistic
from pfsm.evaluation.centring import CentredPearson, MomentPearson
from pfsm.evaluation.correlation import kendall_tau_b, pearson, spearman
from pfsm.evaluation.measure import Correlation, Items, Measure, SegmentRankCorrelation
from pfsm.evaluation.pairwise import Yardstick
from pfsm.evaluation.preference import PreferenceStatistic
from pfsm.evaluation.preference_measures import AccuracyWithTies, PreferenceItems, PreferenceMeasure
from pfsm.evaluation.segment_pairs import WmtKendall, WmtVariant
from pfsm.evaluation.soft_pairwise import SoftPairwiseAccuracy
from pfsm.evaluation.system_level import SYSTEM_STATISTICS, SystemMeasure
from pfsm.evaluation.tie_calibration import CalibratedAccuracy

Data = TypeVar("Data")


@dataclass(frozen=True)
class Named(Generic[Data]):
    """A statistic that can be asked for by name."""

    name: str
    heading: str
    """What a table calls it."""
    needs: tuple[str, ...]
    """Which optional parts of the data it cannot do without: "segments", "systems", "lengths"."""
    bind: Callable[[Data], Measure]
    """Ties it to the human side of the data."""
    of_metric: bool = True
    """Whether it depends on the metric: yardsticks do not."""


def _bind_pearson(items: Items) -> Measure:
    if items.segments is None or _each_its_own(items.segments):
        return Correlation(pearson, items.human)
    return MomentPearson(items.human, items.segments, np.ones(len(items)))


def _bind_rank(statistic: Statistic) -> Callable[[Items], Measure]:
    def bind(items: Items) -> Measure:
        if items.segments is None or _each_its_own(items.segments):
            return Correlation(statistic, items.human)
        return SegmentRankCorrelation(statistic, items.human, items.segments)

    return bind


def _bind_length_weighted(items: Items) -> Measure:
    units = np.arange(len(items)) if items.segments is None else items.segments
    return MomentPearson(items.human, units, _needed(items.lengths, "lengths"))


def _bind_mean_removed(items: Items) -> Measure:
    return CentredPearson(items.human, _needed(items.segments, "segments"), np.ones(len(items)))


def _bind_mean_removed_weighted(items: Items) -> Measure:
    segments, lengths = _needed(items.segments, "segments"), _needed(items.lengths, "lengths")
    return CentredPearson(items.human, segments, lengths)


def _bind_calibrated(items: Items) -> Measure:
    return CalibratedAccuracy(items.human, _needed(items.segments, "segments"))


def _bind_wmt(variant: WmtVariant) -> Callable[[Items], Measure]:
    return lambda items: WmtKendall(items.human, _needed(items.segments, "segments"), variant)


def _bind_preference(statistic: PreferenceStatistic) -> Callable[[PreferenceItems], Measure]:
    return lambda items: PreferenceMeasure(items, statistic)


def _bind_yardstick(best: bool) -> Callable[[PreferenceItems], Measure]:
    return lambda items: Yardstick(items.judgments, best)


def _bind_system(name: str) -> Callable[[Items], Measure]:
    return lambda items: SystemMeasure(items, SYSTEM_STATISTICS[name])


def _each_its_own(segments: NDArray[np.int64]) -> bool:
    """Whether every item is a segment, in order: drawing segments is then drawing items."""
    return np.array_equal(segments, np.arange(segments.size))


def _needed(part: NDArray[Any] | None, what: str) -> NDArray[Any]:
    if part is None:
        raise ValueError(f"the statistic needs {what}")
    return part


def _by_name(*named: Named[Data]) -> Mapping[str, Named[Data]]:
    return {statistic.name: statistic for statistic in named}


SEGMENT_LEVEL: Mapping[str, Named[Items]] = _by_name(
    Named("pearson", "Pearson r", (), _bind_pearson),
    Named("spearman", "Spearman rho", (), _bind_rank(spearman)),
    Named("kendall", "Kendall tau-b", (), _bind_rank(kendall_tau_b)),
    Named("mean-removed", "mean-removed r", ("segments",), _bind_mean_removed),
    Named("length-weighted", "length-weighted r", ("lengths",), _bind_length_weighted),
    Named(
        "mean-removed-weighted",
        "weighted mean-removed r",
        ("segments", "lengths"),
        _bind_mean_removed_weighted,
    ),
    Named("acc-t", "acc-t", ("segments",), _bind_calibrated),
    Named("wmt12", "WMT12 tau", ("segments",), _bind_wmt("wmt12")),
    Named("wmt13", "WMT13 tau", ("segments",), _bind_wmt("wmt13")),
    Named("wmt14", "WMT14 tau", ("segments",), _bind_wmt("wmt14")),
    Named("darr", "DARR tau", ("segments",), _bind_wmt("darr")),
)
"""Of absolute scores of translations."""

SYSTEM_LEVEL: Mapping[str, Named[Items]] = _by_name(
    Named("pearson", "Pearson r", ("systems",), _bind_system("pearson")),
    Named("spearman", "Spearman rho", ("systems",), _bind_system("spearman")),
    Named("kendall", "Kendall tau-b", ("systems",), _bind_system("kendall")),
    Named("accuracy", "pairwise accuracy", ("systems",), _bind_system("accuracy")),
    Named("spa", "soft pairwise acc.", ("systems", "segments"), SoftPairwiseAccuracy),
)
"""Of the systems' mean scores."""

DOCUMENT_LEVEL: Mapping[str, Named[Items]] = _by_name(
    *(SEGMENT_LEVEL[name] for name in ("pearson", "spearman", "kendall", "mean-removed"))
)
"""Of documents' mean scores (`pfsm.evaluation.document_level`), a document taking the place of a segment."""

PREFERENCES: Mapping[str, Named[PreferenceItems]] = _by_name(
    Named("accuracy", "accuracy", (), _bind_preference("accuracy")),
    Named("accuracy-with-ties", "acc. with ties", (), AccuracyWithTies),
    Named("best-possible", "best possible", (), _bind_yardstick(best=True), of_metric=False),
    Named("random-baseline", "random baseline", (), _bind_yardstick(best=False), of_metric=False),
    Named("wmt12", "WMT12 tau", (), _bind_preference("wmt12")),
    Named("wmt13", "WMT13 tau", (), _bind_preference("wmt13")),
    Named("wmt14", "WMT14 tau", (), _bind_preference("wmt14")),
    Named("darr", "DARR tau", (), _bind_preference("darr")),
)
"""Of preferences between two translations."""
