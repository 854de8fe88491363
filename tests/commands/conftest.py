"""A folder of good files of every kind, in which commands are given something bad."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_runs import Write
from tests.judgment_cases import preferences, rows, tsv
from tests.model_cases import saved

OLD = "an older file, precious"


@pytest.fixture
def good_files(write: Write, tmp_path: Path) -> Iterator[None]:
    """Good files, and old ones where output goes: whatever a test does, those must be there after it."""
    saved(tmp_path)
    write("ref.txt", "a\nb\nc\n")
    write("hyp.txt", "a\nb\nd\n")
    write("other.txt", "x\ny\nz\n")
    write("good.tsv", tsv(rows(8)))
    write("pairs.tsv", preferences(rows(8)))
    write("out.json", OLD)
    write("out.tsv", OLD)
    yield
    assert (tmp_path / "out.json").read_text(encoding="utf-8") == OLD
    assert (tmp_path / "out.tsv").read_text(encoding="utf-8") == OLD
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".pfsm-")] == []
