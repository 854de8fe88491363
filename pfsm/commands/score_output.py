"""What ``pfsm score`` prints: lines, tables, JSON, TSV."""

import math
import warnings
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pfsm.arrays import Float
from pfsm.commands.arguments import heading, signatures
from pfsm.commands.output import NO_INTERVAL, bracketed, print_json
from pfsm.data.segments import others
from pfsm.errors import PfsmNote
from pfsm.metrics import SegmentMetric
from pfsm.metrics.inputs import NumberOfReferences

if TYPE_CHECKING:
    from pfsm.evaluation import Interval

# Of the logger; and seconds before a stage is worth a bar.
AREA, PATIENCE = "score", 0.5


@dataclass(frozen=True, eq=False)
class Scored:
    """One system's scores.

    Attributes:
        system: Its name.
        n: Number of segments.
        score: Of all of them.
        segments: float64 [n], where they are wanted.
        interval: Of the score, where it is wanted.
        parts: The systems that a table names, where there are several.
    """

    system: str
    n: int
    score: float
    segments: Float
    interval: "Interval | None" = None
    parts: "tuple[Scored, ...]" = ()


@dataclass(frozen=True, eq=False)
class Column:
    """The scores that one model or metric gives to all systems."""

    metric: SegmentMetric
    results: Sequence[Scored]
    nrefs: NumberOfReferences
    left_out: tuple[int, ...] = ()
    """Segments of the input that have no score, from 0."""

    @property
    def numbers(self) -> tuple[int, ...]:
        """The number of each segment in the input, from 0."""
        return others(self.left_out, self.results[0].segments.size + len(self.left_out))


def print_scores(columns: Sequence[Column], options: Namespace) -> None:
    """Prints the scores in the format that the options name."""
    if options.format == "json":
        documents = [_document(column, result, options) for column in columns for result in column.results]
        print_json(documents[0] if len(documents) == 1 else documents)
    elif options.format == "tsv":
        _print_tsv(columns, options)
    elif options.sentence_level:
        _print_segments(columns, options)
    elif len(columns) > 1:
        _print_table(columns, options)
    else:
        _print_lines(columns[0], options)
    if options.format == "text":
        _say_why_no_interval(columns)


def _say_why_no_interval(columns: Sequence[Column]) -> None:
    """Explains the dash in place of an interval, on standard error: the output is for other programs, too."""
    intervals = [
        one.interval for column in columns for result in column.results for one in (result, *result.parts)
    ]
    if any(interval is not None and math.isnan(interval.low) for interval in intervals):
        warnings.warn(
            f"{NO_INTERVAL} stands for no interval: a single segment cannot be resampled",
            PfsmNote,
            stacklevel=2,
        )


def _segments(columns: Sequence[Column]) -> Iterator[tuple[str, int, tuple[float, ...]]]:
    """A system, the number of a segment, from 0, and its score by each metric."""
    for results in zip(*(column.results for column in columns), strict=True):
        scores = zip(*(one.segments.tolist() for one in results), strict=True)
        for number, several in zip(columns[0].numbers, scores, strict=True):
            yield results[0].system, number, several


def _print_segments(columns: Sequence[Column], options: Namespace) -> None:
    """A line a segment; with several systems the name and the number of the segment, from 1, stand before it."""
    several = len(columns[0].results) > 1
    for system, number, scores in _segments(columns):
        shown = [f"{score:.{options.width}f}" for score in scores]
        print("\t".join([*([system, str(number + 1)] if several else []), *shown]))


def _print_lines(column: Column, options: Namespace) -> None:
    several = len(column.results) > 1
    name = heading(column.metric, column.nrefs, "corpus", options)
    for result in column.results:
        number = _number(result, options)
        line = number if options.score_only else f"{name} = {number}"
        print(f"{result.system}\t{line}" if several else line)
        for part in result.parts:
            print(f"{part.system}\t{_number(part, options)}")


def _number(result: Scored, options: Namespace) -> str:
    form, interval = f".{options.width}f", result.interval
    ends = "" if interval is None else f" {bracketed(interval, form)}"
    return f"{result.score:{form}}{ends}"


def _labels(columns: Sequence[Column]) -> list[str]:
    names = [column.metric.name for column in columns]
    return [
        name if names.count(name) == 1 else column.metric.get_short_signature(column.nrefs, "corpus")
        for name, column in zip(names, columns, strict=True)
    ]


