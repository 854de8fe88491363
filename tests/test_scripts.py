"""Planted faults still have their places, and what runs at night its tests."""

import importlib
import re
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


def test_planted_faults_have_a_place_and_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    planted = importlib.import_module("planted_faults")
    for fault in planted.PLANTED:
        assert planted.place(fault).is_file()
        assert (SCRIPTS.parent / fault.tests.partition("::")[0]).is_file(), fault.tests


def test_the_tests_that_the_makefile_names_are_there() -> None:
    named = re.findall(r"\btests/[\w/.]+", (SCRIPTS.parent / "Makefile").read_text(encoding="utf-8"))
    assert len(named) > 5
    assert [name for name in named if not (SCRIPTS.parent / name.rstrip(".")).exists()] == []
