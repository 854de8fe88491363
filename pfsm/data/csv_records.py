"""Records of CSV files by RFC 4180, with the line on which each begins."""

import csv
from collections.abc import Iterable, Iterator

from pfsm.errors import PfsmError


def csv_records(lines: Iterable[str], name: str) -> Iterator[tuple[int, list[str]]]:
    r"""Each record of a CSV with the line on which it begins; the first line is line 1.

    Args:
        lines: the lines of the file without their ``\n``; a ``\r`` at the end stays.
        name: what messages call the file.

    Raises:
        PfsmError: a NUL character, or quotes that RFC 4180 does not allow.
    """
    reader = csv.reader(_csv_lines(lines, name), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise PfsmError(f"{name}:{line}: {_csv_fault(error)}") from None
        yield line, record


def _csv_lines(lines: Iterable[str], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if "\0" in line:
            raise PfsmError(f"{name}:{number}: a NUL character, which a CSV file cannot hold; remove it")
        yield f"{line}\n"


def _csv_fault(error: csv.Error) -> str:
    """What is wrong with the record that begins on this line, and the fix."""
    reason = str(error)
    if "unexpected end of data" in reason or "field larger than" in reason:
        return "a quoted field that begins in this row never ends; close it, and write quotes inside it twice"
    if "expected after" in reason:
        return "text after the end of a quoted field; write quotes inside a quoted field twice"
    if "new-line character" in reason:
        return "a carriage return inside an unquoted field; quote the field or remove it"
    return f"not a CSV row ({reason})"
