"""The shipped parser on held-out sentences; the treebanks are next to the data folder."""

import os
from pathlib import Path

import pytest

from pfsm.analysis.analysers import DEFAULT_PARSER, own_analyser
from pfsm.analysis.conllu import read_conllu
from pfsm.analysis.roles import NOUN
from pfsm.analysis.scoring import evaluate_on_text, evaluate_on_words, score_roles
from pfsm.analysis.wanted import Wanted
from pfsm.commands.parse import gold_roles
from pfsm.io.files import read_lines

_DATA = os.environ.get("PFSM_DATA", "")
_TREEBANKS = Path(_DATA).parent / "treebanks"
_TEST = _TREEBANKS / "UD_English-EWT" / "en_ewt-ud-test.conllu.gz"
_ROLES = _TREEBANKS / "propbank-ewt" / "en_ewt-propbank-test.txt.gz"
N_SENTENCES = 150

pytestmark = pytest.mark.skipif(
    not (_DATA and _TEST.is_file()), reason="PFSM_DATA has no treebanks beside it"
)


def test_attachment_and_tags() -> None:
    sentences = read_conllu(_TEST)[:N_SENTENCES]
    analyser = own_analyser(DEFAULT_PARSER)
    scores = evaluate_on_words(analyser, sentences, None).scores
    # The whole test part is better than that; see the card.
    assert scores.las.f1 > 80
    assert scores.uas.f1 > 83.5
    assert scores.upos.f1 > 92
    text = evaluate_on_text(lambda lines: analyser.analyse(lines, Wanted()), sentences, 1).scores
    assert text.words.f1 > 97
    assert text.las.f1 > scores.las.f1 - 4


def test_roles() -> None:
    gold = gold_roles(str(_TEST), str(_ROLES), read_lines(_TEST))[:N_SENTENCES]
    analyser = own_analyser(DEFAULT_PARSER)
    parsed = analyser.analyse_words([one.tokens for one in gold], Wanted(roles=True, one_sentence=True))
    scores = score_roles(zip(parsed, gold, strict=True))
    # The whole test part is better than that; see the card.
    assert scores.predicates.f1 > 92
    assert scores.arguments.f1 > 64
    wanted = Wanted(roles=True, nominal=True, one_sentence=True)
    parsed = analyser.analyse_words([one.tokens for one in gold], wanted)
    nouns = score_roles(zip(parsed, gold, strict=True), of=NOUN)
    assert nouns.predicates.f1 > 75
    assert nouns.arguments.f1 > 40
    on_gold_trees = score_roles(zip(analyser.labelled(gold, given=True), gold, strict=True))
    assert on_gold_trees.arguments.f1 > scores.arguments.f1 + 4
