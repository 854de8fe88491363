"""Faults of input files, each reported in one line."""

import contextlib
import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path

from pfsm.errors import PfsmError

StrPath = str | os.PathLike[str]

STANDARD_INPUT = "-"
_PARQUET_MAGIC = b"PAR1"
# Control characters that never occur in text. In every Parquet file the next byte is 0x15, the first field of a page or
# of the footer.
_CONTROLS = frozenset(range(0x20)) - frozenset(b"\t\n\v\f\r")


def display_name(path: StrPath) -> str:
    """The name that messages use for a path: the path as given, or ``standard input`` for ``-``."""
    name = os.fspath(path)
    return "standard input" if name == STANDARD_INPUT else name or "''"


@contextlib.contextmanager
def reading_explained(path: StrPath) -> Iterator[None]:
    """Turn the system's refusal to read a file into one line.

    Raises:
        PfsmError: inside the block the file proved missing, a folder, or not readable.
    """
    name = display_name(path)
    try:
        yield
    except FileNotFoundError:
        raise PfsmError(f"{name}: no such file") from None
    except IsADirectoryError:
        raise PfsmError(f"{name}: is a folder, a file is needed") from None
    except PermissionError:
        reason = "is a folder, a file is needed" if _is_folder(path) else "no permission to read it"
        raise PfsmError(f"{name}: {reason}") from None
    except OSError as error:
        raise PfsmError(f"{name}: cannot be read ({error.strerror or error})") from None
    except ValueError as error:  # a NUL byte in the path
        raise PfsmError(f"{name!r}: cannot be read ({error})") from None


@contextlib.contextmanager
def gzip_explained(name: str) -> Iterator[None]:
    """Turn what is wrong with gzip data into one line.

    Raises:
        PfsmError: inside the block the data proved truncated or corrupt.
    """
    try:
        yield
    except EOFError:
        fault = "truncated"
    except (gzip.BadGzipFile, zlib.error) as error:
        fault = f"corrupt ({error})"
    else:
        return
    raise PfsmError(f"{name}: the gzip data is {fault}; copy or download the file again")


def check_text(content: bytes, name: str, needed: str = "") -> None:
    """Refuses a Parquet file where text is needed, and says which commands read Parquet.

    Args:
        content: The first eight bytes or more; fewer if the file or its first line is shorter. Four of them do not
            suffice, since text may begin with the letters PAR1 too: a gene has that name.
        name: What messages call the file.
        needed: The kind of file that is needed, such as "a YAML file"; empty for data.

    Raises:
        PfsmError: If it is Parquet.
    """
    if not content.startswith(_PARQUET_MAGIC) or _CONTROLS.isdisjoint(content[4:8]):
        return
    if needed:
        raise PfsmError(f"{name}: is Parquet, {needed} is needed")
    raise PfsmError(
        f"{name}: is Parquet; score it with `pfsm score --table … --output DIR`, give evaluate and train "
        "`--scheduler local:1`, or write it as TSV"
    )


def is_file(path: StrPath) -> bool:
    """Whether the path is a file; False where the system cannot tell (name too long, folder not readable)."""
    try:
        return Path(path).is_file()
    except OSError:
        return False


def _is_folder(path: StrPath) -> bool:
    """Whether the path is a folder; False where the system cannot tell (`Path.is_dir` raises then)."""
    try:
        return stat.S_ISDIR(Path(path).stat().st_mode)
    except OSError:
        return False
