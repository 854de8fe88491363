"""Files and folders that may not be read or written."""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write, check_writable, read_lines


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


def message(path: Path) -> str:
    with pytest.raises(PfsmError) as caught:
        read_lines(path)
    return str(caught.value)


def refused(path: Path) -> str:
    with pytest.raises(PfsmError) as caught, atomic_write(path) as handle:
        handle.write("new")
    return str(caught.value)


def only(folder: Path, *names: str) -> None:
    """Nothing but the named files is in the folder: no temporary file stayed behind."""
    assert sorted(entry.name for entry in folder.iterdir()) == sorted(names)


def test_no_permission_to_read(unprivileged: Path) -> None:
    path = unprivileged / "x.txt"
    path.write_text("a")
    path.chmod(0)
    assert message(path) == f"{path}: no permission to read it"


def test_no_permission_to_write_in_the_folder(unprivileged: Path) -> None:
    folder = unprivileged / "closed"
    folder.mkdir()
    folder.chmod(0o555)
    assert refused(folder / "x") == f"{folder / 'x'}: no permission to write it"
    only(folder)


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
