"""The cache of analyses: what it remembers, versions side by side, and its limit."""

import math
import os
from pathlib import Path

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.io.stores import LARGEST
from pfsm_linguistics.analysers import cache as module
from pfsm_linguistics.analysers.cache import (
    AnalysisCache,
    largest_size,
    packed,
    sources_digest,
    unpacked,
)
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree, Marginals

OURS, THEIRS = Analysis(("a", "b"), (0,)), Analysis(("ab",), (0,))


def sample(n: int) -> Analysis:
    """A line of so many words with three trees and probabilities of a thousand arcs."""
    random = np.random.default_rng(n)
    trees = tuple(
        DependencyTree(
            tuple(random.integers(0, n + 1, n).tolist()),
            tuple(random.choice(["obj", "ünd"], n).tolist()),
            value,
        )
        for value in (-0.1, -math.pi * 1e-7, math.nan)
    )
    heads, dependents, labels = (random.integers(low, n + low, 1000).astype(np.int32) for low in (1, 0, 0))
    marginals = Marginals(tuple(map(str, range(n))), dependents, heads, labels, random.random(1000))
    return Analysis(tuple(f"w{k}" for k in range(n)), (0, n // 2), ("X",) * n, (), trees, marginals)


def test_everything_comes_back_to_the_last_bit() -> None:
    given = sample(70_000)
    again = unpacked(packed(given))
    for name in ("tokens", "sentences", "upos", "xpos"):
        assert getattr(again, name) == getattr(given, name)
    assert again.trees[:2] == given.trees[:2]
    assert (again.trees[2].heads, again.trees[2].labels) == (given.trees[2].heads, given.trees[2].labels)
    assert math.isnan(again.trees[2].log_probability)
    assert given.marginals is not None
    assert again.marginals is not None
    assert again.marginals.names == given.marginals.names
    for column in ("dependent", "head", "label", "probability"):
        ours, theirs = (getattr(side.marginals, column) for side in (again, given))
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_it_remembers_by_line_question_and_parser(tmp_path: Path) -> None:
    cache = AnalysisCache("p@1", "one tree", tmp_path)
    assert cache.find(["a b"]) == {}
    cache.add({"a b": OURS, "c": sample(5)})
    assert {line: one.tokens for line, one in cache.find(["a b", "c", "d"]).items()} == {
        "a b": OURS.tokens, "c": sample(5).tokens,
    }  # fmt: skip
    assert AnalysisCache("p@1", "two trees", tmp_path).find(["a b"]) == {}
    assert AnalysisCache("p@2", "one tree", tmp_path).find(["a b"]) == {}


def test_another_version_has_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as other:
        other.setattr(module, "code_version", lambda: "9.9.9")
        theirs = AnalysisCache("p@1", "x", tmp_path)
        theirs.add({"a b": THEIRS})
    before = theirs.store.path.read_bytes()
    ours = AnalysisCache("p@1", "x", tmp_path)
    assert ours.find(["a b"]) == {}
    ours.add({"a b": OURS})
    assert AnalysisCache("p@1", "x", tmp_path).find(["a b"])["a b"].tokens == OURS.tokens
    assert theirs.store.path.read_bytes() == before
    assert theirs.find(["a b"])["a b"].tokens == THEIRS.tokens


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


def large(line: str) -> Analysis:
    """Of a line whose words compress badly, some kilobytes."""
    return Analysis(tuple(f"{line}{number * 2654435761 % 2**32:x}" for number in range(400)))


def fill(cache: AnalysisCache, first: int, last: int) -> None:
    for number in range(first, last):
        cache.add({f"line {number}": large(f"line {number}")})


def found(cache: AnalysisCache, last: int) -> list[int]:
    return sorted(int(line.split()[1]) for line in cache.find([f"line {number}" for number in range(last)]))


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.sqlite"))


def test_files_that_were_used_longest_ago_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    older, newer = AnalysisCache("p@1", "x", tmp_path), AnalysisCache("p@2", "x", tmp_path)
    fill(older, 0, 60)
    fill(newer, 0, 20)
    for path in (older.store.path, newer.store.path):
        os.utime(path, (1.0, 1.0))
    assert len(found(newer, 20)) == 20  # which says that it is used
    monkeypatch.setenv("PFSM_CACHE_SIZE", str(3 * newer.store.path.stat().st_size))
    AnalysisCache("p@2", "x", tmp_path).add({"another": large("another")})
    assert size(tmp_path) <= largest_size()
    assert len(found(newer, 20)) == 20
    assert len(found(older, 60)) < 60


def test_the_limit_is_a_number_of_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PFSM_CACHE_SIZE", raising=False)
    assert largest_size() == LARGEST
    monkeypatch.setenv("PFSM_CACHE_SIZE", "2G")
    assert largest_size() == 2 << 30
    monkeypatch.setenv("PFSM_CACHE_SIZE", "much")
    with pytest.raises(PfsmError, match="environment variable PFSM_CACHE_SIZE is 'much', a number of bytes"):
        AnalysisCache("p@1", "x", tmp_path)
