"""HWCM, DSTM, DTKM, STM and TKM against the listing of all chains and subtrees, and the papers' examples."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm_linguistics.analysis.constituents import Constituent, parse_brackets
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.metrics.syntax.fragments import chains, fragment_counts, kernel_scores, subtrees
from pfsm_linguistics.metrics.syntax.trees import constituent_trees
from tests.linguistics.metrics.dependency_cases import (
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
    subtree_metric,
    subtree_score,
    subtrees_of,
    tree_kernel_metric,
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


# Figure 2 of Liu and Gildea (2005): one noun phrase is a pronoun where the reference has an article and a noun.
HYPOTHESIS = parse_brackets("(S (NP (PRON a)) (VP (V b) (NP (PRON c))))").tree
REFERENCE = parse_brackets("(S (NP (PRON a)) (VP (V b) (NP (ART c) (N d))))").tree


def random_tree(rng: np.random.Generator, start: int = 0, depth: int = 4) -> Constituent:
    """A small tree over few labels, so that much is in common by chance."""
    label = "AB"[rng.integers(2)]
    if depth == 1 or rng.random() < 0.2:
        return Constituent(label.lower(), start, start + 1)
    children: list[Constituent] = []
    for _ in range(rng.integers(1, 3)):
        children.append(random_tree(rng, children[-1].end if children else start, depth - 1))
    return Constituent(label, start, children[-1].end, tuple(children))


def random_pairs(count: int) -> list[tuple[Constituent, Constituent]]:
    rng = np.random.default_rng(5)
    return [(random_tree(rng), random_tree(rng)) for _ in range(count)]


class TestSubtreeMetric:
    def test_the_papers_example(self) -> None:
        assert round(subtree_metric([HYPOTHESIS], [[REFERENCE]], depth=3), 3) == 0.702
        assert subtree_metric([HYPOTHESIS], [[REFERENCE]], depth=1) == 6 / 7
        assert subtree_metric([HYPOTHESIS], [[REFERENCE]], depth=2) == (6 / 7 + 3 / 4) / 2

    def test_clipping_over_several_references(self) -> None:
        two = parse_brackets("(X (N a) (N b))").tree
        three = parse_brackets("(X (N a) (N b) (N c))").tree
        other = parse_brackets("(Y (N a) (V b))").tree
        # Single nodes: X once, N three times; the most that one reference has is 1 and 2, not 1 and 2 + 1.
        assert subtree_metric([three], [[two], [other]], depth=1) == 3 / 4
        # Against each alone 3/4 and 1/4: the references add to each other.
        mixed = parse_brackets("(X (N a) (V b))").tree
        assert subtree_metric([mixed], [[two], [other]], depth=1) == 1.0
        assert subtree_metric([mixed], [[two]], depth=1) == 2 / 3

    def test_sentences_add_up_and_top_is_no_node(self) -> None:
        first, second = random_pairs(1)[0]
        topped = Constituent("TOP", first.start, first.end, (first,))
        lines = [[first, second], [first], [second], [topped]]
        counts = fragment_counts(subtrees, constituent_trees, lines, [[one] for one in lines], 3)[..., 1]
        assert (counts[0] == counts[1] + counts[2]).all()
        assert (counts[3] == counts[1]).all()
        assert subtree_metric([topped], [[first]]) == 1.0


class TestTreeKernel:
    def test_numbers_beyond_floating_point(self) -> None:
        # Eleven children everywhere: 1, 2^11, (1 + 2^11)^11 and, above the largest float64, about 1e400 subtrees.
        def wide(steps: int) -> str:
            return "(A a)" if steps == 0 else f"(A {' '.join([wide(steps - 1)] * 11)})"

        whole = wide(4)
        # One of the lowest nodes becomes a leaf: what it was part of has 2^10 + 1 choices there instead of 2^11 + 1.
        less = whole.replace(wide(1), wide(0), 1)
        same, other = ([parse_brackets(text).tree] for text in (whole, less))
        assert tree_kernel_metric(same, [same]) == 1.0
        assert tree_kernel_metric(same, [other]) == pytest.approx(math.sqrt(1025 / 2049), rel=1e-9)

    def test_no_productions(self) -> None:
        word = parse_brackets("(UH yes)").tree
        assert tree_kernel_metric([word], [[word]]) == 1.0
        assert tree_kernel_metric([word], [[HYPOTHESIS]]) == 0.0
        assert tree_kernel_metric([HYPOTHESIS], [[]]) == 0.0
        assert kernel_scores(constituent_trees, [], []).shape == (0,)
