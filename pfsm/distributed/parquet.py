"""Parquet: row groups, rows of a partition as a table, scores out."""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pfsm.data.parallel import pairs_from_table
from pfsm.data.table import COMET_NAMES, Table
from pfsm.distributed.addresses import InputFile, file_system, read_small
from pfsm.errors import PfsmError
from pfsm.io.files import content_checksum
from pfsm.io.limits import FILE, LINE, check_size

# Rows decoded at a time.
BATCH_ROWS = 8192


def row_groups(file: InputFile) -> list[tuple[int, int]]:
    """Rows and uncompressed bytes of each row group, from the file's footer."""
    with _opened(file) as parquet:
        pairs_from_table(_table(file, dict.fromkeys(parquet.schema_arrow.names, ()), 0))
        metadata = parquet.metadata
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        return [(int(group.num_rows), int(group.total_byte_size)) for group in groups]


def read_rows(file: InputFile, row_group: int, start: int, stop: int, wanted: Callable[[str], bool]) -> Table:
    """Some rows of a row group.

    Args:
        file: The file.
        row_group: Which row group.
        start: First row in it.
        stop: Behind the last.
        wanted: Whether a column of this name is wanted.
    """
    with _opened(file) as parquet:
        metadata = parquet.metadata
        first = sum(metadata.row_group(number).num_rows for number in range(row_group))
        names = [name for name in parquet.schema_arrow.names if wanted(name)]
        batches = parquet.iter_batches(BATCH_ROWS, row_groups=[row_group], columns=names)
        kept = list(_between(batches, start, stop))
        table = pa.Table.from_batches(kept) if kept else parquet.schema_arrow.empty_table().select(names)
    fields = {name: _text(file, name, table.column(name), first + start) for name in names}
    return _table(file, fields, stop - start, first + start)


def read_whole(file: InputFile) -> Table:
    """All rows and columns of text and numbers; the checksum covers the file."""
    with _opened(file) as parquet:
        metadata = parquet.metadata
        groups = range(metadata.num_row_groups)
        check_size(sum(metadata.row_group(group).total_byte_size for group in groups), file.label, FILE)
        table = parquet.read()
    fields = {name: _text(file, name, table.column(name), 0) for name in table.column_names}
    content = read_small(file.address) or b""
    return _table(file, fields, table.num_rows, 0, content_checksum(content))


def _between(batches: Iterator[Any], start: int, stop: int) -> Iterator[Any]:
    position = 0
    for batch in batches:
        low, high = max(start, position), min(stop, position + batch.num_rows)
        if low < high:
            yield batch.slice(low - position, high - low)
        position += batch.num_rows
        if position >= stop:
            return


def _text(file: InputFile, name: str, column: Any, first: int) -> list[str]:
    """A column as strings, numbers written out."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise PfsmError(f"{file.label}: row {first + row + 1}: {name} is null; every row needs one")
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        check_size(pc.max(pc.binary_length(column)).as_py() or 0, f"{file.label}: column {name!r}", LINE)
        return list(column.to_pylist())
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return list(map(str, column.to_pylist()))
    raise PfsmError(f"{file.label}: column {name!r} is of type {column.type}, text is needed")


def _table(file: InputFile, fields: dict[str, Any], rows: int, first: int = 0, checksum: str = "") -> Table:
    columns = dict(fields)
    for theirs, ours in COMET_NAMES.items():
        if theirs in columns:
            columns.setdefault(ours, columns[theirs])
    return Table(file.label, columns, range(first + 1, first + rows + 1), checksum)


@contextmanager
def _opened(file: InputFile) -> Iterator[Any]:
    system, path = file_system(file.address)
    try:
        with system.open(path, "rb") as raw, pq.ParquetFile(raw) as parquet:
            yield parquet
    except FileNotFoundError:
        raise PfsmError(f"{file.label}: no such file") from None
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = str(error).partition("\n")[0].rstrip(".")
        raise PfsmError(f"{file.label}: damaged, or not Parquet ({reason})") from None


def parquet_bytes(columns: dict[str, Sequence[str]], scores: Any) -> bytes:
    """A Parquet file of text columns and float64 scores."""
    arrays = {name: pa.array(list(fields), pa.string()) for name, fields in columns.items()}
    buffer = io.BytesIO()
    pq.write_table(pa.table({**arrays, "score": pa.array(scores, pa.float64())}), buffer, compression="zstd")
    return buffer.getvalue()
