"""Scores of partitions: a part is a file of scores, and in the folder ``_parts`` a record of what they are of.

The record is written last. A later run keeps the parts that its own settings and the same state of the input have made.
"""

import gzip
import json
import math
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import import_module
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pfsm.arrays import Float
from pfsm.data.parallel import pairs_from_table
from pfsm.distributed import WorkerFaultError
from pfsm.distributed.pieces import Piece, Place, placed, read_piece
from pfsm.errors import PfsmError
from pfsm.metrics.base import Recipe, SegmentMetric
from pfsm.metrics.inputs import as_streams

RECORDS = "_parts"
TEMPORARY = ".pfsm-"
SHOWN = 200  # characters of settings in a message; the signature of a metric begins with its name
# Of a worker's threads one scores at a time: a metric remembers words, and its kernels have threads of their own.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Job:
    """What is to be scored, and how.

    Attributes:
        recipe: How a worker makes the metric.
        signature: That of the metric; a worker's must be the same.
        folder: Where the scores go.
        form: ``parquet``, ``tsv`` or ``tsv.gz``.
        keep: Columns of the input that are copied to the output.
        settings: All that parts of one folder must share, for messages, too.
    """

    recipe: Recipe
    signature: str
    folder: Place
    form: str
    keep: tuple[str, ...]
    settings: str


@dataclass(frozen=True)
class Part:
    """The scores of a partition.

    Attributes:
        settings: Of the job that has made them.
        identity: Of the state of the input file.
        size: Bytes of the file of scores.
        total: Sum of the scores, exactly rounded.
        references: All numbers of references that rows have.
        totals: Sums of the rows' statistics, if the corpus score pools them.
    """

    settings: str
    name: str
    identity: str
    size: int
    rows: int
    total: float
    references: Sequence[int]
    totals: Sequence[float]


def finished_parts(job: Job) -> dict[str, Part]:
    """Return the parts in the folder, by the names of their partitions.

    Raises:
        PfsmError: They are by another metric or other settings.
    """
    sizes = sizes_below(job.folder)
    paths = [f"{job.folder.path}/{name}" for name in sizes if name.startswith(f"{RECORDS}/")]
    known = {}
    for content in job.folder.system.cat(paths).values() if paths else ():
        try:
            part = Part(**json.loads(content))
        except (ValueError, TypeError, RecursionError):
            continue  # what no run of ours has written is written anew
        if part.settings != job.settings:
            there, wanted = (
                f"{text[:SHOWN]}{'…' * (len(text) > SHOWN)}" for text in (part.settings, job.settings)
            )
            raise PfsmError(f"{job.folder.label}: holds {there}; that is not {wanted}; give another folder")
        if sizes.get(f"{part.name}.{job.form}") == part.size:
            known[part.name] = part
    return known


def score_piece(piece: Piece, job: Job) -> Part | str:
    """Read, score and write a partition; return the part, or a line about what is wrong with the data."""
    with _one_at_a_time:
        metric = metric_of(job.recipe, job.signature)
        try:
            return _scored(piece, job, metric)
        except PfsmError as error:
            return placed(str(error), piece)


def _scored(piece: Piece, job: Job, metric: SegmentMetric) -> Part:
    table = read_piece(piece, (*job.keep, *metric.columns))
    pairs = pairs_from_table(table, metric.columns)
    kept = {name: table.column(name) for name in job.keep}
    scores = metric.score_segments(pairs.hypotheses, pairs.references, pairs.numbers)
    statistics = np.zeros((0, 0))
    if len(pairs) and not metric.averages:
        statistics = metric.segment_statistics(pairs.hypotheses, as_streams(pairs.references))
    content = _content(kept, scores, job.form, piece.file.label)
    part = Part(
        job.settings,
        piece.name,
        piece.identity,
        len(content),
        len(pairs),
        math.fsum(scores.tolist()),
        sorted({len(several) for several in pairs.references}),
        [math.fsum(column) for column in statistics.T.tolist()],
    )
    _write(job.folder, f"{piece.name}.{job.form}", content)
    _write(job.folder, f"{RECORDS}/{piece.name}.json", json.dumps(asdict(part)).encode())
    return part


def _content(kept: Mapping[str, Sequence[str]], scores: Float, form: str, path: str) -> bytes:
    """The bytes of a file of kept columns and scores."""
    if form == "parquet":
        columns = {name: pa.array(list(fields), pa.string()) for name, fields in kept.items()}
        written = pa.BufferOutputStream()
        pq.write_table(pa.table({**columns, "score": pa.array(scores)}), written, compression="zstd")
        return bytes(written.getvalue())
    for name, fields in kept.items():
        if any("\t" in field or "\n" in field for field in fields):
            raise PfsmError(f"{path}: {name} holds a tab or a line end, which a TSV cannot; write Parquet")
    rows = zip(*kept.values(), map(repr, scores.tolist()), strict=True)
    text = "".join("\t".join(cells) + "\n" for cells in chain([(*kept, "score")], rows))
    content = text.encode("utf-8", "surrogatepass")
    return gzip.compress(content, mtime=0) if form == "tsv.gz" else content


@lru_cache(maxsize=1)
def metric_of(recipe: Recipe, signature: str) -> SegmentMetric:
    """Return this process's copy of a metric.

    Raises:
        WorkerFaultError: It cannot be made here, or has another signature.
    """
    module, _, name = recipe.maker.partition(":")
    try:
        metric: SegmentMetric = getattr(import_module(module), name)(recipe.text)
        found = metric.get_signature(1)
    except PfsmError as error:
        raise WorkerFaultError(f"cannot score: {error}") from None
    if found != signature:
        raise WorkerFaultError(f"has other resources or packages: its signature is {found}, here {signature}")
    return metric


def sizes_below(folder: Place) -> dict[str, int]:
    """Return the size in bytes of each file below a folder; remove temporary files that killed processes left."""
    found = folder.system.find(folder.path, detail=True)
    for path in [path for path in found if f"/{TEMPORARY}" in path]:
        folder.system.rm_file(path)
        del found[path]
    return {path.removeprefix(f"{folder.path}/"): int(about["size"]) for path, about in found.items()}


def _write(folder: Place, name: str, content: bytes) -> None:
    """Write a file below a folder under a temporary name and rename it; folders above it are created."""
    target = f"{folder.path}/{name}"
    parent = target.rpartition("/")[0]
    temporary = f"{parent}/{TEMPORARY}{secrets.token_hex(8)}.tmp"
    try:
        folder.system.makedirs(parent, exist_ok=True)
        folder.system.pipe_file(temporary, content)
        folder.system.mv(temporary, target)
    except OSError as error:
        raise PfsmError(f"{folder.label}/{name}: cannot be written ({error.strerror or error})") from None
