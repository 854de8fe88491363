"""The likeliest constituent trees: against all derivations, and with the parser that ships."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from pfsm.analysis.analysers import get_analyser
from pfsm.analysis.cache import packed, unpacked
from pfsm.analysis.constituents import Constituent, format_brackets, tree_of_spans
from pfsm.analysis.heads import head_dependencies, projected_labels
from pfsm.analysis.programs import parsed_text
from pfsm.analysis.wanted import Wanted
from pfsm.english.parser.trees import best_constituents
from pfsm.metrics import get_metric

NAMES = ("", "NP", "S+VP")
FRAGMENT = "(TOP (FRAG (NP (NP (NN a)) (PP (IN of) (NP (NN b)))) (: -) (NP (NN c))))"
LINES = ["The old man saw a bird with the telescope.", "", "He said that she came. It rained, and we left."]


def bracketings(start: int, end: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """All binary bracketings of words ``[start, end)``, single words among their spans."""
    if end - start == 1:
        yield ((start, end),)
        return
    for cut in range(start + 1, end):
        for left, right in itertools.product(bracketings(start, cut), bracketings(cut, end)):
            yield ((start, end), *left, *right)


def every_tree(n: int, scores: np.ndarray, labels: dict[tuple[int, int], np.ndarray]) -> dict[str, float]:
    """The probability of every tree, by listing all derivations."""
    sums: dict[str, float] = {}
    total = 0.0
    tags = ["X"] * n
    for spans in bracketings(0, n):
        weight = math.exp(sum(scores[span] for span in spans if span[1] - span[0] > 1))
        total += weight
        for chosen in itertools.product(range(len(NAMES)), repeat=len(spans)):
            if chosen[spans.index((0, n))] == 0:
                continue
            probability = weight * math.exp(
                sum(labels[span][label] for span, label in zip(spans, chosen, strict=True))
            )
            found = [(*span, NAMES[label]) for span, label in zip(spans, chosen, strict=True) if label]
            text = format_brackets(["w"] * n, tree_of_spans(found, tags))
            sums[text] = sums.get(text, 0.0) + probability
    return {text: value / total for text, value in sums.items()}


@pytest.mark.parametrize("n", [1, 3, 4])
def test_against_all_derivations(n: int) -> None:
    random = np.random.default_rng(n)
    scores = random.normal(size=(n + 1, n + 1))
    labels = {
        span: np.log(random.dirichlet(np.ones(len(NAMES))))
        for span in itertools.combinations(range(n + 1), 2)
    }

    def label_scores(starts: Sequence[int], ends: Sequence[int]) -> np.ndarray:
        return np.array([labels[span] for span in zip(starts, ends, strict=True)])

    wanted = every_tree(n, scores, labels)
    found = best_constituents(scores, label_scores, NAMES, ["X"] * n, 6000)
    assert len(found) == len(wanted)
    assert [one.log_probability for one in found] == sorted(
        (one.log_probability for one in found), reverse=True
    )
    for tree, log_probability in found:
        assert math.exp(log_probability) == pytest.approx(wanted[format_brackets(["w"] * n, tree)], rel=1e-9)
    # A short list is the head of the long one; what it lacks may be derivations of its trees.
    for one in best_constituents(scores, label_scores, NAMES, ["X"] * n, 2):
        assert one.log_probability <= math.log(wanted[format_brackets(["w"] * n, one.tree)]) + 1e-9


def test_the_parser_that_ships() -> None:
    analyser = get_analyser("en-ewt")
    several = analyser.analyse(LINES, Wanted(headed=20))
    one = analyser.analyse(LINES, Wanted(constituents=True))
    for many, single, line in zip(several, one, LINES, strict=True):
        assert len(many.headed) <= 20
        sums = [tree.log_probability for tree in many.headed]
        assert sums == sorted(sums, reverse=True)
        assert sum(map(math.exp, sums)) <= 1 + 1e-9
        if not line:
            assert many.headed == ()
            continue
        # The likeliest tree is that of the likeliest bracketing here.
        expected = head_dependencies(single.constituents)
        assert (many.headed[0].heads, many.headed[0].labels) == (expected.heads, expected.labels)
        assert unpacked(packed(many)).headed == many.headed
    assert len(several[0].headed) == 20


def test_a_shorter_list_is_the_head_of_a_longer_one() -> None:
    """Also in the metric. The likeliest bracketing gives the tree of rank 14 here, a short list another one first."""
    line = "Nobody, said the clerk, will pay for bread - not even here, in the market."
    (long,) = get_analyser("en-ewt").analyse([line], Wanted(headed=50))
    for count in (1, 7):
        (short,) = get_analyser("en-ewt").analyse([line], Wanted(headed=count))
        assert short.headed == long.headed[:count]
    first = long.headed[0]
    pieces = Counter(zip(long.tokens, first.labels, strict=True))
    (other,) = get_analyser("en-ewt").analyse([line[8:]], Wanted(headed=50))
    theirs = Counter(zip(other.tokens, other.headed[0].labels, strict=True))
    expected = 2 * (pieces & theirs).total() / (pieces.total() + theirs.total())
    metric = get_metric("dpm", labels="ab", parts="dl", lowercase=False)
    assert metric.score_pairs([line], [line[8:]]).tolist() == pytest.approx([expected])


def test_labels_of_projected_arcs() -> None:
    text = ["(TOP (S (NP (DT the) (NN cat)) (VP (VBD saw) (NP (PRP us))) (. .)))", FRAGMENT]
    tree, fragment = (one.constituents for one in parsed_text(text, "x"))
    # the cat saw us . with "us" hanging on "cat", and "saw" on "us".
    labels = ["NP/DT", "S/NP", "VP/VBD", "S/VP", "TOP/S"]
    assert projected_labels(tree, range(5), [2, 3, 4, 2, 0]) == labels
    for brackets in (tree, fragment, (Constituent("NN", 0, 1),)):
        found = head_dependencies(brackets)
        assert projected_labels(brackets, range(len(found.heads)), found.heads) == list(found.labels)


def test_reading_lists_of_brackets() -> None:
    text = (
        "-1.5 (TOP (S (NP (NN a)) (VP (VB b))))", "-0.5 (TOP (S (NN a) (NN b)))", "-3 (TOP (NP (NN a) (NN b)))", "",
        "-2e0 (TOP (NP (NN a) (NN b)))", "(TOP (NP (NN c)))", "-1 (NOPARSE (_ d))",
    )  # fmt: skip
    found = parsed_text(text, "x")
    assert [one.tokens for one in found] == [("a", "b"), ("a", "b"), ("c",), ("d",)]
    assert [tree.log_probability for tree in found[0].headed] == [-0.5, -1.5, -3.0]
    # Everything else is of the likeliest tree.
    assert found[0].xpos == ("NN", "NN")
    assert found[0].constituents[0].children[0].label == "S"
    assert [len(one.headed) for one in found] == [3, 1, 0, 0]
    assert found[3].is_failed
    # CoNLL-U that begins with a bracket.
    assert parsed_text(["1\t(\t_\t_\t_\t_\t0\troot\t_\t_"], "x")[0].tokens == ("(",)
