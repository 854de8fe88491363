"""Well-formed analyses of another version of pfsm beside ours: we do not read them, and we leave them alone."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from pfsm.analysis import cache as module
from pfsm.analysis.cache import AnalysisCache, code_version, sources_digest
from pfsm.analysis.sentence import Analysis

OURS, THEIRS = Analysis(("a", "b"), (0,)), Analysis(("ab",), (0,))


def rows(path: Path) -> list[tuple[bytes, ...]]:
    with closing(sqlite3.connect(path)) as base:
        return base.execute("SELECT * FROM analyses").fetchall()


def test_another_version_has_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as other:
        other.setattr(module, "code_version", lambda: "9.9.9")
        theirs = AnalysisCache("p@1", "x", tmp_path)
        theirs.add({"a b": THEIRS})
    before = theirs.path.read_bytes()
    ours = AnalysisCache("p@1", "x", tmp_path)
    assert ours.find(["a b"]) == {}
    ours.add({"a b": OURS})
    assert AnalysisCache("p@1", "x", tmp_path).find(["a b"])["a b"].tokens == OURS.tokens
    assert theirs.path.read_bytes() == before
    assert theirs.find(["a b"])["a b"].tokens == THEIRS.tokens


def test_a_file_in_our_place_whose_tables_are_others_stays(tmp_path: Path) -> None:
    cache = AnalysisCache("p@1", "x", tmp_path)
    cache.add({"a b": THEIRS})
    with closing(sqlite3.connect(cache.path)) as base, base:
        base.execute("ALTER TABLE analyses RENAME COLUMN value TO packed")
        base.execute("ALTER TABLE analyses ADD COLUMN form INTEGER NOT NULL DEFAULT 7")
    before = rows(cache.path)
    assert cache.find(["a b"]) == {}
    cache.add({"a b": OURS, "c": OURS})
    assert cache.find(["a b", "c"]) == {}
    assert rows(cache.path) == before


def test_every_source_counts(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name in ("one.py", "below/two.py", "notes.txt"):
        (tmp_path / name).write_text("a = 1\n")
    first = sources_digest([tmp_path])
    (tmp_path / "notes.txt").write_text("a = 2\n")
    assert sources_digest([tmp_path]) == first
    (tmp_path / "below" / "two.py").write_text("a = 2\n")
    second = sources_digest([tmp_path])
    (tmp_path / "below" / "two.py").rename(tmp_path / "two.py")
    assert len({first, second, sources_digest([tmp_path])}) == 3


def test_parser_and_kernels_are_among_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Path] = []

    def digest(folders: Iterable[Path]) -> str:
        looked.extend(folders)
        return "digest"

    monkeypatch.setattr(module, "sources_digest", digest)
    code_version.cache_clear()
    try:
        assert code_version().endswith(" digest")
    finally:
        code_version.cache_clear()
    names = ("sentence.py", "parse.py", "arborescence.py")
    assert [any(folder.rglob(name)) for folder, name in zip(looked, names, strict=True)] == [True, True, True]
