"""Tests of the plug-in, run after `pip install .`: what it finds, and that it keeps pfsm's promises."""

from pathlib import Path

import numpy as np
import pytest
from pfsm_glossary.glossary import read_glossary
from pfsm_glossary.matcher import GlossaryMatcher

from pfsm.errors import PfsmError
from pfsm.matchers.plugin import EncodedPairs
from pfsm.metrics import get_metric
from pfsm.testing import check
from pfsm.text.vocabulary import Vocabulary

TERMS = Path(__file__).resolve().parent.parent / "terms.tsv"
REFERENCE, HYPOTHESIS = "Turn off the automobile now", "the user must Switch off the car"


def blocks(reference: str, hypothesis: str, max_block: int = 3) -> dict[tuple[int, ...], str]:
    """The blocks (i, p, j, q) that match, and the feature of each."""
    vocabulary = Vocabulary("plain", "none")
    pairs = EncodedPairs(vocabulary, vocabulary.encode([reference]), vocabulary.encode([hypothesis]))
    offers = GlossaryMatcher(max_block, {"file": str(TERMS)}).offers(pairs)
    names = [offers.names[number] for number in offers.feature.tolist()]
    return {tuple(row[1:]): name for row, name in zip(offers.blocks.tolist(), names, strict=True)}


def test_terms_match_whatever_their_length() -> None:
    assert blocks(REFERENCE, HYPOTHESIS) == {
        (0, 2, 3, 2): "glossary:preferred",
        (3, 1, 6, 1): "glossary:preferred",
    }
    assert blocks("the operator", "the user") == {(1, 1, 1, 1): "glossary:variant"}
    assert blocks("the user manual", "a handbook") == {(1, 2, 1, 1): "glossary:variant"}


def test_what_does_not_match() -> None:
    assert blocks(REFERENCE, HYPOTHESIS, 1) == {(3, 1, 6, 1): "glossary:preferred"}
    assert blocks("the car", "the car") == {}
    assert blocks("", HYPOTHESIS) == {}


def test_the_model_holds_the_terms() -> None:
    vocabulary = Vocabulary("plain", "none")
    none = vocabulary.encode([])
    learned = GlossaryMatcher.learn({"file": str(TERMS)}, EncodedPairs(vocabulary, none, none))
    assert learned["terms"][0] == ["car", "automobile"]
    assert GlossaryMatcher.check(learned, "x") == learned
    assert GlossaryMatcher(2, learned).resources == (read_glossary(str(TERMS)).label,)


@pytest.mark.parametrize("options", [{}, {"file": 3}, {"fiel": "x"}, {"terms": [["a"]], "label": "x"}])
def test_bad_options(options: dict[str, object]) -> None:
    with pytest.raises(PfsmError, match=r"^x: "):
        GlossaryMatcher.check(options, "x")


def test_bad_files(tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text("a\tb\nc\n", encoding="utf-8")
    with pytest.raises(PfsmError, match=r"bad.tsv:2: has not two columns"):
        read_glossary(str(path))


def test_the_metric() -> None:
    metric = get_metric("glossary", file=str(TERMS))
    hypotheses = ["the car is on", "switch it off", "no terms", "a display"]
    references = ["the automobile is on", "turn off the screen", "no terms here", "the screen of a car"]
    scores = metric.score_pairs(hypotheses, references)
    np.testing.assert_array_equal(scores, [1.0, 0.0, 1.0, 0.5])
    # One of one, none of two, none of none, one of two.
    assert metric.corpus_score(hypotheses, [references]).score == 2 / 5
    assert read_glossary(str(TERMS)).label in metric.get_signature(1)


SAMPLES = ((HYPOTHESIS, REFERENCE), ("the user manual", "a handbook"))


def test_the_matcher_passes_the_checks_of_pfsm() -> None:
    check("glossary", "matcher", options={"file": str(TERMS)}, samples=SAMPLES)


def test_the_metric_passes_the_checks_of_pfsm() -> None:
    check(f"glossary(file={TERMS})", "metric", samples=SAMPLES)
