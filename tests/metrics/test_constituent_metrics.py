"""STM and TKM: the paper's example, listing all subtrees, several references, bounds."""

import math
from itertools import pairwise

import numpy as np
import pytest

from pfsm.analysis.constituents import Constituent, parse_brackets
from pfsm.metrics.syntax.fragments import fragment_counts, kernel_scores, subtrees
from pfsm.metrics.syntax.trees import constituent_trees
from tests.metrics.dependency_cases import subtree_metric, tree_kernel_metric
from tests.oracles.subtrees import fragment_kernel, subtrees_of_depth

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

    def test_against_listing(self) -> None:
        depth = 4
        for hypothesis, reference in random_pairs(60):
            fractions = []
            for k in range(1, depth + 1):
                ours, theirs = subtrees_of_depth(hypothesis, k), subtrees_of_depth(reference, k)
                if ours or theirs:
                    fractions.append((ours & theirs).total() / max(1, ours.total()))
            wanted = sum(fractions) / len(fractions)
            assert subtree_metric([hypothesis], [[reference]], depth) == pytest.approx(wanted, abs=1e-12)

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
    @pytest.mark.parametrize("decay", [1.0, 0.4])
    def test_against_listing(self, decay: float) -> None:
        compared = 0
        for one, other in random_pairs(100):
            between, own, theirs = (
                fragment_kernel(a, b, decay) for a, b in ((one, other), (one, one), (other, other))
            )
            if own and theirs:
                wanted = between / math.sqrt(own * theirs)
                assert tree_kernel_metric([one], [[other]], decay) == pytest.approx(wanted, abs=1e-12)
                compared += wanted > 0
        assert compared > 20

    def test_sentences_add_up(self) -> None:
        pairs = [pair for pair in random_pairs(30) if not (pair[0].is_leaf or pair[1].is_leaf)]
        for (a, b), (c, d) in pairwise(pairs):
            between = sum(fragment_kernel(x, y, 1.0) for x in (a, b) for y in (c, d))
            own = sum(fragment_kernel(x, y, 1.0) for x in (a, b) for y in (a, b))
            theirs = sum(fragment_kernel(x, y, 1.0) for x in (c, d) for y in (c, d))
            assert tree_kernel_metric([a, b], [[c, d]]) == pytest.approx(between / math.sqrt(own * theirs))

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
