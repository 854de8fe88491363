from pathlib import Path

import pytest

from pfsm.io.user_folders import user_folder


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
