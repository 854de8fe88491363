"""The vocabulary of statistics: the name of each, what it needs to know of the data, and how it becomes a measure.

A table (`SEGMENT_LEVEL`, `SYSTEM_LEVEL`, …) maps names to statistics. A statistic is *bound* to the human side of the
data, which gives a `Measure`: it has the value for a metric's scores and its values in resamples. All arrays are
float64, in and out; a statistic that is undefined is NaN, never an exception. A statistic of one's own needs no more
than a function of a metric's and people's scores:

    plain("spread", lambda metric, human: float(np.std(metric - human)), scale_free=False)

Faster in resamples is a function of sums over what is drawn: a `Statistic` bound by `pfsm.evaluation.measure.additive`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, SupportsFloat, TypeVar

import numpy as np

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.evaluation.correlation import kendall_tau_b, spearman
from pfsm.evaluation.king import TestCases, king_measure
from pfsm.evaluation.measure import (
    Items,
    Measure,
    centred_pearson,
    mean_score,
    moment_pearson,
    plain_measure,
    rank_correlation,
)
from pfsm.evaluation.people import RankedSystems
from pfsm.evaluation.preference import (
    TAUS,
    PreferenceItems,
    accuracy_with_human_ties,
    of_preferences,
    yardstick,
)
from pfsm.evaluation.segment_pairs import (
    calibrated_accuracy,
    item_kendall,
    kendall_tau_c,
    wmt_kendall_measure,
)
from pfsm.evaluation.systems import (
    SYSTEM_STATISTICS,
    accuracies,
    ceiling_measure,
    soft_measure,
    system_measure,
)
from pfsm.registry import Table

Data = TypeVar("Data")
OfScores = Callable[[Float, Float], float]
"""From a metric's scores and people's, float64 [n] each, to a number."""
SEGMENT, DOCUMENT, SYSTEM = LEVELS = ("segment", "document", "system")


@dataclass(frozen=True)
class Statistic(Generic[Data]):
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
    aliases: tuple[str, ...] = ()
    """Other names that it answers to."""
    function: OfScores | None = None
    """What it computes, where that is a plain function."""
    of_pairs: bool = False
    """Whether it is a share of pairs of systems, so that those of all groups can be pooled."""
    scale_free: bool | None = None
    """Whether scores in another unit, from another zero, have the same value; None: tests try it. Tests that exchange
    two metrics' scores standardise them only then."""

    @property
    def key(self) -> str:
        """Its name in the JSON of `pfsm evaluate`."""
        return "kendall_tau_b" if self.name == "kendall" else self.name.replace("-", "_")


def plain(
    name: str, function: OfScores, heading: str = "", scale_free: bool | None = None
) -> Statistic[Items]:
    """A statistic of translations from a plain function, resampled by brute force.

    Args:
        name: Its name.
        function: Called with a metric's scores and people's, both float64 [n]; returns a number, NaN where the
            statistic is undefined. It must not change the arrays.
        heading: What tables call it; the name where it is empty.
        scale_free: As in `Statistic`.

    Returns:
        The statistic, for `estimate` and `compare`.
    """
    bind = partial(plain_measure, function=function)
    return Statistic(name, heading or name, (), bind, function=function, scale_free=scale_free)


def _by_name(*statistics: Statistic[Data]) -> Mapping[str, Statistic[Data]]:
    return {statistic.name: replace(statistic, scale_free=True) for statistic in statistics}


_WITHIN, _SYSTEMS, _BOTH = ("segments",), ("systems",), ("systems", "segments")
_KENDALL = ("kendall_tau_b", "kendall-tau-b")


def _tau(variant: str, needs: tuple[str, ...], bind: Callable[[Data], Measure]) -> Statistic[Data]:
    heading = f"{variant.upper()} tau"
    return Statistic(variant, heading, needs, bind, aliases=(f"tau_{variant}",))


