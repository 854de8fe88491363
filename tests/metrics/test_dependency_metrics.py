"""EDPM, HWCM, DSTM and DTKM by their names: parts, options, corpora, other parsers, faults."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pfsm import PfsmError
from pfsm.analysis.programs import parsed_text
from pfsm.analysis.sentence import DependencyTree
from pfsm.features.values import feature_signature, feature_values
from pfsm.metrics import get_metric
from pfsm.metrics.analysed import PrecisionRecallMetric
from pfsm.metrics.registry import feature_names
from pfsm.metrics.syntax.dependency_pairs import Expectation, pair_counts

# Of each word: form, tag, head, relation.
_TREES = {
    "I have a red pen": "I/PRP/2/nsubj have/VBP/0/root a/DT/5/det red/JJ/5/amod pen/NN/2/obj",
    "I have a pen": "I/PRP/2/nsubj have/VBP/0/root a/DT/4/det pen/NN/2/obj",
    "the cat stumbled": "the/DT/2/det cat/NN/3/nsubj stumbled/VBD/0/root",
    "the red cat ate": "the/DT/3/det red/JJ/3/amod cat/NN/4/nsubj ate/VBD/0/root",
    "Yes": "Yes/UH/0/root",
}
HYPOTHESES = ["I have a red pen", "the cat stumbled", "", "Yes"]
REFERENCES = ["I have a pen", "the red cat ate", "", ""]
NAMES = ("edpm", "dpm", "hwcm", "hwcm-c", "hwcm-r", "dstm")


@pytest.fixture(scope="module", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PFSM_RESOURCES", str(tmp_path_factory.mktemp("cache")))
        yield


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


def counted(name: str, parser: str, **options: object) -> PrecisionRecallMetric:
    metric = get_metric(name, parser=parser, **options)
    assert isinstance(metric, PrecisionRecallMetric)
    return metric


class TestByHand:
    def test_segments(self, parser: str) -> None:
        # dl, lh: 3 + 3 of 5 + 5 and 4 + 4 (det and amod hang on pen); 2 + 2 of 3 + 3 and 4 + 4.
        assert counted("dpm", parser).score_pairs(HYPOTHESES, REFERENCES).tolist() == pytest.approx(
            [2 * 8 / 18, 2 * 4 / 14, 1.0, 0.0]
        )
        # 1g, 2g: 4 and 2 shared of 5, 4 and 4, 3; 2 and 0 of 3, 2 and 4, 3.
        assert counted("edpm", parser, n=1).score_pairs(HYPOTHESES, REFERENCES).tolist() == pytest.approx(
            [2 * 14 / (19 + 15), 2 * 6 / (11 + 15), 1.0, 0.0]
        )
        assert counted("hwcm", parser).score_pairs(HYPOTHESES, REFERENCES).tolist() == pytest.approx(
            [(4 / 5 + 3 / 4 + 1 / 2) / 3, (2 / 3 + 1 / 2 + 0) / 3, 1.0, 0.0]
        )
        assert counted("hwcm-c", parser).score_pairs(HYPOTHESES, REFERENCES)[1] == pytest.approx(1.0)
        assert counted("hwcm-r", parser).score_pairs(HYPOTHESES[:1], REFERENCES[:1])[0] == pytest.approx(
            (4 / 5 + 3 / 4 + 1 / 2) / 3
        )

    def test_corpora_pool_the_counts(self, parser: str) -> None:
        assert counted("dpm", parser).corpus_score(HYPOTHESES, [REFERENCES]) == pytest.approx(
            2 * (8 + 4) / (10 + 6 + 2 + 8 + 8)
        )
        assert counted("dpm", parser, mean="pr").corpus_score(HYPOTHESES, [REFERENCES]) == pytest.approx(
            4 / (2 * 9 / 6 + 2 * 8 / 6)
        )
        # Words, pairs and chains of three; a segment that stands there twice counts twice.
        twice, references = ([*side, side[1]] for side in (HYPOTHESES, REFERENCES))
        wanted = ((4 + 2 + 2) / (5 + 3 + 1 + 3) + (3 + 1 + 1) / (4 + 2 + 2) + 1 / (2 + 1 + 1)) / 3
        assert counted("hwcm", parser).corpus_score(twice, [references]) == pytest.approx(wanted)
        wanted = ((4 + 2) / (5 + 3 + 1) + (1 + 0) / (2 + 2) + 0 / 2) / 3
        assert counted("dstm", parser).corpus_score(HYPOTHESES, [REFERENCES]) == pytest.approx(wanted)
        with pytest.raises(ValueError, match="no segments"):
            counted("dstm", parser).corpus_score([], [[]])

    @pytest.mark.parametrize("name", NAMES)
    def test_a_corpus_of_one_segment_is_the_segment(self, name: str, parser: str) -> None:
        metric = counted(name, parser)
        for pair in zip(HYPOTHESES, REFERENCES, strict=True):
            hypotheses, references = ([line] for line in pair)
            segment = metric.score_pairs(hypotheses, references)[0]
            assert metric.corpus_score(hypotheses, [references]) == pytest.approx(segment, abs=1e-12)

    def test_parts(self, parser: str) -> None:
        names = [f"dpm.{part}(parser={parser})" for part in ("dl.p", "dl.r", "dh.p", "2g.r", "1g.p")] + [
            f"hwcm.{k}(parser={parser})" for k in (2, 4)
        ]
        found = feature_values(names, HYPOTHESES, REFERENCES)
        assert found[0].tolist() == pytest.approx([4 / 5, 4 / 4, 4 / 5, 2 / 3, 4 / 5, 3 / 4, 1.0])
        assert found[1].tolist() == pytest.approx([2 / 3, 2 / 4, 1 / 3, 0.0, 2 / 3, 1 / 2, 1.0])
        assert found[2].tolist() == [1.0] * 7
        # Nobody has neighbours or chains there, and the reference has no word at all.
        assert found[3].tolist() == [0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0]

    def test_labels_and_lists_of_other_parsers(self, parser: str) -> None:
        # One tree stands in for a list of trees; probabilities of arcs cannot be had.
        np.testing.assert_array_equal(
            counted("edpm", parser).score_pairs(HYPOTHESES, REFERENCES),
            counted("edpm", parser, n=1).score_pairs(HYPOTHESES, REFERENCES),
        )
        with pytest.raises(PfsmError, match=r"no probabilities of arcs \(n=50 counts"):
            get_metric("edpm-exact", parser=parser).score_pairs(["Yes"], ["Yes"])
        with pytest.raises(PfsmError, match="no tree that this metric could use of 'Yes'"):
            get_metric("dpm", parser=parser, labels="ab").score_pairs(["Yes"], ["Yes"])


def test_backing_off_where_something_is_missing(parser: str) -> None:
    lines = [[*HYPOTHESES[:2], "Yes"], [*REFERENCES[:2], "Yes"]]
    for name, options, good in (
        ("dpm", "", True),
        ("edpm-exact", "", False),
        ("dpm", ",labels=ab", False),
        ("hwcm-c", "", True),
        ("dtkm", "", True),
    ):
        plain = get_metric(f"{name if good else 'ol'}{f'(parser={parser}{options})' if good else ''}")
        found = get_metric(f"{name}_b(parser={parser}{options},scale=1)").score_pairs(*lines)
        np.testing.assert_array_equal(found, plain.score_pairs(*lines))


def test_the_parser_that_ships() -> None:
    hypotheses = ["The cat saw a dog.", "Did they ask us?"]
    references = ["The cat has seen a dog.", "They never asked us why."]
    for name in (*NAMES, "edpm-exact", "dtkm", "dpm(labels=ab)", "edpm-exact(gamma=0.25)"):
        metric = get_metric(name)
        scores = metric.score_pairs(hypotheses, references)
        assert (scores > 0).all(), name
        assert scores[1] < 1, name
        assert metric.score_pairs(references, references) == pytest.approx([1.0, 1.0])
        assert "parser:en-ewt@" in metric.signature


def test_the_exact_sums_are_near_those_of_a_long_list() -> None:
    hypotheses, references = ["He saw the man with a dog."], ["He saw a man who had the dog."]
    exact, long, short = (
        get_metric("dpm", n=n, parts="dl+lh+dlh+dh").score_pairs(hypotheses, references)[0]
        for n in ("all", 1000, 1)
    )
    assert abs(exact - long) < abs(exact - short)


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
            ("hwcm(length=2)", (4 / 5 + 2 / 4) / 2),
            ("hwcm-c(length=4)", 1.0),
            ("hwcm-r", 1.0),
            # Words; sat(We, on), on(bench), bench(a): 2 of 3; on(bench(a)) of two; nothing of depth 4.
            ("dstm", (4 / 5 + 2 / 3 + 1 / 2 + 0) / 4),
        ],
    )
    def test_by_hand(self, name: str, wanted: float, trees: str) -> None:
        metric = get_metric(name, heads="collins", parser=trees)
        assert metric.score_pairs([self.ONE], [self.OTHER])[0] == pytest.approx(wanted)
        assert metric.score_pairs([self.ONE, ""], [self.ONE, ""]).tolist() == [1.0, 1.0]
        assert "|heads:collins|" in metric.signature
        assert "|heads:ud|" in get_metric(name, parser=trees).signature

    def test_the_kernel(self, trees: str) -> None:
        # Subtrees of bench(a): itself, bench and a alone; of on(bench): one with bench open, one with all; sat has
        # (We, on) with on open or as on has it, and itself alone.
        shared, own = 3 + (1 + 2) + 1, 3 + (1 + 2) + 1 + (1 + 3)
        found = get_metric("dtkm", heads="collins", parser=trees).score_pairs([self.ONE], [self.OTHER])
        assert found[0] == pytest.approx(shared / own)

    def test_what_has_no_constituents(self, trees: str, parser: str) -> None:
        metric = get_metric("hwcm", heads="collins", parser=trees)
        assert metric.score_pairs(["Lost words"], ["Yes"]).tolist() == [0.0]
        assert get_metric("hwcm_b", heads="collins", parser=trees, scale=1).score_pairs(
            ["Lost words", "Gone words"], ["Lost words", "Yes"]
        ).tolist() == [1.0, 0.0]
        with pytest.raises(PfsmError, match="gives no constituents, which heads=collins needs, of"):
            get_metric("hwcm", heads="collins", parser=parser).score_pairs(["Yes"], ["Yes"])
        with pytest.raises(PfsmError, match="heads is 'x', it must be ud or collins"):
            get_metric("hwcm(heads=x)")

    def test_as_features_and_with_the_parser_that_ships(self) -> None:
        names = [
            "hwcm(heads=collins)",
            "hwcm.1(heads=collins)",
            "dstm.2(heads=collins)",
            "dtkm(heads=collins)",
        ]
        lines = ["The cat saw a dog, and it ran.", "Did they ask us?"]
        assert feature_values(names, lines, lines) == pytest.approx(1.0)
        for name in names:
            assert ",heads:collins," in feature_signature(name)
        one, other = (get_metric("hwcm", heads=heads).score_pairs(lines[:1], ["A cat has seen the dog run."])[0]
                      for heads in ("ud", "collins"))  # fmt: skip
        assert one != other


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

    def test_its_defaults(self) -> None:
        signature = get_metric("edpm-ab").signature
        assert "|parts:1g+2g+dl+lh|trees:50|gamma:0.25|mean:f|labels:ab|" in signature
        assert signature.replace("labels:ab", "labels:ud") == get_metric("edpm").signature
        assert "edpm-ab.dl.p" in feature_names()

    def test_the_parser_that_ships(self) -> None:
        hypotheses, references = ["He saw the man with a dog."], ["He saw a man who had the dog."]
        names = [
            "edpm-ab",
            "edpm(labels=projected)",
            "edpm-exact(labels=projected)",
            "edpm",
            "dpm(labels=projected)",
        ]
        scores = [get_metric(name).score_pairs(hypotheses, references)[0] for name in names]
        assert len(set(scores)) == len(scores)
        for name in names:
            assert get_metric(name).score_pairs(references, references)[0] == pytest.approx(1.0)
        # One tree of each kind has the labels of that tree.
        assert get_metric("edpm-ab", n=1).score_pairs(hypotheses, references) == pytest.approx(
            get_metric("edpm", n=1, labels="ab").score_pairs(hypotheses, references)
        )

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

    def test_what_is_missing(self, parser: str) -> None:
        assert get_metric("edpm-ab_b", parser=parser, scale=1).score_pairs(["Yes"], ["Yes"]).tolist() == [1.0]
        for name in ("edpm-ab", "edpm(labels=projected)"):
            with pytest.raises(PfsmError, match="the parser gives no"):
                get_metric(name, parser=parser).score_pairs(["Yes"], ["Yes"])
