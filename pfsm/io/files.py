r"""Reading and writing of text files: UTF-8, plain or gzip, lines that end at a line feed only; faults in one line.

Python's own text mode ends lines at bare carriage returns, and ``str.splitlines`` at a dozen further characters
(U+2028, U+0085, form feed …) that occur inside real segments. Parallel files would fall out of step. Here a line ends
at ``\n``; one ``\r`` before it is dropped.
"""

import contextlib
import errno
import gzip
import hashlib
import io
import os
import re
import secrets
import stat
import sys
import unicodedata
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Literal, TextIO, cast

from pfsm.errors import PfsmError
from pfsm.io.limits import FILE, Limit, check_lines, check_size, read_limited

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
    """Turn the system's refusal to read a file into one line."""
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
    """Turn what is wrong with gzip data into one line."""
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
    """
    if not content.startswith(_PARQUET_MAGIC) or _CONTROLS.isdisjoint(content[4:8]):
        return
    if needed:
        raise PfsmError(f"{name}: is Parquet, {needed} is needed")
    raise PfsmError(
        f"{name}: is Parquet; score it with `pfsm score --table … --output DIR`, or write it as TSV"
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


_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
_GZIP_MAGIC = b"\x1f\x8b"
# What other compressed files begin with, none of which is UTF-8 text: the kind, and what unpacks it.
_PACKED = {
    b"\xfd7zXZ\0": ("xz", "xz -d"),
    b"BZh": ("bzip2", "bzip2 -d"),
    b"\x28\xb5\x2f\xfd": ("Zstandard", "zstd -d"),
    b"PK\x03\x04": ("ZIP", "unzip"),
    b"7z\xbc\xaf\x27\x1c": ("7-Zip", "7z x"),
}
# Paths that stand for an open stream: renaming a finished file over them would miss their reader.
_STREAM_FOLDERS = ("/dev/fd/", "/dev/std", "/proc/")
_TEMPORARY = ".pfsm-"
_FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def read_bytes(path: StrPath, limit: Limit = FILE) -> bytes:
    """Read a whole file (``-``: standard input) and decompress it if it is gzip; at most ``limit``, decompressed.

    Gzip is recognised by its first two bytes, whatever the file is called; no UTF-8 text begins with them.
    """
    name = display_name(path)
    with reading_explained(path):
        content = _standard_input(limit) if os.fspath(path) == STANDARD_INPUT else _file_content(path, limit)
    if content.startswith(_GZIP_MAGIC):
        with gzip_explained(name), gzip.GzipFile(fileobj=io.BytesIO(content)) as unpacked:
            return read_limited(cast("BinaryIO", unpacked), name, limit, len(content))
    for magic, (kind, program) in _PACKED.items():
        # Text may begin with the letters BZh; what follows them in bzip2 is a digit and the digits of pi.
        if content.startswith(magic) and (magic != b"BZh" or content[4:7] == b"1AY"):
            raise PfsmError(f"{name}: is {kind}, which is not read; unpack it with `{program}`, or use gzip")
    if name.endswith(".gz"):
        if not content:
            raise PfsmError(f"{name}: the file is empty, not even gzip's header is in it; copy it again")
        raise PfsmError(f"{name}: not gzip data though its name ends in .gz; rename it or copy it again")
    return content


def _file_content(path: StrPath, limit: Limit) -> bytes:
    """A file's bytes as they are stored; a pipe is read no further than it may go."""
    with Path(path).open("rb") as handle:
        status = os.fstat(handle.fileno())
        if not stat.S_ISREG(status.st_mode):
            return read_limited(handle, display_name(path), limit)
        check_size(status.st_size, display_name(path), limit)
        return handle.read()


def _standard_input(limit: Limit) -> bytes:
    """All of standard input; a stand-in without a byte buffer (a StringIO) is read as text."""
    if sys.stdin is None:
        raise PfsmError("standard input: is closed; give a file")
    buffer: BinaryIO | None = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        return sys.stdin.read().encode("utf-8", "surrogateescape")
    return read_limited(buffer, display_name(STANDARD_INPUT), limit)


