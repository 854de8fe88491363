"""The work on one partition: read, score, write; and what came of it."""

import gzip
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pfsm.data.parallel import PairsTable
from pfsm.data.table import Table
from pfsm.distributed.addresses import below, write_whole
from pfsm.distributed.manifest import Entry
from pfsm.distributed.outcomes import Fault, attempt
from pfsm.distributed.partitions import FORMATS
from pfsm.distributed.pieces import Piece
from pfsm.distributed.rows import Rows, read_piece
from pfsm.distributed.scorers import ScorerSpec, borrowed
from pfsm.errors import PfsmError
from pfsm.metrics import SegmentMetric
from pfsm.metrics.references import as_streams

SCORE = "score"


@dataclass(frozen=True)
class PieceTask:
    """What is to be done with one partition.

    Attributes:
        piece: The partition.
        spec: What scores it.
        folder: Address of the folder of scores.
        form: One of `pfsm.distributed.partitions.FORMATS`.
        keep: Columns of the input that are copied to the output, too.
        pools: Whether the corpus score pools statistics, which are to be added up.
        before: What was made of it earlier, of a file that has changed since, or been copied: perhaps not in this part.
        columns: Columns of the input that the scores depend on.
    """

    piece: Piece
    spec: ScorerSpec
    folder: str
    form: str
    keep: tuple[str, ...]
    pools: bool = False
    before: Entry | None = None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class PieceOutcome:
    """What came of it.

    Attributes:
        piece: The partition.
        result: Its entry in the manifest, or a fault.
        is_new: Whether it was scored now.
        bytes_read: Of content.
        seconds: Of a processor.
        retries: How often reading or writing had to be tried again.
    """

    piece: Piece
    result: Entry | Fault
    is_new: bool
    bytes_read: int
    seconds: float
    retries: int


def score_piece(task: PieceTask) -> PieceOutcome:
    """Reads, scores and writes one partition. The same task writes the same bytes."""
    started = time.thread_time()
    sizes: list[int] = []

    def work() -> tuple[Entry, bool]:
        rows = read_piece(task.piece, task.keep, task.columns)
        sizes.append(rows.size)
        before = task.before
        if before is not None and before.sha256 == rows.checksum:
            return _moved(before, task.piece), False
        return _scored(task, rows), True

    found, retries = attempt(work, task.piece.file.label)
    result, is_new = (found, False) if isinstance(found, Fault) else found
    seconds = time.thread_time() - started
    return PieceOutcome(task.piece, result, is_new, sum(sizes[-1:]), seconds, retries)


def _moved(entry: Entry, piece: Piece) -> Entry:
    """The entry of a partition whose file has changed elsewhere, or in its date alone."""
    return Entry(**{**vars(entry), "identity": piece.identity})


def _scored(task: PieceTask, rows: Rows) -> Entry:
    piece, pairs = task.piece, rows.pairs
    kept = {name: rows.table.column(name) for name in task.keep}
    with borrowed(task.spec) as metric:
        scores = metric.score_rows(pairs.hypotheses, pairs.references, pairs.numbers)
        totals = _totals(metric, pairs) if task.pools and len(pairs) else None
    content = _content(kept, scores, task.form, rows.table)
    output = f"{piece.file.name}.{piece.number:05d}{FORMATS[task.form]}"
    write_whole(below(task.folder, output), content)
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


def _totals(metric: SegmentMetric, pairs: PairsTable) -> tuple[float, ...]:
    """Sums of the statistics of a corpus score, exactly rounded."""
    statistics = metric.segment_statistics(pairs.hypotheses, as_streams(pairs.references))
    return tuple(math.fsum(column) for column in statistics.T.tolist())


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
    lines = ["\t".join(cells) for cells in rows]
    text = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    return gzip.compress(text, mtime=0) if form == "tsv.gz" else text
