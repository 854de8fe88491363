"""``pfsm score --output``: files of any number and size, scored in partitions, here or on a Dask cluster."""

import math
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pfsm.commands.arguments import check_text, heading, signatures
from pfsm.commands.output import print_json, tell
from pfsm.distributed import need_packages
from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.mixtures import MeanOf
from pfsm.runtime.terminal import Stage

if TYPE_CHECKING:
    from pfsm.distributed.parts import Part
    from pfsm.metrics.inputs import NumberOfReferences

Run = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""As `map`, but results may come in any order."""

PARTITION_BYTES = 8 << 20  # about 30,000 pairs of 20 words a side
SHOWN = 10  # faults that are printed one by one


def run(metric: SegmentMetric, options: Namespace) -> None:
    """Score, write, sum up.

    A metric that counts over all references, as NIST does, counts first, in a pass over the whole input. Another one
    whose statistics need all segments at once gets the mean of its segment scores.
    """
    if "://" not in options.output and Path(options.output).is_file():
        raise PfsmError(f"{options.output}: is a file, --output needs a folder")
    if "score" in (options.keep or "").split(","):
        raise PfsmError("--keep score: the scores have this name; rename the column")
    with _running_on(options.scheduler) as at_work:
        _score(metric, options, at_work)


@contextmanager
def _running_on(scheduler: str | None) -> Iterator[Run]:
    """Yield `map`, or the same on the workers of the cluster at an address."""
    if scheduler is None:
        need_packages()
        yield map
        return
    need_packages("distributed")
    from pfsm.distributed.cluster import open_cluster  # noqa: PLC0415 - brings Dask

    with open_cluster(scheduler) as cluster:
        yield cluster.run


def _score(metric: SegmentMetric, options: Namespace, at_work: Run) -> None:
    from pfsm.distributed import parts, pieces  # noqa: PLC0415 - brings PyArrow

    started, folder = time.monotonic(), pieces.place_at(options.output)
    size, files = options.partition_size or PARTITION_BYTES, pieces.input_files(options.table)
    if f"{folder.path}/".startswith(f"{pieces.place_at(options.table).path}/"):
        raise PfsmError(f"{options.output}: is, or lies within, the input's folder; give a folder outside it")
    surveyed = list(at_work(partial(pieces.survey, partition_bytes=size), files))
    everything = [piece for one in surveyed if not isinstance(one, str) for piece in one]
    everything.sort(key=lambda piece: (piece.file.name, piece.number))
    check_text(metric, chain.from_iterable(map(pieces.references_of, everything)), options)
    if not metric.is_independent and metric.counted_over(()).is_independent:
        lines = {line for several in at_work(pieces.references_of, everything) for line in several}
        metric = metric.counted_over(sorted(lines))
    metric = metric if metric.is_additive else MeanOf(metric)
    metric.check_independent()
    keep = tuple(filter(None, (options.keep or "").split(",")))
    form = options.output_format or "parquet"
    settings = f"{','.join((*keep, 'score'))} as {form}, partitions of {size} bytes, {metric.signature}"
    job = parts.Job(metric.recipe(), metric.signature, folder, form, keep, settings)
    known = parts.finished_parts(job)
    ours = {(piece.name, piece.identity) for piece in everything}
    found = {name: part for name, part in known.items() if (name, part.identity) in ours}
    n_there, missing = len(found), [piece for piece in everything if piece.name not in found]
    results = []
    with Stage("distributed", "scoring", len(missing), "partitions") as stage:
        for one in at_work(partial(parts.score_piece, job=job), missing):
            stage.advance()
            results.append(one)
    faults = sorted(one for one in (*surveyed, *results) if isinstance(one, str))
    found |= {one.name: one for one in results if not isinstance(one, str)}
    if options.scheduler is not None:
        parts.sizes_below(folder)  # clears what killed workers have left
    scored = [found[piece.name] for piece in everything if piece.name in found]
    rows, leftover = sum(part.rows for part in scored), len(known.keys() - {name for name, _ in ours})
    if scored and not options.quiet:
        seconds, there = time.monotonic() - started, f" ({n_there:,} there already)" if n_there else ""
        tell(f"{rows:,} pairs, {len(scored):,} partitions{there}, {seconds:.1f} s")
    if leftover and not options.quiet:
        tell(f"warning: {folder.label} holds {leftover} partitions that the input no longer has")
    if rows:
        about = {"segments": rows, "partitions": len(scored), "faults": faults, "leftover": leftover}
        _print(metric, scored, about, options)
    _check(faults, len(scored), options)


def _print(metric: SegmentMetric, scored: list["Part"], about: dict[str, Any], options: Namespace) -> None:
    counts = {count for part in scored for count in part.references}
    nrefs: NumberOfReferences = counts.pop() if len(counts) == 1 else "var"
    score = math.fsum(part.total for part in scored) / about["segments"]
    if not metric.averages:
        totals = zip(*(part.totals for part in scored if part.rows), strict=True)
        score = float(metric.corpus_from_totals(np.array([math.fsum(column) for column in totals])))
    if options.format == "json":
        named = {"name": metric.name, "score": score, **signatures(metric, nrefs, "corpus")}
        print_json(named | about)
        return
    name = "" if options.score_only else f"{heading(metric, nrefs, 'corpus', options)} = "
    print(f"{name}{score:.{options.width}f}")


def _check(faults: Sequence[str], n_scored: int, options: Namespace) -> None:
    kept = f"the scores of {n_scored:,} other partitions are in {options.output}; " if n_scored else ""
    for fault in faults[-SHOWN:-1]:
        tell(fault)
    if faults:
        more = "" if len(faults) == 1 else f"{len(faults)} faults in {options.table}, such as "
        raise PfsmError(f"{more}{faults[-1]}; {kept}put it right and run again")
    if not n_scored:
        raise PfsmError(f"{options.table}: no rows to score")
