"""Paired comparison of systems by the scores of the same segments, and what it comes to.

Below 100 segments, or documents, by a permutation test (`pfsm.evaluation.exchanges`), else by the paired bootstrap
(Koehn 2004).

A verdict of one sentence, plain values that JSON can hold, and how often people order two systems as a difference of
scores does: shares of pairs of systems in campaigns, learned by ``scripts/build_agreement.py`` for the shipped models.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.evaluation.bootstrap import (
    CONFIDENCE,
    Estimate,
    Interval,
    MeanEstimate,
    Sample,
    check_bootstrap,
    count_ids,
    default_seed,
    group_seed,
    sums_of_segments,
)
from pfsm.evaluation.engine import BOOTSTRAP, corrected_differences, holm
from pfsm.evaluation.exchanges import ALL_UP_TO, FEWER_THAN, exchange_tests
from pfsm.evaluation.measure import (
    Measure,
    Names,
    additive,
    mean_score,
    ratio_of_sums,
    resampled_together,
    scored_items,
)
from pfsm.evaluation.questions import ONE_GROUP
from pfsm.runtime.charts import Mark, html_chart, html_table


@dataclass(frozen=True, eq=False)
class PooledCounts:
    """Systems whose scores are not the means of segment scores, but functions of sums over segments.

    Attributes:
        statistics: One float64 [n_segments, k] per system, what each segment adds to the sums.
        score: From sums, float64 [m, k], to scores, float64 [m].
        lower_is_better: Whether a lower score is better.
    """

    statistics: Sequence[Float]
    score: Callable[[Float], Float]
    lower_is_better: bool = False


@dataclass(frozen=True)
class SystemResult:
    """The score of the system `name` and its bootstrap interval; NaN at both ends for a single segment."""

    name: str
    score: float
    interval: Interval


@dataclass(frozen=True)
class PairResult:
    """How two systems differ.

    Attributes:
        system_a: The system given first.
        system_b: The other.
        difference: Score of a minus score of b.
        interval: Of the difference; NaN at both ends where there is none, as of fewer than six units.
        p_value: How often a difference this large arises where the systems do not differ (two-sided); NaN where
            that cannot be told: of a single unit, or of units that all differ alike.
        p_holm: The same, corrected for the number of pairs that have one.
        wins: Segments, or documents, where a scores higher.
        losses: Where b scores higher.
        ties: Where both score exactly the same.
        preferred: The better system where `p_holm` is there and below the significance level, else None.
    """

    system_a: str
    system_b: str
    difference: float
    interval: Interval
    p_value: float
    p_holm: float
    wins: int
    losses: int
    ties: int
    preferred: str | None


@dataclass(frozen=True)
class Comparison:
    """Every system, in the order given, and all `pairs` of systems, over `n_segments` segments.

    Intervals have the level `confidence`, tests the level `significance`; both use `n_resamples` resamples, drawn with
    `seed`. A lower score of a system is better if `lower_is_better`.
    """

    systems: tuple[SystemResult, ...]
    pairs: tuple[PairResult, ...]
    n_segments: int
    n_resamples: int
    seed: int
    significance: float
    confidence: float
    lower_is_better: bool = False
    n_documents: int | None = None
    """How many documents were drawn, and counted as won, lost or tied; None: segments were."""

    @property
    def n_units(self) -> int:
        """Number of segments, or of documents where these are drawn."""
        return self.n_segments if self.n_documents is None else self.n_documents

    @property
    def test(self) -> str:
        """The test of every pair."""
        return PERMUTATION if 1 < self.n_units < FEWER_THAN else BOOTSTRAP

    @property
    def is_exact(self) -> bool:
        """Whether p-values come of every exchange, not of random ones or resamples."""
        return self.test == PERMUTATION and self.n_units <= ALL_UP_TO

    @property
    def decides(self) -> bool:
        """Whether so many units can make a difference significant, after Holm's correction for all pairs."""
        return len(self.pairs) * 2.0 ** (1 - self.n_units) < self.significance

    @property
    def drawn(self) -> str:
        """What is drawn or exchanged, counted: ``20 segments``."""
        return f"{self.n_units} {self.unit}{'s' * (self.n_units != 1)}"

    @property
    def unit(self) -> str:
        """``segment`` or ``document``."""
        return "segment" if self.n_documents is None else "document"

    @property
    def method(self) -> str:
        """The test, and what intervals and p-values depend on."""
        bootstrap = f"{self.n_resamples} resamples, seed {self.seed}"
        if self.test == BOOTSTRAP:
            return f"{BOOTSTRAP}, {bootstrap}"
        number = "all" if self.is_exact else self.n_resamples
        return f"{PERMUTATION}, {number} exchanges; intervals of systems: bootstrap, {bootstrap}"

    def _repr_html_(self) -> str:
        """Systems and pairs as a chart and as tables, for notebooks."""
        systems = [[one.name, f"{one.score:.4f}", _ends(one.interval)] for one in self.systems]
        pairs = [
            [
                f"{one.system_a} – {one.system_b}",
                f"{one.difference:+.4f}",
                _ends(one.interval),
                "–" if math.isnan(one.p_holm) else f"{one.p_holm:.4f}",
                one.preferred or "no preference",
            ]
            for one in self.pairs
        ]
        interval = f"{100 * self.confidence:g}% interval"
        caption = f"{self.drawn}; {self.method}"
        marks = [Mark(one.name, one.score, one.interval.low, one.interval.high) for one in self.systems]
        return (
            html_chart(marks, f"Scores with {interval}")
            + html_table(["system", "score", interval], systems)
            + html_table(["pair", "difference", interval, "p (Holm)", "preferred"], pairs, caption)
        )


