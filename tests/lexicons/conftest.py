"""What the tests of lexicons share."""

from pathlib import Path

import pytest

from pfsm.io.named_resources import FOLDER_VARIABLE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for the user's tables."""
    path = tmp_path / "tables"
    path.mkdir()
    monkeypatch.setenv(FOLDER_VARIABLE, str(path))
    return path
