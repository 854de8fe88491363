"""Lines, checksums, Parquet; atomic writing: all or nothing, with permissions and links, and nothing left behind."""

import gzip
import hashlib
import io
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write, check_writable, checksum, read_bytes, read_lines
from pfsm.io.named_resources import user_folder


def message(path: Path | str) -> str:
    with pytest.raises(PfsmError) as caught:
        read_lines(path)
    text = str(caught.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a\nb", ["a", "b"]),
        (b"a\n\nb\n", ["a", "", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\r\nb\r", ["a\r", "b"]),
        (b"a\rb\n", ["a\rb"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        (b"\xef\xbb\xbf", []),
        (b"\xef\xbb\xbf\xef\xbb\xbfa\n", ["\ufeffa"]),
        (b"a\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        (b"a\0b\n\0\n", ["a\0b", "\0"]),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\n".encode(), ["a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"]),
    ],
)
@pytest.mark.parametrize("name", ["x.txt", "x.txt.gz", "x.bin"])
def test_lines_end_at_line_feeds_only(content: bytes, lines: list[str], name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content if name == "x.txt" else gzip.compress(content))
    assert read_lines(path) == lines


def test_gzip_of_several_members_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b"a\nb") + gzip.compress(b"c\nd\n"))
    assert read_lines(path) == ["a", "bc", "d"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (b"a\r\n\xc3\xa9\x0b\n", gzip.compress(b"a\r\n\xc3\xa9\x0b\n")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content), encoding="ascii"))
        assert read_lines("-") == ["a", "é\x0b"]


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"ok\n" * 16 + b"hello world\xff\n", "17: not UTF-8 (byte 0xff at position 12)"),
        ("é\né".encode() + b"\xe9t\xe9\n", "2: not UTF-8 (byte 0xe9 at position 3)"),
        (b"\xef\xbb\xbfab\x80", "1: not UTF-8 (byte 0x80 at position 3)"),
        (b"a\n\xed\xa0\x80\n", "2: not UTF-8 (byte 0xed at position 1)"),
        ("a\n".encode("utf-16"), "1: not UTF-8 but UTF-16 or UTF-32"),
        ("ab\n".encode("utf-16-be") * 2, "1: not UTF-8 but UTF-16 or UTF-32"),
    ],
)
@pytest.mark.parametrize("name", ["x.txt", "x.txt.gz"])
def test_bytes_that_are_not_utf8(content: bytes, where: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert message(path) == f"{path}:{where}; convert the file to UTF-8"


def test_every_truncation_of_a_gzip_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    whole = gzip.compress(b"a line\n" * 50)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        expected = ("the file is empty", "not gzip data", "the gzip data is truncated")[min(length, 2)]
        assert message(path).startswith(f"{path}: {expected}"), length


def test_checksum_is_that_of_the_decompressed_bytes(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbfa\r\nb\xff\n"
    expected = hashlib.sha256(content).hexdigest()
    (tmp_path / "x").write_bytes(content)
    (tmp_path / "x.gz").write_bytes(gzip.compress(content, mtime=7))
    assert checksum(tmp_path / "x") == checksum(tmp_path / "x.gz") == expected
    assert message(tmp_path / "y") == f"{tmp_path / 'y'}: no such file"
    assert message(tmp_path) == f"{tmp_path}: is a folder, a file is needed"


GENES = ["PAR1 is a receptor.\nIt has a tail.\n", "PAR1\tF2R\n", "PAR1\n", "PAR1", "PAR1-é\n", "PAR1\r\nPAR1"]
# Pages, or the footer of a file without rows: in either a field of 32 bits comes first.
PARQUET = [b"PAR1\x15\x04\x15\x10\x4c\x00\xffPAR1", b"PAR1\x15\x02\n\x19\x00\x00\x00PAR1", b"PAR1\x15\n\n\n"]


@pytest.mark.parametrize("source", ["x.txt", "x.gz", "-"])
def test_a_gene_is_no_parquet(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def offered(content: bytes) -> str:
        if source == "-":
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
            return source
        (tmp_path / source).write_bytes(gzip.compress(content) if source == "x.gz" else content)
        return str(tmp_path / source)

    for text in GENES:
        assert read_lines(offered(text.encode())) == text.splitlines()
    for content in PARQUET:
        with pytest.raises(PfsmError, match="is Parquet; score it with"):
            read_lines(offered(content))


def test_the_users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("PFSM_RESOURCES", raising=False)
    assert user_folder() == tmp_path / ".cache" / "pfsm"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert user_folder() == tmp_path / "cache" / "pfsm"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # which the standard says to ignore
    assert user_folder() == tmp_path / ".cache" / "pfsm"
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "mine"))
    assert user_folder() == tmp_path / "mine"


def only(folder: Path, *names: str) -> None:
    """Nothing but the named files is in the folder: no temporary file stayed behind."""
    assert sorted(entry.name for entry in folder.iterdir()) == sorted(names)


@pytest.mark.parametrize("exception", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("name", ["x.txt", "x.txt.gz"])
@pytest.mark.parametrize("before", [None, b"old\n"])
def test_an_exception_leaves_everything_as_it_was(
    exception: type[BaseException], name: str, before: bytes | None, tmp_path: Path
) -> None:
    path = tmp_path / name
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(exception), atomic_write(path) as handle:  # noqa: PT012 - the block is what is tested
        handle.write("new\n" * 10_000)
        raise exception
    only(tmp_path, *([name] if before is not None else []))
    assert before is None or path.read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX's")
@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_a_new_file_has_the_umasks_permissions(umask: int, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        with atomic_write(tmp_path / "x") as handle:
            handle.write("a")
        (tmp_path / "plain").write_text("a")
    finally:
        os.umask(before)
    mode = stat.S_IMODE((tmp_path / "x").stat().st_mode)
    assert mode == 0o666 & ~umask == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_gzip_bytes_repeat(tmp_path: Path) -> None:
    for name in ("x.gz", "y.gz"):
        with atomic_write(tmp_path / name) as handle:
            handle.write("é\n" * 1000)
    content = (tmp_path / "x.gz").read_bytes()
    assert content == (tmp_path / "y.gz").read_bytes()
    assert content[3:8] == bytes(5)  # RFC 1952: no flags, so no name, and no modification time
    assert gzip.decompress(content) == "é\n".encode() * 1000 == read_bytes(tmp_path / "x.gz")


def test_a_link_stays_and_its_file_is_replaced_with_its_permissions(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    file, link = tmp_path / "far" / "file", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to("far/file")
    with atomic_write(link) as handle:
        handle.write("new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert sys.platform == "win32" or stat.S_IMODE(file.stat().st_mode) == 0o640
    only(tmp_path / "far", "file")


@pytest.mark.parametrize("name", ["x.txt", "x.txt.gz"])
def test_the_file_is_on_disk_before_it_gets_its_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    fsync = os.fsync

    def recorded(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            assert not (tmp_path / name).exists()
            sizes.append(os.fstat(descriptor).st_size)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", recorded)
    with atomic_write(tmp_path / name) as handle:
        handle.write("text\n" * 100)
    assert sizes == [(tmp_path / name).stat().st_size]


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd here")
def test_a_pipe_is_written_to() -> None:
    reader, writer = os.pipe()
    with atomic_write(f"/dev/fd/{writer}") as handle:
        handle.write("é\n")
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        assert stream.read() == "é\n".encode()


# No test writes to /dev/null or its like: were the code wrong, it would replace the device of a root user.
KILLED = """
import os, signal, sys
from pathlib import Path
from pfsm.io.files import atomic_write
end = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
Path.replace = os.replace = os.rename = end
if sys.argv[2] == "inside":
    with atomic_write(sys.argv[1]) as handle:
        handle.write("new\\n" * 100000)
        handle.flush()
        end()
with atomic_write(sys.argv[1]) as handle:
    handle.write("new\\n")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize(
    ("when", "before"), [("inside", "old\n"), ("before the rename", "old\n"), ("before the rename", None)]
)
def test_a_killed_process_leaves_what_was_there(tmp_path: Path, before: str | None, when: str) -> None:
    path = tmp_path / "x.txt"
    if before is not None:
        path.write_text(before)
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), when], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (path.read_text() if path.exists() else None) == before


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder that everyone may enter, and a user whom permissions bind (root is bound by none)."""
    if sys.platform == "win32":
        pytest.skip("permissions are POSIX's")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if is_root:
                os.seteuid(0)
            folder.chmod(0o777)


def test_writing_is_refused_beforehand_where_it_would_fail(unprivileged: Path) -> None:
    (unprivileged / "kept").write_text("old")
    (unprivileged / "kept").chmod(0o444)
    closed = unprivileged / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    check_writable(unprivileged / "new")
    only(unprivileged, "closed", "kept")
    for path, expected in (
        (unprivileged / "kept", f"{unprivileged / 'kept'}: no permission to write it"),
        (closed / "x", f"{closed}: no permission to write into this folder"),
        (closed, f"{closed}: is a folder, a file name is needed"),
        (unprivileged / "no" / "x", f"{unprivileged / 'no'}: no such folder; create it first"),
    ):
        with pytest.raises(PfsmError) as caught:
            check_writable(path)
        assert str(caught.value) == expected
    with pytest.raises(PfsmError, match=r"closed/x: no permission to write it$"), atomic_write(closed / "x"):
        pass
    only(closed)
    (unprivileged / "kept").chmod(0)
    with pytest.raises(PfsmError, match=r"kept: no permission to read it$"):
        read_lines(unprivileged / "kept")
    with pytest.raises(PfsmError, match=r"^output '-': is not a file name; give the name of a file$"):
        check_writable("-")


WRITER = """
import sys
from pfsm.io.files import atomic_write
with atomic_write(sys.argv[1]) as handle:
    handle.write("new\\n")
    handle.flush()
    print("writing", flush=True)
    sys.stdin.readline()
"""


def writer(path: Path) -> "subprocess.Popen[str]":
    """A process in the middle of writing; a line on its standard input ends it."""
    command = [sys.executable, "-c", WRITER, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    return process


def test_two_processes_write_the_same_file(tmp_path: Path) -> None:
    with writer(tmp_path / "a.txt") as process:
        (theirs,) = tmp_path.iterdir()
        with atomic_write(tmp_path / "a.txt") as handle:
            handle.write("ours\n")
        assert theirs.exists()
        process.communicate("\n")
    assert process.returncode == 0
    assert (tmp_path / "a.txt").read_text() == "new\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
