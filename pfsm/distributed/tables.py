"""Tables read whole, from wherever fsspec reaches: judgments for training and evaluation."""

from collections.abc import Sequence

from pfsm.data.table import Table, read_table, table_from_bytes
from pfsm.distributed import need_packages
from pfsm.distributed.addresses import InputFile, input_files, reading
from pfsm.errors import PfsmError
from pfsm.io.limits import read_limited


def read_tables(addresses: Sequence[str], *, anywhere: bool) -> list[Table]:
    """The tables of files, in the order given.

    Args:
        addresses: Paths of files; if ``anywhere`` also folders, patterns with wildcards, Parquet, addresses of fsspec.
        anywhere: Whether more than files of this machine will do.

    Raises:
        PfsmError: A file cannot be read, or is not a table.
    """
    if not anywhere:
        return [read_table(address) for address in addresses]
    need_packages()
    return [_table(file) for address in addresses for file in input_files(address)]


def _table(file: InputFile) -> Table:
    if file.address.endswith(".parquet"):
        from pfsm.distributed.parquet import read_whole  # noqa: PLC0415 - brings PyArrow

        return read_whole(file)
    try:
        with reading(file) as stream:
            content = read_limited(stream, file.label)
    except OSError as error:
        raise PfsmError(f"{file.label}: cannot be read ({error.strerror or error})") from None
    return table_from_bytes(content, file.label)
