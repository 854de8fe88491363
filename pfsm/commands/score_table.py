"""Scores of a table for `pfsm score --table`: of its rows, its systems and their documents."""

import math
from argparse import Namespace
from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.commands.arguments import check_text
from pfsm.commands.score_output import AREA, PATIENCE, Scored, interval, with_corpora
from pfsm.data import read_pairs_table
from pfsm.data.parallel import PairsTable
from pfsm.errors import PfsmError
from pfsm.metrics import SegmentMetric
from pfsm.metrics.inputs import as_streams
from pfsm.runtime.terminal import Stage
from pfsm.text.mismatch import warn_of_mismatches


def read_table(metrics: Sequence[SegmentMetric], options: Namespace) -> PairsTable:
    """The table that ``--table`` names, if the metrics can score it."""
    needed = tuple(dict.fromkeys(name for metric in metrics for name in metric.columns))
    with Stage(AREA, "reading", patience=PATIENCE):
        skip = options.skip_missing_references
        table = read_pairs_table(options.table, needed, skip_missing_references=skip)
    if options.documents and table.documents is None:
        raise PfsmError(f"{options.table}: has no column document, which --level document needs")
    for metric in metrics:
        check_text(metric, [*chain.from_iterable(table.references)], options)
    for name, rows in _rows_by_system(table).items():
        streams = as_streams([table.references[row] for row in rows])
        warn_of_mismatches({name or "hypothesis": [table.hypotheses[row] for row in rows]}, streams)
    return table


def scored_table(metric: SegmentMetric, table: PairsTable, options: Namespace) -> list[Scored]:
    """The whole table, with its systems, or their documents, as parts."""
    with Stage(AREA, f"scoring with {metric.name}", patience=PATIENCE):
        rows = _rows_by_system(table, documents=options.documents)
        segments, score = np.zeros(0), math.nan
        # Of each system what its score is made of: scores of segments, or counts that are pooled.
        values: dict[str, Float] = {}
        if options.sentence_level or metric.averages:
            segments = metric.score_segments(table.hypotheses, table.references, table.numbers)
        if metric.averages:
            values = {name: segments[chosen] for name, chosen in rows.items()}
            score, whole = float(segments.mean()), segments
        elif with_corpora(options):
            # What is counted over references is counted over those of all systems.
            counted = metric.counted_over([*chain.from_iterable(table.references)])
            values = {name: _statistics(counted, table, chosen.tolist()) for name, chosen in rows.items()}
            score = float(
                metric.corpus_from_totals(np.sum([one.sum(axis=0) for one in values.values()], axis=0))
            )
            whole = np.concatenate([*values.values()])
        if not values:
            return [Scored(options.table, len(table), score, segments)]
        parts = [
            Scored(name, len(own), _of_corpus(metric, own), np.zeros(0), interval(metric, own, options))
            for name, own in (values.items() if len(rows) > 1 or options.documents else ())
        ]
        of_all = interval(metric, whole, options)
    return [Scored(options.table, len(table), score, segments, of_all, tuple(parts))]


def _of_corpus(metric: SegmentMetric, values: Float) -> float:
    return float(values.mean() if metric.averages else metric.corpus_from_totals(values.sum(axis=0)))


def _rows_by_system(table: PairsTable, *, documents: bool = False) -> dict[str, NDArray[np.int64]]:
    """The rows of each system, or of each document of a system: its name, a tab, and that of the document."""
    found: dict[str, list[int]] = {}
    names: Sequence[str] = table.systems or [""] * len(table)
    if documents and table.documents is not None:
        pairs = zip(names, table.documents, strict=True)
        names = [f"{system}\t{document}" for system, document in pairs]
    for row, name in enumerate(names):
        found.setdefault(name, []).append(row)
    return {name: np.array(found[name], dtype=np.int64) for name in sorted(found)}


def _statistics(metric: SegmentMetric, table: PairsTable, rows: Sequence[int]) -> Float:
    references = as_streams([table.references[row] for row in rows])
    return metric.segment_statistics([table.hypotheses[row] for row in rows], references)
