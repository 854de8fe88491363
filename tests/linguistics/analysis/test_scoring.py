"""Scores of parses by hand, and the shipped parser on held-out sentences of treebanks beside the data folder."""

import math
import os
from pathlib import Path

import numpy as np
import pytest

from pfsm.io.files import read_lines
from pfsm_linguistics.analysers.registry import DEFAULT_PARSER, own_analyser
from pfsm_linguistics.analysers.scoring import (
    calibration,
    evaluate_on_text,
    score_brackets,
    score_parses,
    score_roles,
)
from pfsm_linguistics.analysis.alignment import align, squeezed
from pfsm_linguistics.analysis.conllu import read_conllu
from pfsm_linguistics.analysis.constituents import parse_brackets
from pfsm_linguistics.analysis.roles import NOUN
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree, Marginals
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.commands.parse import gold_roles


def analysis(words: str, heads: tuple[int, ...], labels: str, upos: str = "") -> Analysis:
    tree = DependencyTree(heads, tuple(labels.split()))
    return Analysis(tuple(words.split()), (0,), tuple(upos.split()), (), (tree,))


def test_attachment_by_hand() -> None:
    gold = analysis("a b c d", (2, 0, 2, 3), "det root obj:x case", "D V N P")
    system = analysis("a b c d", (2, 0, 4, 2), "det root obj case", "D V N N")
    scores = score_parses([(system, gold), (gold, gold)])
    assert scores.uas.f1 == pytest.approx(100 * 6 / 8)
    assert scores.las.f1 == pytest.approx(100 * 6 / 8)
    assert scores.upos.f1 == pytest.approx(100 * 7 / 8)
    assert scores.words.f1 == 100.0


def test_subtypes_do_not_count_and_labels_do() -> None:
    gold = analysis("a b", (2, 0), "nsubj:pass root")
    assert score_parses([(analysis("a b", (2, 0), "nsubj root"), gold)]).las.correct == 2
    assert score_parses([(analysis("a b", (2, 0), "obj root"), gold)]).las.correct == 1


def test_words_cut_differently_count_against_precision_and_recall() -> None:
    gold = analysis("do n't go", (3, 3, 0), "aux advmod root")
    system = analysis("don't go", (2, 0), "aux root")
    scores = score_parses([(system, gold)])
    # One word of two and three in common, and it is the root of both.
    assert (scores.words.correct, scores.words.system, scores.words.gold) == (1, 2, 3)
    assert scores.las.f1 == pytest.approx(100 * 2 * 1 / 5)


def test_brackets_by_hand() -> None:
    gold = parse_brackets("(TOP (S (NP (PRP I)) (VP (VBP go) (PRT (RP on))) (. .)))").tree
    system = parse_brackets("(TOP (S (NP (PRP I)) (VP (VBP go)) (ADVP (RB on)) (. .)))").tree
    # S, NP and ADVP (for PRT) agree; the verb phrases differ.
    agreement = score_brackets(system, gold)
    assert (agreement.correct, agreement.system, agreement.gold) == (3, 4, 4)
    # The final period does not count, so that attaching it elsewhere is no fault.
    moved = parse_brackets("(TOP (S (NP (PRP I)) (VP (VBP go) (PRT (RP on)) (. .))))").tree
    assert score_brackets(moved, gold).f1 == 100.0


def test_calibration_by_hand() -> None:
    marginals = Marginals(
        ("x",),
        np.array([0, 0, 1, 1], dtype=np.int32),
        np.array([0, 2, 0, 1], dtype=np.int32),
        np.zeros(4, dtype=np.int32),
        np.array([0.75, 0.25, 0.23, 0.77]),
    )
    system = Analysis(("a", "b"), (0,), (), (), (DependencyTree((0, 1), ("root", "x")),), marginals)
    gold = analysis("a b", (0, 1), "root x")
    found = calibration([(system, gold)])
    assert found.arcs.tolist() == [0, 0, 2, 0, 0, 0, 0, 2, 0, 0]
    assert found.mean[[2, 7]] == pytest.approx([0.24, 0.76])
    assert found.accuracy[[2, 7]].tolist() == [0.0, 1.0]
    assert math.isnan(found.mean[0])


def test_alignment_by_characters() -> None:
    ours, theirs = ["``", "well-known", "do", "n't", "''"], ['"', "well", "-", "known", "don't", '"']
    assert squeezed(ours) == squeezed(theirs)
    found = align(ours, theirs)
    assert found is not None
    assert found.first.tolist() == [0, 1, 4, 4, 5]
    assert found.last.tolist() == [0, 3, 4, 4, 5]
    assert found.ours.tolist() == [0, 1, 1, 1, 2, 4]
    assert align(["a"], ["b"]) is None


_DATA = os.environ.get("PFSM_DATA", "")
_TREEBANKS = Path(_DATA).parent / "treebanks"
_TEST = _TREEBANKS / "UD_English-EWT" / "en_ewt-ud-test.conllu.gz"
_ROLES = _TREEBANKS / "propbank-ewt" / "en_ewt-propbank-test.txt.gz"
N_SENTENCES = 80


@pytest.mark.skipif(not (_DATA and _TEST.is_file()), reason="PFSM_DATA has no treebanks beside it")
def test_the_shipped_parser_on_a_treebank() -> None:
    """The whole test part is better than that; see the card."""
    gold = gold_roles(str(_TEST), str(_ROLES), read_lines(_TEST))[:N_SENTENCES]
    analyser = own_analyser(DEFAULT_PARSER)
    wanted = Wanted(roles=True, nominal=True, one_sentence=True)
    parsed = analyser.analyse_words([one.tokens for one in gold], wanted)
    trees = score_parses(zip(parsed, gold, strict=True))
    assert trees.las.f1 > 80
    assert trees.uas.f1 > 83.5
    assert trees.upos.f1 > 92
    scores = score_roles(zip(parsed, gold, strict=True))
    assert scores.predicates.f1 > 92
    assert scores.arguments.f1 > 64
    nouns = score_roles(zip(parsed, gold, strict=True), of=NOUN)
    assert nouns.predicates.f1 > 75
    assert nouns.arguments.f1 > 40
    on_gold_trees = score_roles(zip(analyser.labelled(gold, given=True), gold, strict=True))
    assert on_gold_trees.arguments.f1 > scores.arguments.f1 + 4
    sentences = read_conllu(_TEST)[: N_SENTENCES // 2]
    text = evaluate_on_text(lambda lines: analyser.analyse(lines, Wanted()), sentences, 1).scores
    assert text.words.f1 > 97
    assert text.las.f1 > trees.las.f1 - 4
