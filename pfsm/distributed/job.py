"""The work on one partition: read, score, write; and what came of it.

Scores all partitions of an input: those that an earlier run finished are there already.
"""

import gzip
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pfsm.data.table import Table
from pfsm.distributed.addresses import (
    InputFile,
    absolute,
    below,
    file_system,
    folder_path,
    input_files,
    sizes_below,
    write_whole,
)
from pfsm.distributed.manifest import Entry, Manifest, references_of
from pfsm.distributed.partitions import (
    FORMATS,
    PARTITION_BYTES,
    Fault,
    Piece,
    Rows,
    attempt,
    read_piece,
    surveyed,
)
from pfsm.distributed.pools import Report
from pfsm.distributed.scorers import ScorerSpec, cached_scorer
from pfsm.errors import PfsmError
from pfsm.metrics.inputs import NumberOfReferences, as_streams

SCORE = "score"


@dataclass(frozen=True)
class PieceOutcome:
    """What came of a partition: its entry in the manifest, new or of an earlier run, or a fault.

    It took so many seconds of a processor, and reading or writing had to be tried again so many times.
    """

    piece: Piece
    result: Entry | Fault
    is_new: bool
    bytes_read: int
    seconds: float
    retries: int


def _score_piece(task: tuple[Piece, Entry | None], job: "Job") -> PieceOutcome:
    """Reads, scores and writes a partition, unless what was made of it earlier is of the same content."""
    piece, before = task
    started = time.thread_time()
    sizes = [0]

    def work() -> tuple[Entry, bool]:
        rows = read_piece(piece, job.keep, job.columns)
        sizes.append(rows.size)
        if before is not None and before.sha256 == rows.checksum:
            return replace(before, identity=piece.identity), False
        return _scored(piece, job, rows), True

    found, retries = attempt(work, piece.file.label)
    result, is_new = (found, False) if isinstance(found, Fault) else found
    return PieceOutcome(piece, result, is_new, sizes[-1], time.thread_time() - started, retries)


def _scored(piece: Piece, job: "Job", rows: Rows) -> Entry:
    pairs = rows.pairs
    kept = {name: rows.table.column(name) for name in job.keep}
    with cached_scorer(job.spec) as metric:
        scores = metric.score_rows(pairs.hypotheses, pairs.references, pairs.numbers)
        totals = None
        if job.pools and len(pairs):
            statistics = metric.segment_statistics(pairs.hypotheses, as_streams(pairs.references))
            totals = tuple(math.fsum(column) for column in statistics.T.tolist())  # exactly rounded
    content = _content(kept, scores, job.form, rows.table)
    output = f"{piece.file.name}.{piece.number:05d}{FORMATS[job.form]}"
    write_whole(below(job.folder, output), content)
    counts = [len(several) for several in pairs.references]
    return Entry(
        piece.file.name,
        piece.identity,
        piece.number,
        piece.start,
        piece.stop,
        piece.row_group,
        rows.checksum,
        output,
        len(content),
        len(pairs),
        math.fsum(scores.tolist()),
        (min(counts), max(counts)) if counts else None,
        totals,
    )


def _content(kept: dict[str, Sequence[str]], scores: NDArray[np.float64], form: str, table: Table) -> bytes:
    if form == "parquet":
        from pfsm.distributed.parquet import parquet_bytes  # noqa: PLC0415 - brings PyArrow

        return parquet_bytes(kept, scores)
    for name, fields in kept.items():
        for line, field in zip(table.line_numbers, fields, strict=True):
            if "\t" in field or "\n" in field:
                raise PfsmError(
                    f"{table.path}:{line}: {name} holds a tab or a line end, which a TSV cannot; write Parquet"
                )
    columns = [*kept.values(), [repr(score) for score in scores.tolist()]]
    rows = chain([(*kept, SCORE)], zip(*columns, strict=True))
    text = "".join("\t".join(cells) + "\n" for cells in rows).encode("utf-8", "surrogatepass")
    return gzip.compress(text, mtime=0) if form == "tsv.gz" else text


@dataclass(frozen=True)
class Job:
    """What is to be scored, and how.

    Attributes:
        source: File, folder, pattern with wildcards, or any of these at an address of fsspec.
        folder: Where the scores go, likewise.
        form: ``parquet``, ``tsv`` or ``tsv.gz``.
        keep: Columns of the input that are copied to the output, too.
        partition_bytes: Largest partition, in bytes of text.
        pools: Whether the corpus score pools statistics, which are to be added up, and is not the mean.
        columns: Columns of the input that the scores depend on.
        signature: From the number of references to the signature that the manifest gives; None: that of ``spec``.
    """

    source: str
    folder: str
    spec: ScorerSpec
    form: str = "parquet"
    keep: tuple[str, ...] = ()
    partition_bytes: int = PARTITION_BYTES
    pools: bool = False
    columns: tuple[str, ...] = ()
    signature: Callable[[NumberOfReferences], str] | None = None