def _rows(columns: Sequence[Column], options: Namespace) -> list[list[str]]:
    rows = [["system", *_labels(columns)]]
    for results in zip(*(column.results for column in columns), strict=True):
        rows.append([results[0].system, *(_number(one, options) for one in results)])
        rows += [
            [parts[0].system, *(_number(one, options) for one in parts)]
            for parts in zip(*(one.parts for one in results), strict=True)
        ]
    return rows


def _print_table(columns: Sequence[Column], options: Namespace) -> None:
    rows = _rows(columns, options)
    if options.score_only:
        for row in rows[1:]:
            print("\t".join(row if len(rows) > 2 else row[1:]))
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first, *others = (f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        print("  ".join([f"{first.strip():<{widths[0]}}", *others]))
    print()
    for column, label in zip(columns, _labels(columns), strict=True):
        better = "; lower is better" if column.metric.lower_is_better else ""
        told = heading(column.metric, column.nrefs, "corpus", options)
        if told == label:  # Two columns of one name: the long signature says how they differ.
            told = column.metric.get_signature(column.nrefs, "corpus")
        print(f"{label}: {told}{better}")


def _document(column: Column, result: Scored, options: Namespace) -> dict[str, Any]:
    from pfsm.evaluation import default_seed  # noqa: PLC0415 - JSON alone needs it
    from pfsm.evaluation.comparison import interval_entry  # noqa: PLC0415

    metric = column.metric
    document: dict[str, Any] = {
        "name": metric.name,
        "score": result.score,
        **signatures(metric, column.nrefs, "corpus"),
        "system": result.system,
        "segments": result.n,
    }
    if result.interval is not None:
        document |= {
            "interval": interval_entry(result.interval),
            "resamples": options.confidence_n,
            "seed": default_seed(),
        }
    if result.parts:
        if options.documents:
            return document | {"documents": [_of_document(part) for part in result.parts]}
        document["systems"] = {part.system: part.score for part in result.parts}
        if result.interval is not None:
            document["system_intervals"] = {
                part.system: interval_entry(part.interval)
                for part in result.parts
                if part.interval is not None
            }
    if options.sentence_level:
        document["segment_signature"] = metric.get_signature(column.nrefs)
        document["segment_scores"] = result.segments.tolist()
    if column.left_out:
        document["segments_left_out"] = list(column.left_out)
    return document


def _of_document(part: Scored) -> dict[str, Any]:
    from pfsm.evaluation.comparison import interval_entry  # noqa: PLC0415 - JSON alone needs it

    system, document = part.system.split("\t", 1)
    interval = {} if part.interval is None else {"interval": interval_entry(part.interval)}
    return {"system": system, "document": document, "segments": part.n, "score": part.score, **interval}


def _print_tsv(columns: Sequence[Column], options: Namespace) -> None:
    if options.sentence_level:
        print("\t".join(["system", "segment", *(_labels(columns) if len(columns) > 1 else ["score"])]))
        for system, number, scores in _segments(columns):
            print("\t".join([system, str(number), *map(repr, scores)]))
        return
    systems = ["system", "document"] if options.documents else ["system"]
    ends = ["low", "high"] if options.confidence else []
    print("\t".join([*systems, "score", "name", "signature", *ends]))
    for column in columns:
        signature = column.metric.get_signature(column.nrefs, "corpus")
        for result in column.results:
            for one in result.parts if options.documents else (result, *result.parts):
                ends = [] if one.interval is None else [repr(one.interval.low), repr(one.interval.high)]
                print("\t".join([one.system, repr(one.score), column.metric.name, signature, *ends]))


def with_corpora(options: Namespace) -> bool:
    """Whether scores of whole systems are wanted."""
    return not options.sentence_level or options.format == "json"


def interval(metric: SegmentMetric, values: Float, options: Namespace) -> "Interval | None":
    """The interval of a corpus score: of a mean of segment scores, or of counts that are pooled."""
    if not (options.confidence and with_corpora(options)):
        return None
    from pfsm.evaluation import PooledCounts, compare_systems  # noqa: PLC0415 - most runs need no resampling

    if metric.averages:
        return compare_systems(["it"], [values], options.confidence_n).systems[0].interval
    pooled = PooledCounts([values], metric.corpus_from_totals, metric.lower_is_better)
    nothing = np.zeros(len(values))
    return compare_systems(["it"], [nothing], options.confidence_n, pooled=pooled).systems[0].interval
