"""Every test has an empty folder of resources of its own."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "resources"
    monkeypatch.setenv("PFSM_RESOURCES", str(folder))
    return folder
