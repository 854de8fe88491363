"""Metrics made of others: mixed with lexical overlap O_l (Giménez and Màrquez 2009, section 3.3), or averaged.

``NAME_b`` backs off: where the parser has nothing to say about a pair, the score is O_l times a scale,

    x_b(t) = x(t) if t in ok(T), else O_l(t) * sum over j in ok(T) of x(j) / |ok(T)|

with T the pairs that are scored together; so the score of a pair that could not be parsed depends on the others. With
the option ``scale`` it does not: that number takes the place of the mean. As a feature of a model, and where pairs
are scored in parts, a back-off needs it. If no pair of T was parsed, the scale is 1.

``NAME_i`` interpolates: x_i(t) = (x(t) + scale * O_l(t)) / 2. The scale is 1, as in the paper, or 100 where the
metric is in percent. Where the parser has nothing to say about a pair, x(t) is 0.

A line could not be parsed if its analysis has no tree, or if a file of parses lacks it.
O_l is over sets of words, as in the paper.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.metric_group import MetricGroup
from pfsm.metrics.names import BACK_OFF, SCALE, MixedName, mixed_parts, parse_name, read_options, written_name
from pfsm.metrics.ngram_table import INFO, NgramTable
from pfsm.metrics.words import WordMetric
from pfsm.runtime.typed import Options, number

_PERCENT = frozenset({"bleu", "chrf", "chrf++", "ter", "wer", "per", "terp", "terp-base"})
# More would leave nothing of the metric; sums stay finite.
LARGEST_SCALE = 1000


class _Wrapper(SegmentMetric):
    """A metric that scores by another one."""

    def __init__(self, name: str, metric: SegmentMetric) -> None:
        self.name, self.metric = name, metric
        self.segment_references = metric.segment_references

    def entries(self) -> Mapping[str, str]:
        """The metric's, like all below."""
        return self.metric.entries()

    @property
    def resources(self) -> tuple[str, ...]:
        return self.metric.resources

    @property
    def tables(self) -> Mapping[str, NgramTable]:
        return self.metric.tables

    @property
    def is_independent(self) -> bool:
        return self.metric.is_independent

    def check_independent(self) -> None:
        self.metric.check_independent()


class MeanOf(_Wrapper):
    """A metric whose corpus score is the mean of its segment scores, though the metric itself pools counts."""

    def __init__(self, metric: SegmentMetric) -> None:
        super().__init__(metric.name, metric)
        self.origin, self.maker, self.language = metric.origin, metric.maker, metric.language

    def __reduce_ex__(self, protocol: Any) -> Any:
        return MeanOf, (self.metric,)

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """The metric's."""
        return self.metric.score_pairs(hypotheses, references)

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """The metric's."""
        return self.metric.several_references(hypotheses, references)


class _Mixed(_Wrapper):
    """A metric and lexical overlap. Several references: the metric and O_l use them each in its own way."""

    def __init__(self, name: str, metric: SegmentMetric, entries: Mapping[str, str]) -> None:
        super().__init__(name, metric)
        self.lexical = WordMetric("ol")
        self._own = dict(entries)

    def entries(self) -> Mapping[str, str]:
        """The metric's, and how it is mixed."""
        return {**self.metric.entries(), **self._own}

    def counted_over(self, references: Sequence[str]) -> Self:
        """As `SegmentMetric.counted_over`, of the metric that is mixed."""
        inner = self.metric.counted_over(references)
        if inner is self.metric:
            return self
        fixed = copy(self)
        fixed.metric = inner
        fixed.origin = written_name(self.origin, dict.fromkeys([INFO], *inner.tables)) if self.origin else ""
        return fixed


class _BackOff(_Mixed):
    """``x_b`` of a metric that asks a parser; without a scale it is the mean of x over the pairs scored together."""

    def __init__(self, name: str, metric: SegmentMetric, scale: float | None) -> None:
        super().__init__(name, metric, {"backoff": "ol", SCALE: "mean" if scale is None else f"{scale:g}"})
        self._scale = scale

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs]."""
        return self._filled(self.metric.understood_scores(hypotheses, references), hypotheses, references)

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Scores of segments, float64 [n_segments]; O_l counts where the metric judges no reference."""
        scores = self.metric.judged_segments(hypotheses, references, tolerant=False)
        return self._filled(scores, hypotheses, references)

    def _filled(self, scores: Float, hypotheses: Sequence[str], references: Sequence[Any]) -> Float:
        """The scores with scaled lexical overlap in place of NaN; references of pairs, or of segments."""
        lost = np.isnan(scores)
        if lost.any():
            places = np.flatnonzero(lost).tolist()
            theirs = [references[k] for k in places]
            overlap = self.lexical.score_pairs if isinstance(theirs[0], str) else self.lexical.score_segments
            scale, known = self._scale, scores[~lost]
            if scale is None:  # a sum that the order of the pairs cannot change
                scale = math.fsum(known) / known.size if known.size else 1.0
            scores[lost] = overlap([hypotheses[k] for k in places], theirs) * scale
        return scores

    @property
    def is_independent(self) -> bool:
        """Whether the score of a pair depends on that pair alone."""
        return self._scale is not None and super().is_independent

    def check_independent(self) -> None:
        """Refuses a back-off whose scale is the mean over all pairs, or whose metric depends on them."""
        super().check_independent()
        if self._scale is None:
            raise PfsmError(
                f"{self.name}: its scale is the mean over all pairs, which are scored in parts here; "
                f"give a scale, as in {self.name}({SCALE}=0.4)"
            )