@dataclass(frozen=True)
class Scored:
    """What a job came to.

    Attributes:
        rows: Number of scores, those of earlier runs included.
        mean: Of all of them, exactly rounded; NaN without rows.
        totals: Sums of the statistics of a corpus score that pools them; None for others, and without rows.
        faults: A line for each file or partition that has no scores.
        leftover: Partitions in the folder whose input is not there any more.
    """

    rows: int
    mean: float
    totals: tuple[float, ...] | None
    partitions: int
    n_references: NumberOfReferences
    faults: tuple[str, ...]
    leftover: int


def score_job(job: Job, report: Report) -> Scored:
    """Does all that is not done yet. Files with faults are left out and named; the others' scores are kept."""
    pool, files = report.pool, input_files(job.source)
    _check_apart(job, files)
    settings = {
        "signature": job.spec.signature,
        "output_format": job.form,
        "keep": list(job.keep),
        "partition_bytes": job.partition_bytes,
    }
    manifest = Manifest(job.folder, settings, job.signature)
    faults: list[str] = []
    try:
        pieces = _survey(job, files, report, faults)
        report.parts = len(pieces)
        # Workers need not have our folder as theirs.
        sent = replace(job, folder=absolute(job.folder), signature=None)
        tasks = _missing(job, manifest, pieces, report)
        for outcome in pool.run(partial(_score_piece, job=sent), tasks):
            _take(outcome, manifest, report, faults)
    finally:
        # Also after Ctrl-C: the next run goes on from here. A run that has made nothing leaves nothing.
        if manifest.entries or manifest.was_there:
            manifest.write(sorted(faults))
    wanted = {(piece.file.name, piece.number) for piece in pieces}
    names = {file.name for file in files}
    leftover = sum(entry.input not in names for entry in manifest.entries.values())
    finished = [entry for key, entry in manifest.entries.items() if key in wanted]
    rows = sum(entry.rows for entry in finished)
    totals = [entry.totals for entry in finished if entry.totals is not None]
    return Scored(
        rows,
        math.fsum(entry.total for entry in finished) / rows if rows else math.nan,
        tuple(math.fsum(column) for column in zip(*totals, strict=True)) if totals else None,
        len(finished),
        references_of(finished),
        tuple(sorted(faults)),
        leftover,
    )


def _check_apart(job: Job, files: Sequence[InputFile]) -> None:
    """Refuses to write among the input: a later run would read scores as input."""
    root, target = folder_path(job.source), file_system(job.folder)[1].rstrip("/")
    if (root is not None and f"{target}/".startswith(f"{root}/")) or any(
        file_system(file.address)[1].startswith(f"{target}/") for file in files
    ):
        raise PfsmError(f"{job.folder}: is, or lies within, the input's folder; give a folder outside it")


def _survey(job: Job, files: Sequence[InputFile], report: Report, faults: list[str]) -> list[Piece]:
    """All partitions, in the order of files."""
    found: list[Piece] = []
    for pieces, retries in surveyed(files, job.partition_bytes, report.pool):
        report.retries += retries
        if isinstance(pieces, Fault):
            _blame(pieces, faults)
        else:
            found += pieces
    return sorted(found, key=lambda piece: (piece.file.name, piece.number))


def _missing(
    job: Job, manifest: Manifest, pieces: Sequence[Piece], report: Report
) -> Iterator[tuple[Piece, Entry | None]]:
    """The partitions whose scores are not there, or of another state of the file, with what was made of that."""
    there = sizes_below(job.folder)
    for piece in pieces:
        entry = manifest.entries.get((piece.file.name, piece.number))
        if entry is not None and (not entry.is_of(piece) or there.get(entry.output) != entry.bytes):
            entry = None
        if entry is not None and job.pools and entry.rows and entry.totals is None:
            entry = None  # of a release that added up the scores alone
        if entry is not None and entry.identity == piece.identity:
            report.found += 1
        else:
            yield piece, entry


def _take(outcome: PieceOutcome, manifest: Manifest, report: Report, faults: list[str]) -> None:
    result = outcome.result
    if isinstance(result, Fault):
        manifest.entries.pop((outcome.piece.file.name, outcome.piece.number), None)
        report.retries += outcome.retries
        _blame(result, faults)
        return
    manifest.add(result)
    if outcome.is_new:
        report.add(result.rows, outcome.seconds, outcome.bytes_read, result.bytes, outcome.retries)
    else:
        report.found += 1


def _blame(fault: Fault, faults: list[str]) -> None:
    if fault.everywhere:
        raise PfsmError(fault.message)
    if fault.message not in faults:
        faults.append(fault.message)
