from pathlib import Path

import pytest

from pfsm.io.user_folders import configuration_folder, user_folder


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


@pytest.mark.parametrize("home", ["", "nowhere in particular"])
def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    """No folder below the working one may be taken for the user's own: it could grant trust."""
    for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "PFSM_RESOURCES", "PFSM_CONFIG"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path.replace("~", home or "~"))
    assert not user_folder().exists()
    assert user_folder().is_absolute()
    assert configuration_folder() is None
