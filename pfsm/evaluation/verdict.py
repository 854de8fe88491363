"""What a comparison of systems comes to: one sentence, and plain values that JSON can hold.

Also how often people order two systems as a difference of scores does: shares of pairs of systems in campaigns, learned
by ``scripts/build_agreement.py`` for the shipped models.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from statistics import NormalDist
from typing import Any

from pfsm.evaluation.comparison import NO_PREFERENCE, Comparison, PairResult, interval_entry, number

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


def p_text(pair: PairResult, n_resamples: int, places: int = 4) -> str:
    """``p = 0.0120``; ``p <= 0.0010`` where that many resamples cannot tell a smaller one. Corrected by Holm's method.

    Without a p-value ``""``.
    """
    if math.isnan(pair.p_holm):
        return ""
    return f"p {'<=' if at_the_limit(pair, n_resamples) else '='} {pair.p_holm:.{places}f}"


def at_the_limit(pair: PairResult, n_resamples: int) -> bool:
    """Whether so many resamples cannot tell a smaller p-value."""
    return pair.p_value * (n_resamples + 1) < 1.5


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
        leaders, count = listed(self.leaders), len(self.comparison.systems)
        if not self.rest:
            return f"{leaders} have the same score by {metric}"
        pair = self.pair(self.leaders[0], self.rest[0])
        p_value, by = p_text(pair, self.comparison.n_resamples), amount(pair.difference)
        if count == 2 and p_value:
            how = "significantly" if self.beaten else "not significantly"
            return f"{leaders} is {by} of {metric} better than {self.rest[0]}, {how} ({p_value})"
        lead = f"{self._best()} by {metric}, {by} ahead of {self.rest[0]}"
        if not p_value:
            drawn = self.comparison.drawn
            alike = drawn if drawn.startswith("1 ") else f"{drawn.partition(' ')[2]} that are all alike"
            return f"{lead}; {alike} cannot tell whether it is significant"
        lead += f" ({p_value} after Holm's correction)"
        equal = [name for name in self.rest if name not in self.beaten]
        if not equal:
            return (
                f"{lead}; significantly better than {self.rest[0] if len(self.rest) == 1 else 'all others'}"
            )
        if not self.beaten:
            return f"{lead}, but not significantly better than any other"
        doubt = "difference from {} is" if len(equal) == 1 else "differences from {} are"
        better = f"{lead}; significantly better than {listed(self.beaten)}"
        return f"{better}; the {doubt.format(listed(equal))} not significant"

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
            "p_at_limit": at_the_limit(pair, result.n_resamples),
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
        "resamples": result.n_resamples,
        "seed": result.seed,
        "significance": result.significance,
        "verdict": verdict([(name, result)]),
        "systems": systems,
        "pairs": pairs,
    }