def _ends(interval: Interval) -> str:
    return "–" if math.isnan(interval.low) else f"[{interval.low:.4f}, {interval.high:.4f}]"


def compare_systems(
    names: Sequence[str],
    segment_scores: Sequence[Float],
    n_resamples: int = 1000,
    seed: int | None = None,
    significance: float = 0.05,
    confidence: float = CONFIDENCE,
    pooled: PooledCounts | None = None,
    documents: Names | None = None,
) -> Comparison:
    """Compare every pair of systems, by segments or documents.

    From 100 units the test is the paired bootstrap (Koehn 2004): all systems share the resampled units, and
    `paired_p_value` tests the differences of a pair. Fewer units make the bootstrap too ready to see a difference, so
    their translations are exchanged (`pfsm.evaluation.exchanges`), in every possible way up to 15 units. Fewer than 6
    cannot make a difference significant at .05. Tests are two-sided (sacrebleu's bootstrap centres absolute differences
    instead, which gives about half of this p-value for differences within the noise). Holm (1979) corrects for the
    number of pairs.

    Units are taken for independent draws. A single one, or units that all differ alike, show nothing: p is NaN then,
    and no system is preferred. Systems that score every one of several segments alike have p = 1.

    Args:
        names: Of the systems, each different.
        segment_scores: One float64 [n_segments] per system, higher is better, segments in the same order.
        n_resamples: Resamples and random exchanges, at least 1.
        seed: Of these; `default_seed` where it is None.
        significance: Corrected p-value below which the better system is preferred.
        confidence: Of the intervals, between 0 and 1.
        pooled: What the systems' scores are computed from, if they are not the means of the segment scores.
        documents: [n_segments], names or numbers: whole documents are drawn, and won, lost or tied.

    Returns:
        Systems and pairs, in the order given.

    Raises:
        ValueError: If there is no system or no segment, a name comes twice, lengths differ, a score is not
            finite, or a number is out of its range.
        PfsmError: If the seed is None and PFSM_SEED is not a seed.
    """
    check_bootstrap(n_resamples, confidence)
    if not 0.0 < significance < 1.0:
        raise ValueError(f"significance is {significance}, a number between 0 and 1 is needed")
    scores = _score_table(names, segment_scores)
    seed = default_seed() if seed is None else seed
    # Every line is a segment.
    segments = scored_items(np.zeros(scores.shape[1]), drawn=documents)
    units, series = segments.units, group_seed(seed, ONE_GROUP)
    measures = [mean_score(segments)] * len(scores)
    if pooled is not None:
        measures = [_corpus_score(units, one, pooled.score) for one in pooled.statistics]
    tasks = list(zip(measures, scores, strict=True))
    resampled = resampled_together(tasks, n_resamples, series)
    samples = {
        name: Sample(measure.value(one), values)
        for name, (measure, one), values in zip(names, tasks, resampled, strict=True)
    }
    lower = pooled is not None and pooled.lower_is_better
    sign = -1.0 if lower else 1.0
    systems = tuple(
        SystemResult(name, sample.value, sample.estimate(confidence).interval)
        for name, sample in samples.items()
    )
    pairs = list(combinations(range(len(names)), 2))
    tested = [
        (test.interval, test.p_value)
        for test, _ in corrected_differences(
            [(samples[names[a]], samples[names[b]]) for a, b in pairs], confidence
        )
    ]
    if 1 < count_ids(units) < FEWER_THAN:
        added = [np.stack([one, np.ones(one.size)], axis=1) for one in scores]
        tables = [sums_of_segments(one, units) for one in (pooled.statistics if pooled else added)]
        of_sums = pooled.score if pooled else ratio_of_sums
        tested = exchange_tests(tables, of_sums, np.bincount(units), pairs, n_resamples, series, confidence)
    corrected = holm([p_value for _, p_value in tested]).tolist()
    n_segments = scores.shape[1]
    n_documents = None if documents is None else count_ids(units)
    if documents is not None:
        scores = _of_documents(scores, units, pooled, sign)
    differences = [samples[names[a]].value - samples[names[b]].value for a, b in pairs]
    results = tuple(
        PairResult(
            system_a=names[a],
            system_b=names[b],
            difference=difference,
            interval=interval,
            p_value=p_value,
            p_holm=p_holm,
            wins=int((scores[a] > scores[b]).sum()),
            losses=int((scores[a] < scores[b]).sum()),
            ties=int((scores[a] == scores[b]).sum()),
            preferred=(names[a] if sign * difference > 0.0 else names[b]) if p_holm < significance else None,
        )
        for (a, b), difference, (interval, p_value), p_holm in zip(
            pairs, differences, tested, corrected, strict=True
        )
    )
    return Comparison(
        systems, results, n_segments, n_resamples, seed, significance, confidence, lower, n_documents
    )


