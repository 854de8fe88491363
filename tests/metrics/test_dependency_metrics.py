"""EDPM, HWCM and DSTM by their names: parts, head rules, labels of constituents, faults."""

from dataclasses import replace
from pathlib import Path

import pytest

from pfsm import PfsmError
from pfsm.analysis.programs import parsed_text
from pfsm.analysis.sentence import DependencyTree
from pfsm.features.values import feature_values
from pfsm.metrics import get_metric
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


class TestByHand:
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
