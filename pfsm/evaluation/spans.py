"""How well predicted error spans agree with those that experts marked.

Characters count once, whatever overlaps. A character is marked where most raters of a translation who there are agree:
two of three or more, the only one of one or two. Precision, recall and F1 count characters over all translations;
with severity, a character that both mark with another severity has half the credit (as WMT's shared tasks on quality
estimation). The costliest span touches a mark that it shares a character with; an omission, one that contains its place
or adjoins it. The gain is over the mean of all places of a span of the same width. The AUC is how often a translation
with a shared major mark has a costlier major span than one that nobody marked (ties: half).
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float, Int64
from pfsm.data.spans import SEVERITIES, read_spans
from pfsm.data.table import json_number, refused
from pfsm.errors import PfsmError
from pfsm.evaluation.bootstrap import Interval, percentile_interval, resampled_times
from pfsm.io.json_text import parsed

NEUTRAL, MINOR, MAJOR, CRITICAL = SEVERITIES
STATISTICS = (
    *("precision", "recall", "F1", "F1 with severity", "costliest touches", "one of three touches"),
    *("gain over chance", "width of costliest", "width of three", "AUC"),
)
_LARGEST_FIRST = 3


@dataclass(frozen=True)
class Mark:
    """A span of a translation.

    Attributes:
        start: First character, in code points.
        end: The end; for an omission the start.
        severity: One of `SEVERITIES`.
        rater: Who set it.
        points: What it costs; 0 for marks of people.
    """

    start: int
    end: int
    severity: str
    rater: str = ""
    points: float = 0.0


def marks_from_json(text: str, hypothesis: str, where: str) -> tuple[Mark, ...]:
    """The marks of a translation: a JSON list of ``[start, end, severity, category, rater]`` or of objects.

    As of `pfsm.data.spans.read_spans`, objects perhaps with ``points``, as those of `pfsm explain`. Neutral marks are
    ignored.

    Args:
        text: The content of the cell.
        hypothesis: The translation.
        where: File and line, for errors.

    Raises:
        PfsmError: If it is no such list, or offsets or a severity cannot be.
    """
    values = parsed(text, where) if text.strip() else []

    def fault(message: str) -> PfsmError:
        return PfsmError(f"{where}: {message}")

    if not isinstance(values, list):
        raise fault('errors must be a JSON list of marks, such as [[0, 4, "major"]]')
    marks = [
        Mark(start, end, severity, rater, _points(value, fault))
        for value, (start, end, severity, _, rater) in zip(
            values, read_spans(values, hypothesis, "", fault), strict=True
        )
    ]
    return tuple(mark for mark in marks if mark.severity != NEUTRAL)


def _points(mark: object, fault: Callable[[str], PfsmError]) -> float:
    points = mark.get("points", mark.get("confidence", 0.0)) if isinstance(mark, Mapping) else 0.0
    number = json_number(points)
    if number is None:
        raise fault(f"points is {refused(str(points))}")
    return number


@dataclass(frozen=True, eq=False)
class Marked:
    """A translation that experts marked.

    Attributes:
        hypothesis: The translation.
        reference: Its reference.
        marks: What was marked.
        raters: How many looked at it.
        unit: What resampling draws it with: its document, or its segment.
        left_out: A rater whose marks do not count.
        whole: The same translation without anybody left out, whose marks by rater serve all that leave one out.
    """

    hypothesis: str
    reference: str
    marks: tuple[Mark, ...]
    raters: int
    unit: str
    left_out: str | None = None
    whole: "Marked | None" = None

    @cached_property
    def by_rater(self) -> dict[str, NDArray[np.int8]]:
        """Of each rater with marks, int8 [n]: 0 where a character is not marked, 1 where it is, 2 where major."""
        by: dict[str, NDArray[np.int8]] = {}
        for mark in self.marks:
            own = by.setdefault(mark.rater, np.zeros(len(self.hypothesis), dtype=np.int8))
            own[mark.start : mark.end] = np.maximum(
                own[mark.start : mark.end], 1 + (mark.severity in (MAJOR, CRITICAL))
            )
        return by

    @cached_property
    def numbers(self) -> tuple[Int64, Int64]:
        """How many raters marked each character, and called it major: int64 [n] each."""
        columns = np.array([*self.by_rater.values()]).reshape(-1, len(self.hypothesis))
        return (columns > 0).sum(axis=0), (columns > 1).sum(axis=0)

    def levels(self) -> Int64:
        """Of each character: 0 not marked, 1 marked by those who agree, 2 marked and called major."""
        whole = self.whole or self
        marked, major = whole.numbers
        own = None if self.left_out is None else whole.by_rater.get(self.left_out)
        if own is not None:
            marked, major = marked - (own > 0), major - (own > 1)
        looked = self.raters - (self.left_out is not None)
        agreed = marked >= (2 if looked > 1 and self.raters > 2 else 1)
        return np.where(agreed, 1 + (major > 0), 0)

    @property
    def is_free(self) -> bool:
        """Whether nobody marked anything."""
        by = (self.whole or self).by_rater
        return len(by) == (self.left_out in by)


def measured(
    translations: Sequence[Marked],
    predicted: Sequence[Sequence[Mark]],
    resamples: int,
    seed: int,
) -> dict[str, tuple[float, Interval | None]]:
    """The statistics of `STATISTICS`, each with its 95% interval over documents (or segments).

    Args:
        translations: Marked translations.
        predicted: The spans of each, costliest first.
        resamples: Number of bootstrap resamples; 0: no intervals.
        seed: Of the resamples.
    """
    rows = np.array(
        [_counts(one, spans) for one, spans in zip(translations, predicted, strict=True)], dtype=np.float64
    ).reshape(-1, len(_COUNTS))
    units: dict[str, int] = {}
    of_unit = np.array([units.setdefault(one.unit, len(units)) for one in translations], dtype=np.int64)
    ones = np.ones(len(rows))
    found = _statistics(rows, ones)
    if not resamples or len(units) < 2:
        return {name: (value, None) for name, value in zip(STATISTICS, found, strict=True)}
    drawn = np.array(
        [
            _statistics(rows, times[of_unit].astype(np.float64))
            for some in resampled_times(len(units), resamples, seed)
            for times in some
        ]
    )
    intervals = [percentile_interval(column) for column in drawn.T]  # undefined where nothing varies
    return {
        name: (value, interval if np.isfinite(interval.low) else None)
        for name, value, interval in zip(STATISTICS, found, intervals, strict=True)
    }


_COUNTS = (
    *("both", "both alike", "predicted", "marked", "has mark", "touch", "three", "gain", "width"),
    *("width of three", "worst", "free of marks", "has shared mark"),
)


def _counts(translation: Marked, spans: Sequence[Mark]) -> list[float]:
    levels = translation.levels()
    n = len(levels)
    ours = np.zeros(n, dtype=np.int64)
    wide = 0
    for number, span in enumerate(spans, 1):
        ours[span.start : span.end] = np.maximum(
            ours[span.start : span.end], 1 + (span.severity in (MAJOR, CRITICAL))
        )
        wide = (ours > 0).sum() if number <= _LARGEST_FIRST else wide
    both = (ours > 0) & (levels > 0)
    major = levels == 2
    # Where most of a line is marked, anything touches.
    asked = bool(major.any() and 2 * major.sum() <= n and spans)
    touches = [_touches(span, major) for span in spans[:_LARGEST_FIRST]] if asked else [False]
    width = spans[0].end - spans[0].start if spans else 0
    worst = max((span.points for span in spans if span.severity in (MAJOR, CRITICAL)), default=0.0)
    return [
        *(both.sum(), (both & (ours == levels)).sum(), (ours > 0).sum(), (levels > 0).sum()),
        *(asked, touches[0], any(touches), touches[0] - _chance(major, width) if asked else 0.0),
        *(width / n if asked else 0.0, wide / n if asked else 0.0, worst, translation.is_free, major.any()),
    ]


def _touches(span: Mark, marked: NDArray[np.bool_]) -> bool:
    first, last = (
        (span.start, span.end) if span.start < span.end else (max(span.start - 1, 0), span.start + 1)
    )
    return bool(marked[first:last].any())


def _chance(marked: NDArray[np.bool_], width: int) -> float:
    """How often a span of this width touches, over all its places."""
    width = min(max(width, 1), len(marked))
    sums = np.concatenate([[0], np.cumsum(marked)])
    return float(np.mean(sums[width:] > sums[:-width]))


def _statistics(rows: Float, times: Float) -> list[float]:
    counts = dict(zip(_COUNTS, rows.T, strict=True))
    total = {name: float(times @ column) for name, column in counts.items()}
    half = 0.5 * (total["both"] + total["both alike"])
    return [
        _ratio(total["both"], total["predicted"]),
        _ratio(total["both"], total["marked"]),
        _ratio(2.0 * total["both"], total["predicted"] + total["marked"]),
        _ratio(2.0 * half, total["predicted"] + total["marked"]),
        *(
            _ratio(total[name], total["has mark"])
            for name in ("touch", "three", "gain", "width", "width of three")
        ),
        _auc(counts["worst"], times * counts["has shared mark"], times * counts["free of marks"]),
    ]


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _auc(values: Float, positive: Float, negative: Float) -> float:
    """Weighted share of pairs whose positive is above its negative; ties count half."""
    _, place = np.unique(values, return_inverse=True)
    of_negative = np.bincount(place, negative, minlength=1)
    below = np.cumsum(of_negative) - of_negative
    return _ratio(
        float(positive @ (below[place] + 0.5 * of_negative[place])), float(positive.sum() * negative.sum())
    )


def baselines(translations: Sequence[Marked], seed: int) -> dict[str, list[list[Mark]]]:
    """Spans without a model: words that the reference lacks, all and the longest run, and a random run by length.

    Words are split at spaces, case ignored.
    """
    draw = random.Random(seed)
    found: dict[str, list[list[Mark]]] = {
        name: [] for name in ("not in the reference", "longest run", "random run")
    }
    for one in translations:
        runs = _unknown_runs(one)
        by_length = sorted(runs, key=lambda run: run.start - run.end)
        found["not in the reference"].append(by_length)
        found["longest run"].append(by_length[:1])
        lengths = [run.end - run.start for run in runs]
        found["random run"].append(draw.choices(runs, lengths) if runs else [])
    return found


def _unknown_runs(one: Marked) -> list[Mark]:
    known, runs, at = set(one.reference.casefold().split()), list[Mark](), 0
    joined = False
    for word in one.hypothesis.split():
        start = one.hypothesis.index(word, at)
        at = start + len(word)
        if word.casefold() in known:
            joined = False
            continue
        if joined:
            start = runs.pop().start
        runs.append(Mark(start, at, MAJOR, points=float(at - start)))
        joined = True
    return runs


def between_raters(translations: Sequence[Marked]) -> tuple[list[Marked], list[list[Mark]]]:
    """Each of several raters against the others: translations without that rater, and that one's spans, worst first."""
    ones, spans = list[Marked](), list[list[Mark]]()
    for one in translations:
        by: dict[str, list[Mark]] = {}
        for mark in one.marks:
            by.setdefault(mark.rater, []).append(mark)
        for rater, own in sorted(by.items()) if one.raters > 1 else []:
            rank = {MINOR: 1.0, MAJOR: 5.0, CRITICAL: 25.0}
            worst = [Mark(m.start, m.end, m.severity, points=rank[m.severity]) for m in own]
            ones.append(replace(one, left_out=rater, whole=one))
            spans.append(sorted(worst, key=lambda mark: (-mark.points, mark.start)))
    return ones, spans
