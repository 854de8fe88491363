"""HWCM, DSTM and DTKM against the listing of all chains and subtrees, and the papers' examples."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from pfsm.analysis.constituents import parse_brackets
from pfsm.analysis.sentence import Analysis
from pfsm.errors import PfsmError
from pfsm.metrics.syntax.fragments import chains, fragment_counts, kernel_scores, subtrees
from tests.metrics.dependency_cases import (
    PEN,
    all_subtrees,
    chain_score,
    chains_of,
    dependencies,
    edited,
    kernel_score,
    line,
    n_rules,
    random_lines,
    subtree_score,
    subtrees_of,
)

HYPOTHESES = random_lines(40)
REFERENCES = edited(HYPOTHESES)
LINES = [*HYPOTHESES, *REFERENCES]
KINDS = ("words", "categories", "relations")


def alone(lines: Sequence[Analysis]) -> list[list[Analysis]]:
    """One reference each."""
    return [[one] for one in lines]


Listing = Callable[[Analysis, int, str], Counter[Any]]


def listed(lists: Listing, kind: str, sizes: Sequence[int]) -> list[list[list[int]]]:
    rows = []
    for hypothesis, reference in zip(HYPOTHESES, REFERENCES, strict=True):
        bags = [(lists(hypothesis, size, kind), lists(reference, size, kind)) for size in sizes]
        rows.append([[(ours & theirs).total(), ours.total(), theirs.total()] for ours, theirs in bags])
    return rows


@pytest.mark.parametrize("kind", KINDS)
def test_chains_are_those_of_a_listing(kind: str) -> None:
    found = fragment_counts(chains, dependencies(kind), HYPOTHESES, alone(REFERENCES), 5)
    assert found.tolist() == listed(chains_of, kind, range(1, 6))
    assert found[:, 3:, 0].sum() > 0


@pytest.mark.parametrize("kind", KINDS)
def test_subtrees_are_those_of_a_listing(kind: str) -> None:
    found = fragment_counts(subtrees, dependencies(kind), HYPOTHESES, alone(REFERENCES), 4)
    assert found.tolist() == listed(subtrees_of, kind, range(1, 5))
    assert found[:, 2:, 0].sum() > 0


@pytest.mark.parametrize(
    ("score", "lists"), [(chain_score, chains_of), (subtree_score, subtrees_of)], ids=["chains", "subtrees"]
)
def test_counts_are_clipped_over_all_references(score: Any, lists: Listing) -> None:
    for first in range(0, 72, 4):
        hypothesis, *references = LINES[first : first + 4]
        fractions = []
        for size in range(1, 5):
            ours = lists(hypothesis, size, "words")
            most: Counter[Any] = Counter()
            for reference in references:
                most |= lists(reference, size, "words")
            if ours or most:
                fractions.append((ours & most).total() / ours.total() if ours else 0.0)
        assert score(hypothesis, references) == pytest.approx(np.mean(fractions))


def products(one: Counter[Any], other: Counter[Any], decay: float) -> float:
    def weight(tree: Any) -> float:
        return decay ** max(1, n_rules(tree))

    return sum(count * other[tree] * weight(tree) for tree, count in one.items())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("decay", "single"), [(1.0, False), (0.4, True)])
def test_the_kernel_counts_all_subtrees(kind: str, decay: float, single: bool) -> None:
    found = kernel_scores(dependencies(kind), HYPOTHESES, REFERENCES, decay=decay, single=single)
    wanted = []
    for pair in zip(HYPOTHESES, REFERENCES, strict=True):
        bags = [
            Counter(
                {tree: n for tree, n in all_subtrees(side, kind).items() if single or tree[1] is not None}
            )
            for side in pair
        ]
        if all(bags):
            lengths = [products(bag, bag, decay) for bag in bags]
            wanted.append(products(bags[0], bags[1], decay) / math.sqrt(lengths[0] * lengths[1]))
        else:
            wanted.append(0.0 if any(bags) else 1.0)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)
    assert len(set(found.round(6))) > 8


def test_a_deep_tree_does_not_overflow() -> None:
    n = 1500
    chain = line(" ".join(["a"] * n), range(n))
    assert kernel_score(chain, [chain]) == pytest.approx(1.0)
    wide = line(" ".join(["a"] * n), [0, *([1] * (n - 1))])
    assert subtree_score(wide, [wide]) == 1.0


def test_trees_may_come_from_constituents() -> None:
    found = parse_brackets("(S (NP (PRP I)) (VP (VBP have) (NP (DT a) (JJ red) (NN pen))))")
    bracketed = Analysis(found.words, (0,), constituents=(found.tree,))
    assert chain_score(bracketed, [PEN]) == 1.0
    assert chain_score(bracketed, [PEN], kind="relations") < 0.3


def test_what_is_not_there() -> None:
    bare = Analysis(("x",), (0,))
    with pytest.raises(PfsmError, match="gives no tree that this metric could use of"):
        chain_score(bare, [PEN])
    with pytest.raises(PfsmError, match="gives no tags of 'x'; choose"):
        chain_score(Analysis(("x",), (0,), trees=line("x", (0,)).trees), [PEN], kind="categories")
