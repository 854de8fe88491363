"""Analyses through JSON and the cache: every number to the last bit; damage is noticed."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from pfsm.analysis.cache import AnalysisCache
from pfsm.analysis.json_form import from_json, to_json
from pfsm.analysis.sentence import Analysis, DependencyTree, Marginals


def sample(n: int) -> Analysis:
    """A line of so many words with three trees and probabilities of a thousand arcs."""
    random = np.random.default_rng(n)
    trees = tuple(
        DependencyTree(
            tuple(random.integers(0, n + 1, n).tolist()),
            tuple(random.choice(["nsubj", "obj", "ünd"], n).tolist()),
            value,
        )
        for value in (-0.1, -math.pi * 1e-7, math.nan)
    )
    heads, dependents, labels = (random.integers(low, n + low, 1000).astype(np.int32) for low in (1, 0, 0))
    marginals = Marginals(tuple(map(str, range(n))), dependents, heads, labels, random.random(1000))
    return Analysis(tuple(f"w{k}" for k in range(n)), (0, n // 2), ("X",) * n, (), trees, marginals)


@pytest.mark.parametrize("n", [3, 200, 70_000])
def test_everything_comes_back(n: int) -> None:
    given = sample(n)
    again = from_json(json.loads(json.dumps(to_json(given))))
    assert (again.tokens, again.sentences, again.upos, again.xpos) == (
        given.tokens, given.sentences, given.upos, given.xpos,
    )  # fmt: skip
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


def test_a_line_without_anything() -> None:
    assert from_json(to_json(Analysis(()))).trees == ()
    bare = from_json(json.loads(json.dumps(to_json(Analysis(("a",), (0,))))))
    assert (bare.tokens, bare.tree, bare.marginals) == (("a",), None, None)


def test_damaged_entries_are_computed_again(tmp_path: Path) -> None:
    cache = AnalysisCache("parser@1", "asked", tmp_path)
    cache.add({"line": sample(5)})
    assert cache.find(["line", "other"])["line"].tokens == sample(5).tokens
    values = to_json(sample(5))
    heads = values["trees"]["heads"]
    for broken in (["<f4", heads[1]], [heads[0], heads[1][:-4]], [heads[0], "?"], [heads[0]], 3):
        values["trees"]["heads"] = broken
        with pytest.raises((ValueError, TypeError, KeyError)):
            from_json(values)
