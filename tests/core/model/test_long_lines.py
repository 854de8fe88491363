"""Long lines in models of the relative form: sentences are scored one by one."""

from dataclasses import replace

import numpy as np
import pytest

from pfsm import Metric, Model
from pfsm.model.file import Scale
from pfsm.model.long_lines import SENTENCES, long_lines
from pfsm.model.settings import settings_from_dict
from tests.core.model.test_form import added_up

WEIGHTS = {"Insert": -1.0, "Delete": -1.5, "S_word": 1.5, "S_char": 0.2, "feature:chrf": 0.02}
SETTINGS = {"form": "relative", "text": 2, "matchers": ["punct", "word", "char"]}
FEATURES = {"chrf": {"mean": 0.0, "sd": 1.0}}
MODEL = Model(
    "m", settings_from_dict({**SETTINGS, "features": FEATURES}, "x"), WEIGHTS, 0.0, Scale(100.0, 20.0)
)
METRIC = Metric(MODEL, 1)
SENTENCE = "In {} the {} harbour was closed to all ships for {} long months ."
WORDS = (
    *("north", "old", "quiet", "green", "large", "western", "little", "broken"),
    *("famous", "empty", "narrow", "distant", "stone", "upper", "eastern"),
)


def text(first: int, number: int) -> list[str]:
    return [SENTENCE.format(1900 + k, WORDS[k % len(WORDS)], k + 3) for k in range(first, first + number)]


REFERENCE = text(0, 12)
CHANGED = [line.replace("harbour", "port") for line in REFERENCE]


def test_long_pairs_are_the_means_of_their_sentences() -> None:
    (found,) = METRIC.score_pairs([" ".join(CHANGED)], [" ".join(REFERENCE)])
    by_sentence = METRIC.score_pairs(CHANGED, REFERENCE)
    assert found == pytest.approx(by_sentence.mean(), abs=0.3)
    assert found < 99.0
    assert "|form:relative(sentencex@" in METRIC.get_signature()
    for lines in (REFERENCE[:1], REFERENCE[:2]):
        assert long_lines([" ".join(lines)], [" ".join(lines)], "en") is None


def test_no_word_more_moves_a_score_by_much() -> None:
    """One word after the other is added to both sides, through the lengths at which a pair comes apart."""
    reference, hypothesis = (" ".join(side).split() for side in (REFERENCE, CHANGED))
    ends = range(int(SENTENCES[0]) - 6, int(SENTENCES[1]) + 8)
    hypotheses, references = ([" ".join(side[:end]) for end in ends] for side in (hypothesis, reference))
    scores = METRIC.score_pairs(hypotheses, references)
    same = [hypothesis[end] == reference[end] for end in ends[:-1]]
    assert np.abs(np.diff(scores))[same].max() < 1.0
    long = long_lines(hypotheses, references, "en")
    assert long is not None
    np.testing.assert_allclose(np.bincount(long.owner, long.weights), 1.0)
    assert {2, 3, 4} & set(np.bincount(long.owner).tolist())


@pytest.mark.parametrize("words", [50, 500, 5000])
def test_what_is_equal_has_100_with_and_without_sentences(words: int) -> None:
    lines = [" ".join(["lamp"] * words), " ".join((" ".join(text(0, 400))).split()[:words]), "灯。" * words]
    metric = Metric(replace(MODEL, settings=replace(MODEL.settings, tokeniser="plain")), 1)
    assert metric.score_pairs(lines, lines).tolist() == [100.0] * 3
    near = [line.replace("1900", "1800", 1) for line in lines[1:2]]
    score = metric.score_pairs(near, lines[1:2])[0]
    assert 100.0 - 1000.0 / words < score < 100.0


def test_a_sentence_missing_or_added_costs_its_share() -> None:
    whole = " ".join(REFERENCE)
    costs = []
    for number in (12, 24, 48):
        reference = text(0, number)
        more = "Nobody had expected such violent storms before winter came ."
        missing, added = [*reference[:5], *reference[6:]], [*reference[:5], more, *reference[5:]]
        pairs = [" ".join(missing), " ".join(added)], [" ".join(reference)] * 2
        costs.append((100.0 - METRIC.score_pairs(*pairs)) * number)
    assert np.ptp(costs, axis=0).max() < 0.25 * np.min(costs)
    assert METRIC.score_pairs([""], [whole])[0] == pytest.approx(
        METRIC.score_pairs([""], REFERENCE[:1])[0], abs=3.0
    )


def test_explanations_of_long_lines_add_up() -> None:
    references = [" ".join(REFERENCE), " ".join(REFERENCE[:3]), "A short one .", " ".join(REFERENCE)]
    changed = " ".join(CHANGED), " ".join(CHANGED[:3]), " ".join([*CHANGED[:4], *CHANGED[5:]])
    hypotheses = [*changed[:2], "A shorter one .", changed[2]]
    scores = METRIC.score_pairs(hypotheses, references)
    for one, reference in zip(added_up(METRIC, hypotheses, references), references, strict=True):
        assert " ".join(one.reference) == reference
        for edit in one.edits:
            if edit.state == "S_word":
                own, other = one.reference[slice(*edit.reference)], one.hypothesis[slice(*edit.hypothesis)]
                assert own == other
    prepared = METRIC.prepare(hypotheses, references)
    assert len(prepared) == 4
    np.testing.assert_array_equal(prepared.scores(MODEL), scores)
    np.testing.assert_array_equal(METRIC.score_pairs(hypotheses[::-1], references[::-1])[::-1], scores)