def _of_documents(
    scores: Float, documents: NDArray[np.int64], pooled: PooledCounts | None, sign: float
) -> Float:
    """float64 [n_systems, n_documents], higher is better: means, or scores of sums."""
    if pooled is not None:
        sums = [sums_of_segments(statistics, documents) for statistics in pooled.statistics]
        return sign * np.stack([pooled.score(each) for each in sums])
    sums_of_scores = sums_of_segments(scores.T, documents).T
    return np.asarray(sums_of_scores / np.bincount(documents))


def _corpus_score(units: NDArray[np.int64], statistics: Float, score: Callable[[Float], Float]) -> Measure:
    """The score of one system, computed from sums over its segments; segment scores do not matter."""
    return additive(count_ids(units), lambda _: sums_of_segments(statistics, units), score)


def _score_table(names: Sequence[str], segment_scores: Sequence[Float]) -> Float:
    """float64 [n_systems, n_segments], checked."""
    series = [np.asarray(scores, dtype=np.float64) for scores in segment_scores]
    if not names or len(names) != len(series):
        raise ValueError(f"there are {len(names)} names for {len(series)} systems, one for each is needed")
    if len(set(names)) != len(names):
        raise ValueError("two systems have the same name")
    for name, scores in zip(names, series, strict=True):
        if scores.ndim != 1 or scores.size == 0 or scores.shape != series[0].shape:
            raise ValueError(
                f"system {name!r} has scores of shape {scores.shape}, {names[0]!r} has {series[0].shape}; "
                "a score for every segment is needed, and at least one segment"
            )
        if not np.isfinite(scores).all():
            raise ValueError(f"a score of system {name!r} is not finite")
    return np.stack(series)


NO_PREFERENCE = "no preference"
PERMUTATION = "paired permutation test"


def interval_entry(interval: Interval) -> list[float | None]:
    """Both ends, null where undefined."""
    return [number(interval.low), number(interval.high)]


def value_entry(value: float, interval: Interval | None) -> dict[str, Any]:
    """A value and its interval as documents have them."""
    return {"value": number(value), "interval": None if interval is None else interval_entry(interval)}