_OF_SEGMENTS: Mapping[str, Statistic[Items]] = _by_name(
    Statistic("pearson", "Pearson r", (), moment_pearson),
    Statistic("spearman", "Spearman rho", (), partial(rank_correlation, statistic=spearman)),
    Statistic(
        "kendall", "Kendall tau-b", (), partial(rank_correlation, statistic=kendall_tau_b), aliases=_KENDALL
    ),
    Statistic("mean-removed", "r within segments", _WITHIN, centred_pearson),
    Statistic("length-weighted", "length-weighted r", ("lengths",), partial(moment_pearson, weighted=True)),
    Statistic(
        "mean-removed-weighted",
        "weighted mean-removed r",
        ("segments", "lengths"),
        partial(centred_pearson, weighted=True),
    ),
    Statistic("acc-t", "acc-t", _WITHIN, calibrated_accuracy),
    plain("kendall-c", kendall_tau_c, "Kendall tau-c"),
    Statistic("item-kendall", "tau-b by item", _WITHIN, partial(item_kendall, variant="b")),
    Statistic("item-tau23", "tau-23 by item", _WITHIN, partial(item_kendall, variant="23")),
    Statistic("item-acc23", "acc-23 by item", _WITHIN, partial(item_kendall, variant="acc23")),
    *(_tau(variant, _WITHIN, partial(wmt_kendall_measure, variant=variant)) for variant in TAUS),
)


def _of_systems(name: str, heading: str, statistic: str, **further: Any) -> Statistic[Any]:
    bind = partial(system_measure, of_systems=SYSTEM_STATISTICS[statistic])
    return Statistic(name, heading, _SYSTEMS, bind, **further)


_OF_SYSTEMS: Mapping[str, Statistic[Any]] = _by_name(
    _of_systems("pearson", "Pearson r", "pearson"),
    _of_systems("spearman", "Spearman rho", "spearman"),
    _of_systems("kendall", "Kendall tau-b", "kendall", aliases=_KENDALL),
    _of_systems("accuracy", "pairwise accuracy", "accuracy", of_pairs=True),
    Statistic(
        "significant",
        "acc., significant pairs",
        _BOTH,
        partial(system_measure, of_systems=accuracies, of_all=False),
        of_pairs=True,
    ),
    Statistic("ceiling", "ceiling of acc.", _SYSTEMS, ceiling_measure, of_metric=False, of_pairs=True),
    Statistic("spa", "soft pairwise acc.", _BOTH, soft_measure, of_pairs=True),
)

_OF_DOCUMENTS: Mapping[str, Statistic[Items]] = _by_name(
    *(_OF_SEGMENTS[name] for name in ("pearson", "spearman", "kendall", "mean-removed"))
)


PREFERENCES: Mapping[str, Statistic[PreferenceItems]] = _by_name(
    Statistic("accuracy", "accuracy", (), partial(of_preferences, statistic="accuracy")),
    Statistic("accuracy-with-ties", "acc. with ties", (), accuracy_with_human_ties),
    Statistic("best-possible", "best possible", (), partial(yardstick, best=True), of_metric=False),
    Statistic("random-baseline", "random baseline", (), partial(yardstick, best=False), of_metric=False),
    *(_tau(variant, (), partial(of_preferences, statistic=variant)) for variant in TAUS),
)
"""Of preferences between two translations."""

RANKINGS: Mapping[str, Statistic[RankedSystems]] = _OF_SYSTEMS
"""Of systems whose translations people ranked: the same ones."""

LIKENESS: Mapping[str, Statistic[TestCases]] = _by_name(Statistic("king", "KING", _WITHIN, king_measure))
"""Of test cases, in which a metric may tell human translations from automatic ones."""

MEAN: Statistic[Items] = Statistic("mean", "mean", (), mean_score)
"""The mean of the scores themselves: what two systems are compared by."""


def _plugged_statistic(name: str, value: Any) -> Statistic[Items]:
    """A statistic of another package, a function as `plain` takes it or a `Statistic`, as the registry holds it."""
    if isinstance(value, Statistic):
        if value.name != name:
            raise PfsmError(f"calls itself {value.name!r}; its name must be {name!r}, as it is registered")
        return value
    return plain(name, _watched(name, value))


