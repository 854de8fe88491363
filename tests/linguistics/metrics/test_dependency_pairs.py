"""Dependency pair match against the listing of pieces and trees; EDPM, HWCM and DSTM by their names, by hand."""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.features.values import feature_values
from pfsm.metrics import get_metric
from pfsm_linguistics.analysers.programs import parsed_text
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.metrics.analysed import f_of_sums, harmonic_mean
from pfsm_linguistics.metrics.syntax.dependency_pairs import DECOMPOSITIONS, Expectation, pair_counts
from pfsm_linguistics.parser.network import Network
from pfsm_linguistics.parser.parse import SMALLEST_PROBABILITY, Parser
from tests.linguistics.analysis.samples import random_weights
from tests.linguistics.metrics.dependency_cases import line, pieces_of, random_heads, random_lines
from tests.linguistics.oracles.syntax import single_root_trees, tree_score

Bag = Mapping[tuple[str, ...], float]
ONE = Expectation(n=1)
# The trees that section 2 of the paper speaks of: n pieces each, the root's arc among them.
HYPOTHESIS = line("the cat stumbled", (2, 3, 0), "det subj root")
REFERENCE = line("the red cat ate", (3, 3, 4, 0), "det mod subj root")


def test_means_by_hand() -> None:
    counts = pair_counts([HYPOTHESIS], [REFERENCE], ("dl", "lh", "1g"), ONE)
    assert f_of_sums(counts)[0] == pytest.approx(2 * 6 / (9 + 12))
    uneven = pair_counts([HYPOTHESIS], [REFERENCE], ("dlh", "dl"), ONE)
    assert harmonic_mean(uneven)[0] == pytest.approx(4 / (3 / 1 + 4 / 1 + 3 / 2 + 4 / 2))
    # No neighbours in common: a precision of 0 leaves nothing of the harmonic mean.
    assert harmonic_mean(pair_counts([HYPOTHESIS], [REFERENCE], ("dl", "2g"), ONE))[0] == 0.0
    # Neither side has neighbours: what is not there does not count.
    word, same = line("Yes", (0,), "root"), line("yes", (0,), "root")
    assert harmonic_mean(pair_counts([word], [same], ("dl", "2g"), ONE))[0] == 1.0


def listed(analysis: Analysis, n: int, gamma: float, name: str) -> Bag:
    """Expected pieces by the definition."""
    bag: defaultdict[tuple[str, ...], float] = defaultdict(float)
    trees = analysis.trees[:n]
    total = math.fsum(math.exp(tree.log_probability) ** gamma for tree in trees)
    for tree in trees:
        share = math.exp(tree.log_probability) ** gamma / total
        for piece in pieces_of(analysis.tokens, tree, name):
            bag[piece] += share
    return bag


def shared(one: Bag, other: Bag) -> list[float]:
    both = math.fsum(min(value, other.get(piece, 0.0)) for piece, value in one.items())
    return [both, math.fsum(one.values()), math.fsum(other.values())]


def n_best(seed: int) -> list[Analysis]:
    """Lines with lists of up to five trees, an empty one among them."""
    random = np.random.default_rng(seed)
    lines = []
    for plain in random_lines(25, seed=seed):
        n = len(plain.tokens)
        trees = tuple(
            DependencyTree(
                random_heads(random, n),
                tuple(random.choice(list("xyz"), n).tolist()),
                float(-random.exponential()),
            )
            for _ in range(int(random.integers(1, 6)))
        )
        lines.append(Analysis(plain.tokens, plain.sentences, trees=trees))
    return lines


@pytest.mark.parametrize(("n", "gamma"), [(3, 1.0), (50, 0.25), (50, 0.0)])
def test_expected_counts_are_those_of_a_listing(n: int, gamma: float) -> None:
    ours, theirs = n_best(1), n_best(2)
    found = pair_counts(ours, theirs, DECOMPOSITIONS, Expectation(n, gamma))
    wanted = [
        [shared(listed(one, n, gamma, name), listed(other, n, gamma, name)) for name in DECOMPOSITIONS]
        for one, other in zip(ours, theirs, strict=True)
    ]
    np.testing.assert_allclose(found, wanted, atol=1e-12)
    assert (found[1:, 2:, 0] > 0).any(axis=0).all()


@pytest.mark.parametrize("gamma", [1.0, 0.25])
def test_exact_counts_are_those_of_all_trees(gamma: float) -> None:
    lines = [["the", "Cat", "sees", "it"], ["the", "dog", "sees", "the", "cat"], ["x"], ["sees", "the"]]
    weights = random_weights(4)
    parser, network = Parser(weights), Network(weights)
    found = parser.parse(lines, Wanted(marginals=True, one_sentence=True, gamma=gamma))
    names = weights.inventories["labels"]
    bags = [_over_all_trees(words, network, names, gamma) for words in lines]
    decompositions = ("dl", "lh", "dlh", "dh")
    for i, one in enumerate(found):
        counts = pair_counts([one] * len(found), found, decompositions, Expectation(None))
        wanted = [[shared(bags[i][name], other[name]) for name in decompositions] for other in bags]
        # Scores of labels are products in float32, which processors add up in different orders.
        np.testing.assert_allclose(counts, wanted, rtol=1e-6, atol=1e-9)