def estimate_entry(found: Estimate | MeanEstimate) -> dict[str, Any]:
    """A value, its interval, and what else is to be said of it, as the document has them."""
    entry = value_entry(found.value, found.interval)
    if isinstance(found, MeanEstimate):
        return entry | ({"left_out": list(found.left_out)} if found.left_out else {})
    return entry | {name: number(value) for name, value in found.remarks.items()}


def number(value: float) -> float | None:
    """A number that JSON can hold; None for one that is undefined."""
    return value if math.isfinite(value) else None


# Names of systems before the rest are counted.
NAMED = 3

# How often a comparison of so many segments as `to_settle` names is to find a difference that is there.
POWER = 0.8

# Beyond these multiples of the fewest and most segments that a share was learned from, it says nothing.
FEWER, MORE = 0.5, 4.0


@cache
def _learned() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (files("pfsm.resources") / "agreement.json").read_text(encoding="utf-8")
    )
    return found


def people_agree(short_signature: str, difference: float, n_segments: int) -> float | None:
    """The share of pairs of systems as far apart as this that people ordered alike, from 0 to 1.

    Args:
        short_signature: Of the scores, with one reference; None for all but those of shipped models.
        difference: Of the scores of two systems, in points of the model.
        n_segments: What they are means over; None comes of a number far from those that the shares were learned from.
    """
    _, _, rest = short_signature.partition(":")
    name, _, rest = rest.partition(":")
    found = _learned().get(name)
    # weights:version; several references stand between them.
    if found is None or rest.split(":")[:-1] != [found["weights"]] or not math.isfinite(difference):
        return None
    fewest, most = found["segments"]
    if not difference or not FEWER * fewest <= n_segments <= MORE * most:
        return None
    return next(float(share) for least, share in reversed(found["steps"]) if abs(difference) >= least)


def p_text(pair: PairResult, result: Comparison) -> str:
    """``p = 0.0120``; ``p <= 0.0010`` where its resamples cannot tell a smaller one. Corrected by Holm's method.

    Without a p-value ``""``.
    """
    if math.isnan(pair.p_holm):
        return ""
    return f"p {'<=' if at_the_limit(pair, result) else '='} {pair.p_holm:.4f}"


def at_the_limit(pair: PairResult, result: Comparison) -> bool:
    """Whether the number of resamples, or of random exchanges, cannot tell a smaller p-value."""
    return not result.is_exact and pair.p_value * (result.n_resamples + 1) < 1.5


def to_settle(pair: PairResult, result: Comparison) -> int | None:
    """How many segments tell two systems apart in 80% of samples, if their difference is the one observed.

    Of a normal approximation: n ((z(1 - alpha / 2) + z(power)) s / d)^2, where d is the difference over n segments,
    s its standard error (of the interval), and alpha the significance level divided by the number of tested pairs.
    None where the pair is decided, or shows no difference or no interval.
    """
    width = pair.interval.high - pair.interval.low
    if pair.preferred or not pair.difference or not width > 0.0 or math.isnan(pair.p_value):
        return None
    normal = NormalDist()
    error = width / (2.0 * normal.inv_cdf((1.0 + result.confidence) / 2.0))
    tested = sum(not math.isnan(one.p_value) for one in result.pairs)
    distance = normal.inv_cdf(1.0 - result.significance / (2.0 * tested)) + normal.inv_cdf(POWER)
    needed = result.n_segments * (distance * error / pair.difference) ** 2
    return max(math.ceil(needed), result.n_segments + 1) if math.isfinite(needed) else None


def verdict(found: Sequence[tuple[str, Comparison]]) -> str:
    """One sentence: which system won, by how much, and whether that is significant.

    Args:
        found: Names of metrics, each with what it says of the same systems. The first one decides; the others are said
            to agree, or what they say instead.
    """
    (name, first), *others = found
    standing = _Standing(first)
    said: dict[tuple[str, str], list[str]] = {}
    for other, comparison in others:
        said.setdefault(_Standing(comparison).beside(standing), []).append(other)
    more = "".join(f"; {before} by {listed(names)}{after}" for (before, after), names in said.items())
    return f"{standing.sentence(name)}{more}."


