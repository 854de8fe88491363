"""Files wherever fsspec reaches: which there are, opening them, and writing them whole or not at all."""

import errno
import io
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from pfsm.errors import PfsmError
from pfsm.io.files import gzip_explained
from pfsm.io.temporaries import replace_whole

SUFFIXES = (".tsv", ".tsv.gz", ".tsv.zst", ".parquet")
# Stores where a written object is there whole, or is not there.
WHOLE_OBJECTS = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "memory", "oss"})
FINAL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})
_FINAL_KINDS = (PermissionError, NotADirectoryError, FileExistsError, IsADirectoryError)
_WILD = frozenset("*?[")


@dataclass(frozen=True)
class InputFile:
    """A file to be read.

    Attributes:
        address: As it is opened, wherever the worker was started: no relative path.
        label: What messages call it: as the user spelled it.
        name: Below the folder that was given, ``/`` between folders; the file's own name where no folder was.
    """

    address: str
    label: str
    name: str


def file_system(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it."""
    import fsspec  # noqa: PLC0415 - comes with the extra

    try:
        system, path = fsspec.core.url_to_fs(address)
    except (ValueError, ImportError) as error:
        raise PfsmError(f"{address}: {str(error).partition(chr(10))[0]}") from None
    return system, path


def input_files(address: str) -> list[InputFile]:
    """The files that an address means: itself, those that match its wildcards, or those below a folder.

    Below a folder it is those whose names end in one of ``SUFFIXES``, but for names that begin with ``_`` or ``.``;
    in the order of their names.
    """
    system, path = file_system(address)
    with _reading(address):
        if _WILD & set(path) and not system.exists(path):
            found, root = [str(one) for one in system.glob(path) if system.isfile(one)], _fixed_part(path)
        elif system.isdir(path):
            found, root = [str(one) for one in system.find(path) if _is_input(one, path)], path
        elif system.isfile(path):
            found, root = [path], str(PurePosixPath(path).parent)
        else:
            raise PfsmError(f"{address}: no such file or folder")
    if not found:
        raise PfsmError(f"{address}: no files with names in {', '.join(SUFFIXES)}")
    return [InputFile(*_addressed(one, system, address), _below(one, root)) for one in sorted(found)]


def folder_path(address: str) -> str | None:
    """The path of a folder in its file system; None for anything but a folder."""
    system, path = file_system(address)
    with _reading(address):
        return path.rstrip("/") if system.isdir(path) else None


def identity(file: InputFile) -> str:
    """What changes when the file does: its size, its time of change, or the store's checksum, digested."""
    system, path = file_system(file.address)
    with _reading(file.label):
        return str(system.ukey(path))[:16]


@contextmanager
def reading(file: InputFile) -> Iterator[BinaryIO]:
    """The file's content, decompressed where its name ends in ``.gz`` or ``.zst``."""
    system, path = file_system(file.address)
    with _reading(file.label), gzip_explained(file.label), system.open(path, "rb") as raw:
        if path.endswith(".gz"):
            import gzip  # noqa: PLC0415 - only where it is needed

            with gzip.GzipFile(fileobj=raw, mode="rb") as unpacked:
                yield unpacked  # type: ignore[misc]
        elif path.endswith(".zst"):
            with _zstandard(raw, file.label) as unpacked:
                yield unpacked
        else:
            yield raw


@contextmanager
def _zstandard(raw: Any, address: str) -> Iterator[Any]:
    import pyarrow as pa  # noqa: PLC0415 - large

    try:
        with pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd") as stream:
            yield io.BufferedReader(stream)
    except OSError as error:
        if error.errno is not None:
            raise
        raise PfsmError(f"{address}: the zstd data is damaged; copy or download the file again") from None


def size_of(file: InputFile) -> int:
    """Bytes of a file, as it is stored."""
    system, path = file_system(file.address)
    with _reading(file.label):
        return int(system.size(path))


def absolute(address: str) -> str:
    """The address of a folder wherever the worker was started."""
    return address if "://" in address or "::" in address else str(Path(address).absolute())


def sizes_below(address: str) -> dict[str, int]:
    """Bytes of every file below a folder by its name there; none where there is no such folder."""
    system, path = file_system(address)
    with _reading(address):
        if not system.isdir(path):
            return {}
        found = system.find(path, detail=True)
    return {_below(one, path): int(details["size"]) for one, details in found.items()}


def below(folder: str, name: str) -> str:
    """The address of a file below a folder."""
    return f"{folder.rstrip('/')}/{name}"


def _protocols(system: Any) -> set[str]:
    return {system.protocol} if isinstance(system.protocol, str) else set(system.protocol)


def write_whole(address: str, content: bytes) -> None:
    """Writes a file that is there whole or not at all; folders above it are made."""
    system, path = file_system(address)
    protocols = _protocols(system)
    try:
        if "file" in protocols:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            replace_whole(Path(path), content)
        elif protocols & WHOLE_OBJECTS:
            system.pipe_file(path, content)
        else:
            parent, _, name = path.rpartition("/")
            temporary = f"{parent}/.pfsm-{secrets.token_hex(8)}-{name}"
            system.makedirs(parent, exist_ok=True)
            system.pipe_file(temporary, content)
            system.mv(temporary, path)
    except OSError as error:
        # Another attempt helps against a network that fails, not against a full disk.
        if error.errno not in FINAL and not isinstance(error, _FINAL_KINDS):
            raise
        raise PfsmError(f"{address}: cannot be written ({error.strerror or error})") from None


@contextmanager
def _reading(address: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise PfsmError(f"{address}: no such file") from None
    except PermissionError:
        raise PfsmError(f"{address}: no permission to read it") from None


def _is_input(path: str, root: str) -> bool:
    parts = PurePosixPath(_below(path, root)).parts
    return path.endswith(SUFFIXES) and not any(part.startswith(("_", ".")) for part in parts)


def _below(path: str, root: str) -> str:
    name = path.removeprefix(root.rstrip("/")).lstrip("/")
    return name or PurePosixPath(path).name


def _fixed_part(path: str) -> str:
    """The folder above the first wildcard."""
    parts = path.split("/")
    fixed = next(number for number, part in enumerate(parts) if _WILD & set(part))
    return "/".join(parts[:fixed])


def _addressed(path: str, system: Any, given: str) -> tuple[str, str]:
    """A found file's address, and what the user would call it."""
    if "://" in given or "::" in given:
        address = str(system.unstrip_protocol(path))
        return address, address
    return path, path if Path(given).is_absolute() else os.path.relpath(path)


def read_small(address: str) -> bytes | None:
    """The content of a small file; None where there is none."""
    system, path = file_system(address)
    with _reading(address):
        return bytes(system.cat_file(path)) if system.isfile(path) else None