def _plugged_system_statistic(name: str, value: Any) -> Statistic[Items]:
    """The same, asked about systems: its function gets one score for each system."""
    of_translations = _plugged_statistic(name, value)
    function = of_translations.function
    if function is None:
        raise PfsmError("compares translations; only a function of two arrays can be asked about systems")

    def of_systems(human: Float, metric: Float) -> Float:
        return np.array([function(*row) for row in zip(metric, human, strict=True)], dtype=np.float64)

    return Statistic(
        name,
        of_translations.heading,
        ("systems",),
        lambda items: system_measure(items, of_systems, on_scale=True),
        function=function,
        scale_free=of_translations.scale_free,
    )


def _watched(name: str, value: Any) -> OfScores:
    """A plug-in's function, held to giving numbers."""
    if not callable(value):
        raise PfsmError("is neither a function of a metric's and people's scores nor a Statistic")

    def watched(metric: Float, human: Float) -> float:
        found = value(metric, human)
        if np.ndim(found) or not isinstance(found, SupportsFloat):
            raise PfsmError(f"statistic {name!r}: gives a {type(found).__name__}, a number is needed")
        return float(found)

    return watched


def _is_taken(name: str) -> bool:
    return (
        _built_in(name) is not None
        or name == MEAN.name
        or name.startswith(tuple(f"{level}-" for level in LEVELS))
    )


SEGMENT_LEVEL: Table[Statistic[Items]] = Table("statistic", _OF_SEGMENTS, _plugged_statistic, _is_taken)
"""Of absolute scores of translations; those of other packages too."""

DOCUMENT_LEVEL: Table[Statistic[Items]] = Table("statistic", _OF_DOCUMENTS, _plugged_statistic, _is_taken)
"""Of documents' scores (`pfsm.evaluation.pooled`), a document taking the place of a segment."""

SYSTEM_LEVEL: Table[Statistic[Items]] = Table("statistic", _OF_SYSTEMS, _plugged_system_statistic, _is_taken)
"""Of the systems' scores: means, or corpus scores of metrics that pool counts (`pfsm.evaluation.pooled`)."""

BY_LEVEL: Mapping[str, Mapping[str, Statistic[Items]]] = {
    SEGMENT: SEGMENT_LEVEL,
    DOCUMENT: DOCUMENT_LEVEL,
    SYSTEM: SYSTEM_LEVEL,
}
"""Statistics of absolute scores, by level."""


def canonical(name: str) -> str:
    """The one name of a statistic that was asked for by any of its names; an unknown name stays as it is.

    >>> canonical("kendall_tau_b"), canonical("tau_wmt12"), canonical("acc_t")
    ('kendall', 'wmt12', 'acc-t')

    Args:
        name: Any name.

    Returns:
        The name that results have.
    """
    found = _built_in(name)
    return name if found is None else found.name


def _built_in(name: str) -> Statistic[Any] | None:
    """The statistic that comes with pfsm and has this name, among others."""
    tables: tuple[Mapping[str, Statistic[Any]], ...] = (_OF_SEGMENTS, _OF_SYSTEMS, PREFERENCES, LIKENESS)
    known = (statistic for table in tables for statistic in table.values())
    return next((one for one in known if name in {one.name, one.key, *one.aliases}), None)


def level_and_name(name: str) -> tuple[str | None, str]:
    """A name that may begin with its level, as ``document-pearson`` does, taken apart; the name is canonical.

    >>> level_and_name("document-kendall_tau_b"), level_and_name("mean-removed")
    (('document', 'kendall'), (None, 'mean-removed'))
    """
    for level in LEVELS:
        rest = canonical(name.removeprefix(f"{level}-"))
        if rest != name and name.startswith(f"{level}-") and rest in BY_LEVEL[level]:
            return level, rest
    return None, canonical(name)


def named_statistic(name: str, level: str = SEGMENT) -> Statistic[Items]:
    """A statistic of absolute scores, by any of its names and its level."""
    if level not in BY_LEVEL:
        raise ValueError(
            f"level is {level!r}, {', '.join(map(repr, LEVELS[:-1]))} or {LEVELS[-1]!r} is needed"
        )
    if (known := canonical(name)) not in BY_LEVEL[level]:
        raise ValueError(f"statistic is {name!r}; at {level} level there are {', '.join(BY_LEVEL[level])}")
    return BY_LEVEL[level][known]
