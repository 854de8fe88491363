"""The shipped parser on held-out sentences; the treebanks are next to the data folder."""

import os
from pathlib import Path

import pytest

from pfsm.analysis.analysers import DEFAULT_PARSER, own_analyser
from pfsm.analysis.conllu import read_conllu
from pfsm.analysis.parser.parse import Wanted
from pfsm.analysis.parser_evaluation import evaluate_on_text, evaluate_on_words

_DATA = os.environ.get("PFSM_DATA", "")
_TEST = Path(_DATA).parent / "treebanks" / "UD_English-EWT" / "en_ewt-ud-test.conllu.gz"
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
