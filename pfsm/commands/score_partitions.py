"""``pfsm score --output``: files of any number and size, scored in partitions, here or on a Dask cluster."""

from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

import numpy as np

from pfsm.commands.arguments import check_text, heading, signatures
from pfsm.commands.output import print_json, tell
from pfsm.distributed import FILES, PACKAGES, need_packages
from pfsm.distributed.job import Job, Scored, score_job
from pfsm.distributed.partitions import PARTITION_BYTES, distinct_references, references_in_order
from pfsm.distributed.pools import Report, open_pool
from pfsm.distributed.scorers import spec_of
from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.mixtures import MeanOf

# Faults that are printed one by one.
SHOWN = 10


def run(metric: SegmentMetric, options: Namespace) -> None:
    """Scores, writes, sums up.

    A metric that counts over all references, as NIST does, counts first, in a pass over the whole input. Another one
    whose statistics need all segments at once gets the mean of its segment scores.
    """
    need_packages(FILES if options.scheduler is None else PACKAGES)
    if "://" not in options.output and Path(options.output).is_file():
        raise PfsmError(f"{options.output}: is a file, --output needs a folder")
    keep = tuple(filter(None, (options.keep or "").split(",")))
    if "score" in keep:
        raise PfsmError("--keep score: the scores have this name; rename the column")
    size = options.partition_size or PARTITION_BYTES
    with open_pool(options.scheduler) as pool:
        check_text(metric, references_in_order(options.table, size, pool), options)
        if not metric.is_independent and metric.counted_over(()).is_independent:
            metric = metric.counted_over(distinct_references(options.table, size, pool))
        metric = metric if metric.is_additive else MeanOf(metric)
        job = Job(
            options.table,
            options.output,
            spec_of(metric),
            options.output_format or "parquet",
            keep,
            size,
            not metric.averages,
            metric.columns,
            metric.get_signature,
        )
        report = Report(pool)
        scored = score_job(job, report)
        if scored.partitions and not options.quiet:
            tell(report.summary())
    if scored.leftover and not options.quiet:
        tell(f"warning: {job.folder} holds {scored.leftover} partitions of files that are not there any more")
    if scored.rows:
        _print(scored, metric, options)
    _raise_faults(scored, job)


def _print(scored: Scored, metric: SegmentMetric, options: Namespace) -> None:
    score = scored.mean
    if scored.totals is not None:
        score = float(metric.corpus_from_totals(np.array(scored.totals)))
    if options.format == "json":
        about = asdict(scored)
        segments = about.pop("rows")
        for key in ("mean", "totals", "n_references"):
            del about[key]
        named = signatures(metric, scored.n_references, "corpus")
        print_json({"name": metric.name, "score": score, **named, "segments": segments, **about})
        return
    name = "" if options.score_only else f"{heading(metric, scored.n_references, 'corpus', options)} = "
    print(f"{name}{score:.{options.width}f}")


def _raise_faults(scored: Scored, job: Job) -> None:
    if not scored.faults:
        if not scored.partitions:
            raise PfsmError(f"{job.source}: no rows to score")
        return
    kept = "put it right and run again"
    if scored.partitions:
        kept = f"the scores of {scored.partitions:,} other partitions are in {job.folder}; {kept}"
    if len(scored.faults) == 1:
        raise PfsmError(f"{scored.faults[0]}; {kept}")
    for fault in scored.faults[:SHOWN]:
        tell(fault)
    raise PfsmError(f"{len(scored.faults)} faults in {job.source}; {kept}")