def decode(content: bytes, name: str, needed: str = "") -> str:
    """Decode UTF-8, without a byte order mark at the start.

    Args:
        content: the bytes of the file, decompressed.
        name: what messages call the file.
        needed: the kind of file that is needed, such as "a YAML file"; empty for data.
    """
    check_text(content, name, needed)
    # Without a mark, ASCII in UTF-16 has every other byte empty, and would be UTF-8 with NUL characters.
    if content.startswith(_WIDE_BOMS) or (content[:8:2] + content[1:8:2]).count(b"\0\0\0\0") == 1:
        raise PfsmError(f"{name}:1: not UTF-8 but UTF-16 or UTF-32; convert the file to UTF-8")
    content = content.removeprefix(_BOM)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        position = error.start - content.rfind(b"\n", 0, error.start)
        raise PfsmError(
            f"{name}:{line}: not UTF-8 (byte 0x{content[error.start]:02x} at position {position}); "
            "convert the file to UTF-8"
        ) from None


def split_lines(text: str) -> list[str]:
    r"""Split at ``\n`` only, and drop one ``\r`` from the end of each line; the last line may lack its ``\n``."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def each_line(text: str) -> Iterator[str]:
    """The lines of `split_lines`, one at a time, so that a large file is not in memory twice."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end].removesuffix("\r")
        start = end + 1


def read_text(path: StrPath, needed: str = "") -> str:
    """The text of a UTF-8 file, gzip or plain (``-``: standard input), without a byte order mark at the start.

    Args:
        path: the file.
        needed: the kind of file that is needed, such as "a YAML file"; empty for data.
    """
    content = read_bytes(path)
    check_lines(content, display_name(path))
    return decode(content, display_name(path), needed)


def read_lines(path: StrPath, needed: str = "") -> list[str]:
    r"""The lines of `read_text`; arguments and errors as there.

    A line ends at ``\n`` and nowhere else; one ``\r`` at its end is dropped. NUL bytes are text. An empty file has no
    lines.
    """
    return split_lines(read_text(path, needed))


def is_inside(name: StrPath) -> bool:
    """Whether a path that a file names stays inside the folder that it is relative to."""
    path = Path(name)
    return not path.anchor and ".." not in path.parts


def one_line(text: str) -> str:
    """Return a text as one line: line ends inside, as fields of JSON and CSV may have, become spaces."""
    return re.sub(r"\r\n?|\n", " ", text)


def content_checksum(content: bytes) -> str:
    """SHA-256 of the bytes, 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def checksum(path: StrPath) -> str:
    """SHA-256 of a file's decompressed content, 64 hexadecimal digits: the same for a file and its gzip."""
    return content_checksum(read_bytes(path))


@contextlib.contextmanager
def atomic_write(path: StrPath) -> Iterator[TextIO]:
    r"""Open a text file (UTF-8, ``\n``) that replaces ``path`` only when the block ends without an exception.

    The text goes to a temporary file in the same folder, which is flushed to disk and renamed; any exception,
    KeyboardInterrupt included, deletes it and leaves what was at ``path`` untouched. A new file gets the
    permissions that the umask gives, a replaced one keeps its own. A symbolic link stays one: the file it
    points to is replaced. A name that ends in ``.gz`` is compressed, the same text always to the same bytes.
    Pipes and devices (``/dev/stdout``, ``/dev/null``) cannot be replaced and are written to directly.
    """
    name = os.fspath(path)
    compress = name.endswith(".gz")
    if is_stream(path):
        with _explained(name), _text_file(Path(path), "ab", compress) as text:
            yield text
        return
    with _explained(name):
        target = _replaceable(path)
    with _explained(name), _temporary_beside(target) as temporary:
        with _text_file(temporary, "wb", compress) as text:
            yield text
        with contextlib.suppress(OSError):  # a private file stays private
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    _sync_folder(target.parent)