def _over_all_trees(
    words: list[str], network: Network, names: tuple[str, ...], gamma: float
) -> dict[str, Bag]:
    """Expected pieces by going through every tree and every label of every arc."""
    n = len(words)
    encoded = network.lines([words])[0].encoded
    scores = network.arcs(encoded).astype(np.float64)
    dependents, heads = np.divmod(np.arange(n * (n + 1)), n + 1)
    labels = np.exp(network.labels(encoded, dependents, heads).astype(np.float64)).reshape(n, n + 1, -1)
    trees = single_root_trees(n)
    values = np.array([gamma * tree_score(scores, tree) for tree in trees])
    probabilities = np.exp(values - values.max()) / np.exp(values - values.max()).sum()
    arcs = np.zeros((n, n + 1, len(names)))
    for tree, probability in zip(trees, probabilities, strict=True):
        arcs[range(n), tree] += probability * labels[range(n), tree]
    bags: dict[str, defaultdict[tuple[str, ...], float]] = {
        name: defaultdict(float) for name in ("dl", "lh", "dlh", "dh")
    }
    # What is less likely is left out of the marginals.
    for word, head, label in zip(*np.nonzero(arcs >= SMALLEST_PROBABILITY), strict=True):
        part = {
            "d": words[word].lower(),
            "l": names[label],
            "h": words[head - 1].lower() if head else "<root>",
        }
        for name, bag in bags.items():
            bag[tuple(part[letter] for letter in name)] += float(arcs[word, head, label])
    return dict(bags)


def test_what_is_not_there() -> None:
    with pytest.raises(PfsmError, match="no probabilities of arcs"):
        pair_counts([HYPOTHESIS], [REFERENCE])
    with pytest.raises(PfsmError, match="gives no tree that this metric could use of"):
        pair_counts([HYPOTHESIS], [REFERENCE], ["dl"], Expectation(1, labels="ab"))
    assert pair_counts([], [], ["dl", "2g"]).shape == (0, 2, 3)


# Of each word: form, tag, head, relation.
_TREES = {
    "I have a red pen": "I/PRP/2/nsubj have/VBP/0/root a/DT/5/det red/JJ/5/amod pen/NN/2/obj",
    "I have a pen": "I/PRP/2/nsubj have/VBP/0/root a/DT/4/det pen/NN/2/obj",
    "the cat stumbled": "the/DT/2/det cat/NN/3/nsubj stumbled/VBD/0/root",
    "the red cat ate": "the/DT/3/det red/JJ/3/amod cat/NN/4/nsubj ate/VBD/0/root",
    "Yes": "Yes/UH/0/root",
}


@pytest.fixture
def parser(tmp_path: Path) -> str:
    """Trees written by hand, as a parser."""
    blocks = []
    for text in _TREES.values():
        rows = [word.split("/") for word in text.split()]
        blocks.append(
            "".join(
                f"{k}\t{form}\t_\t_\t{tag}\t_\t{head}\t{label}\t_\t_\n"
                for k, (form, tag, head, label) in enumerate(rows, 1)
            )
        )
    path = tmp_path / "trees.conllu"
    path.write_text("\n".join(blocks) + "\n", encoding="utf-8")
    return f"file:{path}"


def test_parts_that_options_leave_out() -> None:
    with pytest.raises(PfsmError, match=r"'hwcm\.4\(length=2\)': with these options there is no such part"):
        feature_values(["hwcm.4(length=2)"], ["a"], ["a"])


class TestHeadRules:
    BRACKETS = """\
(TOP (S (NP (PRP We)) (VP (VBD sat) (PP (IN on) (NP (DT a) (NN bench)))) (. .)))
(TOP (S (NP (PRP We)) (VP (VBD slept) (PP (IN on) (NP (DT a) (NN bench)))) (. !)))
(TOP (INTJ (UH Yes)))
(NOPARSE (_ Lost) (_ words))
"""
    ONE, OTHER = "We sat on a bench.", "We slept on a bench!"

    @pytest.fixture
    def trees(self, tmp_path: Path) -> str:
        (tmp_path / "trees.ptb").write_text(self.BRACKETS, encoding="utf-8")
        return f"file:{tmp_path / 'trees.ptb'}"

    @pytest.mark.parametrize(
        ("name", "wanted"),
        [
            # Words: 4 of 5. Pairs: sat-We, sat-on, on-bench, bench-a; 2 of 4. Threes: sat-on-bench, on-bench-a; 1 of 2.
            # Fours: sat-on-bench-a.
            ("hwcm", (4 / 5 + 2 / 4 + 1 / 2 + 0) / 4),
            ("hwcm-r", 1.0),
            # Words; sat(We, on), on(bench), bench(a): 2 of 3; on(bench(a)) of two; nothing of depth 4.
            ("dstm", (4 / 5 + 2 / 3 + 1 / 2 + 0) / 4),
        ],
    )
    def test_by_hand(self, name: str, wanted: float, trees: str) -> None:
        metric = get_metric(name, heads="collins", parser=trees)
        assert metric.score_pairs([self.ONE], [self.OTHER])[0] == pytest.approx(wanted)
        assert metric.score_pairs([self.ONE, ""], [self.ONE, ""]).tolist() == [1.0, 1.0]

    def test_what_has_no_constituents(self, trees: str, parser: str) -> None:
        metric = get_metric("hwcm", heads="collins", parser=trees)
        assert metric.score_pairs(["Lost words"], ["Yes"]).tolist() == [0.0]
        assert get_metric("hwcm_b", heads="collins", parser=trees, scale=1).score_pairs(
            ["Lost words", "Gone words"], ["Lost words", "Yes"]
        ).tolist() == [1.0, 0.0]
        with pytest.raises(PfsmError, match="gives no constituents, which heads=collins needs, of"):
            get_metric("hwcm", heads="collins", parser=parser).score_pairs(["Yes"], ["Yes"])


