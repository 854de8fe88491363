"""Where compiled kernels are kept, and what is said while they are made."""

import io
import os
from pathlib import Path

import pytest
from numba.core import config

from pfsm_kernels.compilation import NOTICE, Notice, can_be_written, provide_cache


def refuse(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """Makes folders read-only, also for a user who may write everywhere."""
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda place, mode: place not in folders and allowed(place, mode))


def test_a_folder_of_its_own_only_where_no_other_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, user = tmp_path / "package", tmp_path / "user"
    package.mkdir()
    user.mkdir()
    monkeypatch.setattr(config, "CACHE_DIR", "")
    assert provide_cache(package, user / "not" / "there") is None
    refuse(monkeypatch, package)
    assert provide_cache(package, user / "not" / "there") is None
    assert config.CACHE_DIR == ""
    refuse(monkeypatch, package, user)
    folder = provide_cache(package, user / "not" / "there")
    assert folder is not None
    assert folder == config.CACHE_DIR
    # Nobody else may put kernels there.
    assert Path(folder).stat().st_mode & 0o077 == 0
    Path(folder).rmdir()


def test_a_folder_that_was_named_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "CACHE_DIR", "named")
    refuse(monkeypatch, tmp_path)
    assert provide_cache(tmp_path, tmp_path) is None
    assert config.CACHE_DIR == "named"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert not can_be_written(tmp_path / "file")
    assert not can_be_written(tmp_path / "file" / "below")
    assert can_be_written(tmp_path / "below")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "said"), [(Terminal(), f"{NOTICE}\n"), (io.StringIO(), "")])
def test_the_notice_is_given_once_and_on_a_terminal(
    stream: io.StringIO, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr", stream)
    notice = Notice()
    for _ in range(3):
        notice.on_start(None)
        notice.on_end(None)
    assert stream.getvalue() == said