@contextlib.contextmanager
def _temporary_beside(target: Path) -> Iterator[Path]:
    """A name in the folder of ``target`` for a file to be filled and renamed; no such file is left at the end."""
    path = target.parent / f"{_TEMPORARY}{secrets.token_hex(8)}.tmp"
    try:
        yield path
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def replace_whole(target: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all."""
    with _temporary_beside(target) as temporary:
        with temporary.open("wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(target)


def check_writable(path: StrPath) -> None:
    """Find out before long work whether `atomic_write` will be able to write there."""
    if is_stream(path):
        return
    with _explained(os.fspath(path)):
        target = _replaceable(path)
    if not _may_write(target.parent):
        raise PfsmError(f"{target.parent}: no permission to write into this folder")


def is_stream(path: StrPath) -> bool:
    """Whether the path is a pipe, a device or another thing that is neither file nor folder."""
    if os.fspath(path).startswith(_STREAM_FOLDERS):
        return True
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _replaceable(path: StrPath) -> Path:
    """The file that the rename has to replace, links followed; refuses a path that cannot be replaced."""
    name = os.fspath(path)
    if name in {"", STANDARD_INPUT} or "\0" in name:
        raise PfsmError(f"output {name!r}: is not a file name; give the name of a file")
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise PfsmError(f"{name}: is a folder, a file name is needed")
    if target.is_symlink():
        raise PfsmError(f"{name}: a symbolic link that points to itself; remove it first")
    if not target.parent.is_dir():
        folder = target.parent if Path(path).is_symlink() else Path(path).parent
        reason = "is not a folder" if folder.exists() else "no such folder; create it first"
        raise PfsmError(f"{folder}: {reason}")
    if target.exists() and not _may_write(target):
        raise PfsmError(f"{name}: no permission to write it")
    return target


def _may_write(target: Path) -> bool:
    return os.access(target, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


@contextlib.contextmanager
def _explained(name: str) -> Iterator[None]:
    """Turn the system's refusal to create or fill the output file into one line."""
    try:
        yield
    except OSError as error:
        failed = Path(str(error.filename))
        # An error that names another file comes from something else that the block does.
        ours = failed.name.startswith(_TEMPORARY) or failed in {Path(name), Path(os.path.realpath(name))}
        if ours and isinstance(error, PermissionError):
            raise PfsmError(f"{name}: no permission to write it") from None
        if ours or error.errno in _FULL_DISK:
            raise PfsmError(f"{name}: cannot be written ({error.strerror})") from None
        raise


@contextlib.contextmanager
def _text_file(path: Path, mode: Literal["ab", "wb"], compress: bool) -> Iterator[TextIO]:
    """A text handle on a binary file; the text is on disk once the block has ended without an error."""
    with path.open(mode) as raw:
        # No name and no time in the gzip header: equal text must give equal bytes.
        packed = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) if compress else raw
        text = io.TextIOWrapper(packed, encoding="utf-8", newline="\n")
        try:
            yield text
            text.flush()
            if compress:
                text.close()
                raw.flush()
            if stat.S_ISREG(os.fstat(raw.fileno()).st_mode):
                os.fsync(raw.fileno())
        except BaseException:
            with contextlib.suppress(OSError, ValueError):
                text.close()
            raise
        text.close()


def _sync_folder(folder: Path) -> None:
    """Put the rename itself on disk, where the system can open folders."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# Categories of Unicode: control characters, lone surrogates, line and paragraph separators.
_CONTROL = frozenset({"Cc", "Cs", "Zl", "Zp"})


def is_line(text: object) -> bool:
    """Whether it is a line of text: not blank, without tabs, line ends and other control characters."""
    return (
        isinstance(text, str) and bool(text.strip()) and _CONTROL.isdisjoint(map(unicodedata.category, text))
    )
