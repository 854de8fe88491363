"""Planted faults still have their places."""

import importlib
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


def test_planted_faults_have_a_place_and_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    planted = importlib.import_module("planted_faults")
    for fault in planted.PLANTED:
        assert planted.place(fault).is_file()
        assert (SCRIPTS.parent / fault.tests.partition("::")[0]).is_file(), fault.tests