class _Standing:
    """Who leads by one metric, and whom the leaders beat significantly."""

    def __init__(self, comparison: Comparison) -> None:
        sign = -1.0 if comparison.lower_is_better else 1.0
        ordered = sorted(comparison.systems, key=lambda system: -sign * system.score)
        self.comparison = comparison
        self.leaders = [one.name for one in ordered if one.score == ordered[0].score]
        self.rest = [one.name for one in ordered[len(self.leaders) :]]
        self.beaten = [
            name
            for name in self.rest
            if all(self.pair(leader, name).preferred == leader for leader in self.leaders)
        ]

    def pair(self, one: str, other: str) -> PairResult:
        return next(pair for pair in self.comparison.pairs if {pair.system_a, pair.system_b} == {one, other})

    def sentence(self, metric: str) -> str:
        leaders, result = listed(self.leaders), self.comparison
        if not self.rest:
            return f"{leaders} have the same score by {metric}"
        pair = self.pair(self.leaders[0], self.rest[0])
        p_value, by = p_text(pair, result), amount(pair.difference)
        over = "" if result.n_documents is None else f" over {result.drawn}"
        if len(result.systems) == 2 and p_value:
            how = "significantly" if self.beaten else "not significantly"
            return f"{leaders} is {by} of {metric} better than {self.rest[0]}, {how} ({p_value}{over}){self._few()}"
        lead = f"{self._best()} by {metric}, {by} ahead of {self.rest[0]}"
        if not p_value:
            alike = result.drawn if result.n_units == 1 else f"{result.unit}s that are all alike"
            return f"{lead}; {alike} cannot tell whether it is significant"
        lead += f" ({p_value} after Holm's correction{over})"
        equal = [name for name in self.rest if name not in self.beaten]
        if not equal:
            return (
                f"{lead}; significantly better than {self.rest[0] if len(self.rest) == 1 else 'all others'}"
            )
        if not self.beaten:
            return f"{lead}, but not significantly better than any other{self._few()}"
        doubt = "difference from {} is" if len(equal) == 1 else "differences from {} are"
        better = f"{lead}; significantly better than {listed(self.beaten)}"
        return f"{better}; the {doubt.format(listed(equal))} not significant"

    def _few(self) -> str:
        result = self.comparison
        return "" if result.decides else f"; with {result.drawn} no difference can be significant"

    def beside(self, first: "_Standing") -> tuple[str, str]:
        """What this metric says beside the first, before and after the names of those that say so."""
        if self.leaders == first.leaders and set(self.beaten) == set(first.beaten):
            return "likewise", ""
        if not self.rest:
            return f"{listed(self.leaders)} have the same score", ""
        return self._best(), f", significantly better than {listed(self.beaten) if self.beaten else 'none'}"

    def _best(self) -> str:
        return f"{listed(self.leaders)} {'is' if len(self.leaders) == 1 else 'are'} best"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence; many are counted: ``a, b and 5 others``."""
    if len(names) > NAMED + 1:
        names = [*names[:NAMED], f"{len(names) - NAMED} others"]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def amount(difference: float) -> str:
    """A difference without its sign: ``1.24 points``, ``0.0031 points``."""
    size = abs(difference)
    return f"{size:.2f} points" if size >= 0.1 or not size else f"{size:.2g} points"


def comparison_document(result: Comparison, name: str, signature: str, short: str) -> dict[str, object]:
    """A comparison of systems.

    Args:
        result: The comparison.
        name: Of the metric or model.
        signature: Of its scores of corpora.
        short: The short form of that.
    """
    systems = [{**asdict(system), "interval": interval_entry(system.interval)} for system in result.systems]
    pairs = [
        {
            **asdict(pair),
            "interval": interval_entry(pair.interval),
            "p_value": number(pair.p_value),
            "p_holm": number(pair.p_holm),
            "p_at_limit": at_the_limit(pair, result),
            "preferred": pair.preferred or NO_PREFERENCE,
            "segments_to_settle": to_settle(pair, result),
            "people_agree": people_agree(short, pair.difference, result.n_segments),
        }
        for pair in result.pairs
    ]
    return {
        "name": name,
        "signature": signature,
        "short_signature": short,
        "segments": result.n_segments,
        **({} if result.n_documents is None else {"documents": result.n_documents}),
        "test": result.test,
        "resamples": result.n_resamples,
        "seed": result.seed,
        "significance": result.significance,
        "verdict": verdict([(name, result)]),
        "systems": systems,
        "pairs": pairs,
    }