class TestEdpmAsPublished:
    # "the cat stumbled" has two trees of probabilities 1/2 and 1/4: flattened by gamma = 1/2, shares r and 1 - r.
    LISTS = """\
-0.6931471805599453 (TOP (S (NP (DT the) (NN cat)) (VP (VBD stumbled))))
-1.3862943611198906 (TOP (S (DT the) (NP (NN cat)) (VP (VBD stumbled))))
(TOP (S (NP (DT the) (NN cat)) (VP (VBD ate))))
"""

    @pytest.fixture
    def lists(self, tmp_path: Path) -> str:
        (tmp_path / "lists.ptb").write_text(self.LISTS, encoding="utf-8")
        return f"file:{tmp_path / 'lists.ptb'}"

    def score(self, name: str, lists: str, **options: object) -> float:
        metric = get_metric(name, parser=lists, **options)
        return float(metric.score_pairs(["the cat stumbled"], ["the cat ate"])[0])

    def test_by_hand(self, lists: str) -> None:
        r = 2**0.5 / (2**0.5 + 1)
        # dl: the NP/DT in one tree, S/DT in the other; cat S/NP in both; the verb differs. lh: NP/DT cat in one tree;
        # S/NP and S/DT hang on the verb, which differs; TOP/S of the root's head.
        assert self.score("edpm-ab", lists, parts="dl+lh", gamma=0.5) == pytest.approx((r + 1 + r + 1) / 6)
        # Words 2 of 3, pairs 1 of 2.
        whole = (r + 1 + r + 1 + 2 + 1) / (6 + 3 + 2)
        assert self.score("edpm-ab", lists, gamma=0.5) == pytest.approx(whole)
        assert self.score("edpm", lists, gamma=0.5, labels="ab") == self.score("edpm-ab", lists, gamma=0.5)
        assert self.score("edpm-ab", lists, parts="dl", gamma=0) == pytest.approx((1 / 2 + 1) / 3)
        assert self.score("edpm-ab", lists, parts="dl", n=1) == pytest.approx(2 / 3)

    def test_projected_labels(self) -> None:
        tree = DependencyTree((2, 3, 0), ("a", "b", "c"), 0.0)
        other = DependencyTree((3, 3, 0), ("d", "b", "c"), 0.0)
        (sides,) = (parsed_text(["(TOP (S (NP (DT the) (NN cat)) (VP (VBD ate))))"], "x"),)
        line = replace(sides[0], trees=(tree, other))
        same = replace(sides[0], trees=(tree,))
        # the-cat is NP/DT, the-ate is S/NP, each half the time; cat-ate is S/NP, the root TOP/S.
        counts = pair_counts([line], [same], ["dl", "dlh"], Expectation(2, labels="projected"))
        assert counts[0].tolist() == [[2.5, 3.0, 3.0], [2.5, 3.0, 3.0]]
        with pytest.raises(PfsmError, match="gives no constituents, which labels=projected needs"):
            pair_counts([replace(line, constituents=())], [same], ["dl"], Expectation(1, labels="projected"))


def test_error_counts_by_hand() -> None:
    names = [
        "edpm-errors.1g.extra",
        "edpm-errors.1g.missing",
        "edpm-errors.2g.extra",
        "edpm-errors.2g.missing",
    ]
    values = feature_values(names, ["a cat cat"], ["a cat sleeps here"])[0]
    np.testing.assert_allclose(values, [1 / 4, 2 / 4, 1 / 3, 2 / 3])
    names = [
        f"edpm-errors.{part}.{side}" for part in ("dl", "lh", "dlh", "dh") for side in ("extra", "missing")
    ]
    syntactic = feature_values(names, ["the cat sleeps"], ["the cat sleeps"])[0]
    np.testing.assert_allclose(syntactic, 0.0, atol=1e-9)
