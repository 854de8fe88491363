"""Alignments of many pairs: the edits, posteriors and points that explanations give one pair at a time."""

import numpy as np
import pytest

import pfsm
from pfsm.lattice.names import JUMP
from pfsm.model.explain.alignments import BASE, ENTROPY
from pfsm.model.metric import Metric
from tests.model_cases import WEIGHTS, model, random_weights

REFERENCES = ["yesterday the dog barked at us", "a b c d", "", "the cats sat", "only here"]
HYPOTHESES = ["the dogs barked at us yesterday", "c d a b", "a new line", "the cat sat down", ""]


def metrics() -> dict[str, Metric]:
    rng = np.random.default_rng(3)
    return {
        "plain": Metric(model(), 1),
        "blocks and jumps": Metric(
            model(
                settings={"language": "en", "max_block": 2, "max_jump": 3},
                weights={**random_weights(rng), "Jump": -0.25, "Jump>S_word": 1.5},
            ),
            2,
        ),
        "word classes": Metric(
            model(
                settings={"language": "en", "max_block": 1, "split": ["Insert", "Delete"], "classes": "en"},
                weights={**WEIGHTS, "Insert:function": 0.5, "Delete:content": -0.75},
            )
        ),
        "shipped": pfsm.load("en", 1),
    }


@pytest.mark.parametrize("name", list(metrics()))
def test_they_agree_with_explanations(name: str) -> None:
    metric = metrics()[name]
    hypotheses, references = HYPOTHESES, REFERENCES
    found = metric.alignments(hypotheses, references)
    scores = metric.score_pairs(hypotheses, references)
    np.testing.assert_allclose(found.points.sum(axis=1), scores, rtol=1e-12, atol=1e-12)
    place = {part: number for number, part in enumerate(found.parts)}
    for row, whole in enumerate(metric.explanations(hypotheses, references)):
        pair = found.pairs[row]
        assert (pair.reference, pair.hypothesis, pair.edits) == (
            whole.reference,
            whole.hypothesis,
            whole.edits,
        )
        assert len(pair.posteriors) == len(pair.edits)
        for edit, posterior in zip(pair.edits, pair.posteriors, strict=True):
            if edit.state == JUMP:
                assert posterior == 1.0
                continue
            same = [
                part.posterior
                for part in whole.contributions
                if part.state == edit.state
                and (edit.reference[0] == edit.reference[1] or part.reference == edit.reference)
                and (edit.hypothesis[0] == edit.hypothesis[1] or part.hypothesis == edit.hypothesis)
            ]
            assert posterior == pytest.approx(sum(same), abs=1e-9)
        for state in {part.state for part in whole.contributions}:
            parts = [part for part in whole.contributions if part.state == state]
            assert found.points[row, place[state]] == pytest.approx(
                sum(one.points for one in parts), abs=1e-9
            )
            assert found.counts[row, place[state]] == pytest.approx(
                sum(one.posterior for one in parts), abs=1e-9
            )
        if whole.edits:
            assert found.points[row, place[ENTROPY]] == pytest.approx(whole.entropy, abs=1e-9)
        assert found.points[row, place[BASE]] == whole.base
        for feature in whole.features:
            assert found.points[row, place[feature.name]] == feature.points
