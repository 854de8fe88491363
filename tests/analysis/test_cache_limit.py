"""The limit of the cache of analyses: the least recently used entries are deleted, and no others."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pfsm.analysis import cache as cache_limit
from pfsm.analysis.cache import LARGEST, AnalysisCache, largest_size, make_room
from pfsm.analysis.sentence import Analysis
from pfsm.errors import PfsmError


def analysis(line: str) -> Analysis:
    """Of a line whose words compress badly, some kilobytes."""
    return Analysis(tuple(f"{line}{number * 2654435761 % 2**32:x}" for number in range(400)))


def lines(first: int, last: int) -> list[str]:
    return [f"line {number}" for number in range(first, last)]


def fill(cache: AnalysisCache, texts: list[str]) -> None:
    for text in texts:
        cache.add({text: analysis(text)})


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.sqlite"))


@pytest.fixture
def hours(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The clock: its last entry is the hour."""
    clock = [1000]
    for module in ("pfsm.analysis.cache", "pfsm.analysis.cache"):
        monkeypatch.setattr(f"{module}.this_hour", lambda: clock[-1])
    return clock


def test_the_least_recently_used_is_deleted(
    tmp_path: Path, hours: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PFSM_CACHE_SIZE", "400k")
    cache = AnalysisCache("p@1", "x", tmp_path)
    fill(cache, lines(0, 40))
    hours.append(1001)
    fill(cache, lines(40, 60))
    assert len(cache.find(lines(0, 60))) == 60  # all of them are used in this hour
    hours.append(1002)
    assert len(cache.find(lines(0, 10))) == 10
    make_room(tmp_path, size(tmp_path) // 2)
    left = set(cache.find(lines(0, 60)))
    assert set(lines(0, 10)) <= left
    assert 10 < len(left) < 40


def test_it_never_grows_far_beyond_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PFSM_CACHE_SIZE", "400k")
    cache = AnalysisCache("p@1", "x", tmp_path)
    largest = 0
    for text in lines(0, 300):
        cache.add({text: analysis(text)})
        largest = max(largest, size(tmp_path))
    assert 300_000 < largest < 450_000
    assert lines(299, 300)[0] in cache.find(lines(0, 300))


def test_files_of_other_parsers_count_and_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries of an older version are never read again."""
    older, newer = AnalysisCache("p@1", "x", tmp_path), AnalysisCache("p@2", "x", tmp_path)
    fill(older, lines(0, 60))
    os.utime(older.path, (1.0, 1.0))
    fill(newer, lines(0, 20))
    kept = newer.path.stat().st_size
    monkeypatch.setenv("PFSM_CACHE_SIZE", str(3 * kept))
    AnalysisCache("p@2", "x", tmp_path).add({"another": analysis("another")})
    assert size(tmp_path) <= 3 * kept
    assert len(newer.find([*lines(0, 20), "another"])) == 21
    assert len(older.find(lines(0, 60))) < 60


def test_the_folder_is_not_looked_at_with_every_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []
    monkeypatch.setattr(cache_limit, "make_room", lambda *arguments: looked.append(arguments))
    fill(AnalysisCache("p@1", "x", tmp_path), lines(0, 100))
    assert looked == [(tmp_path, LARGEST)]


def test_a_cache_from_before_there_were_limits(tmp_path: Path) -> None:
    cache = AnalysisCache("p@1", "x", tmp_path)
    fill(cache, lines(0, 20))
    with closing(sqlite3.connect(cache.path)) as base, base:
        base.execute("DROP TABLE uses")
    assert len(cache.find(lines(0, 5))) == 5
    make_room(tmp_path, size(tmp_path) // 2)
    assert set(lines(0, 5)) <= set(cache.find(lines(0, 20))) != set(lines(0, 20))


def test_an_older_cache_that_may_only_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = AnalysisCache("p@1", "x", tmp_path)
    fill(cache, lines(0, 5))
    with closing(sqlite3.connect(cache.path)) as base, base:
        base.execute("DROP TABLE uses")
    before, connect = cache.path.read_bytes(), sqlite3.connect

    def only_to_read(path: Path, timeout: float) -> sqlite3.Connection:
        return connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=timeout)

    # Permissions would not keep the superuser from writing.
    monkeypatch.setattr(sqlite3, "connect", only_to_read)
    found = cache.find(lines(0, 9))
    assert {line: one.tokens for line, one in found.items()} == {
        line: analysis(line).tokens for line in lines(0, 5)
    }
    cache.add({"new": analysis("new")})
    assert cache.path.read_bytes() == before


def test_while_another_process_writes_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_limit, "_FOR_ROOM", 0.0)
    cache = AnalysisCache("p@1", "x", tmp_path)
    fill(cache, lines(0, 20))
    with closing(sqlite3.connect(cache.path)) as base:
        base.execute("BEGIN IMMEDIATE")
        make_room(tmp_path, 1)
        base.rollback()
    assert len(cache.find(lines(0, 20))) == 20
    make_room(tmp_path, 1)
    assert cache.find(lines(0, 20)) == {}
    fill(cache, lines(0, 1))
    assert len(cache.find(lines(0, 1))) == 1


def test_the_limit_is_a_number_of_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PFSM_CACHE_SIZE", raising=False)
    assert largest_size() == LARGEST
    monkeypatch.setenv("PFSM_CACHE_SIZE", "2G")
    assert largest_size() == 2 << 30
    monkeypatch.setenv("PFSM_CACHE_SIZE", "much")
    with pytest.raises(PfsmError, match="environment variable PFSM_CACHE_SIZE is 'much', a number of bytes"):
        AnalysisCache("p@1", "x", tmp_path)