class _Interpolation(_Mixed):
    """``x_i``."""

    def __init__(self, name: str, metric: SegmentMetric, scale: float) -> None:
        super().__init__(name, metric, {"interpolated": "ol", SCALE: f"{scale:g}"})
        self._scale = scale

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs]."""
        own = self.metric.tolerant_scores(hypotheses, references)
        return np.asarray((own + self._scale * self.lexical.score_pairs(hypotheses, references)) / 2.0)

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Scores of segments, float64 [n_segments]."""
        own = self.metric.judged_segments(hypotheses, references, tolerant=True)
        return np.asarray((own + self._scale * self.lexical.several_references(hypotheses, references)) / 2.0)


# From the name of a metric, whatever stands in its parentheses, to its group; None where there is none.
Find = Callable[[str], MetricGroup | None]


def mixtures(find: Find) -> MetricGroup:
    """``NAME_b`` and ``NAME_i`` of all metrics that a function finds the group of."""

    def family(name: str) -> str | None:
        parts = mixed_parts(name)
        group = None if parts is None else find(parts.inner)
        if parts is None or group is None:
            return None
        about = group.describe(parts.inner)
        how = "backing off to" if parts.ending == BACK_OFF else "mean with"
        return f"{about}{'; ' if about else ''}{how} lexical overlap"

    return MetricGroup(
        make=lambda name, options: _mixture(find, name, options),
        takes_names=True,
        pin=lambda name: _pinned(find, name),
        counted=lambda name, references: _rebuilt(
            find, name, lambda group, inner: group.counted(inner, references)
        ),
        listed=False,
        family=family,
    )


def _parts_and_group(find: Find, name: str) -> tuple[MixedName, MetricGroup]:
    parts = mixed_parts(name)
    group = None if parts is None else find(parts.inner)
    if parts is None or group is None:
        raise PfsmError(f"{name!r} is not a mixture of a metric with lexical overlap")
    return parts, group


def _mixture(find: Find, name: str, options: Options) -> SegmentMetric:
    parts, group = _parts_and_group(find, name)
    others = dict(options)
    in_name = parse_name(name).options.get(SCALE)
    scale = others.pop(SCALE, in_name)
    if scale is not None:
        known = {
            SCALE: number(None, math.ulp(0.0), LARGEST_SCALE, f"a number above 0, at most {LARGEST_SCALE}")
        }
        scale = float(read_options(name, {SCALE: scale}, known)[SCALE])
    metric = group.metric(parts.inner, others)
    bare = name.partition("(")[0]
    if parts.ending == BACK_OFF:
        return _BackOff(bare, metric, scale)
    unit = 100.0 if parts.inner.partition("(")[0] in _PERCENT else 1.0
    return _Interpolation(bare, metric, unit if scale is None else scale)


def _pinned(find: Find, name: str) -> str:
    """The feature with the metric as its group pins it; a feature must not depend on the pairs beside it."""
    parts = mixed_parts(name)
    if parts is not None and parts.ending == BACK_OFF and not parts.scale:
        raise PfsmError(f"feature {name}: give the mean score, as in {name.partition('(')[0]}({SCALE}=0.4)")
    return _rebuilt(find, name, lambda group, inner: group.pin(inner))


def _rebuilt(find: Find, name: str, rename: Callable[[MetricGroup, str], str]) -> str:
    """The name with that of the metric within it changed."""
    parts, group = _parts_and_group(find, name)
    base, _, options = rename(group, parts.inner).partition("(")
    inside = ",".join(filter(None, [options.removesuffix(")"), parts.scale]))
    return f"{base}{parts.ending}({inside})" if inside else f"{base}{parts.ending}"
