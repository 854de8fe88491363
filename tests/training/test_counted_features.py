"""Features that count over references: a model keeps the counts of its training data, and needs no others."""

import json
from typing import Any

import numpy as np
import pytest

from pfsm import Model, PfsmError
from pfsm.features.values import FeatureSet
from pfsm.model.file import model_from_dict
from pfsm_training import train
from pfsm_training.config import config_from_dict
from tests.oracles.nist import Information, score, totals
from tests.training.small_data import invented

NAMES = ["nist.*", "sp-nist-p_i", "bleu"]
JUDGMENTS = invented(4, segments=25)
OTHERS = invented(5, segments=6)


@pytest.fixture(scope="module", name="model")
def _model() -> Model:
    config = config_from_dict({"edits": False, "features": NAMES, "lambda": 5}, "settings")
    return train(JUDGMENTS, config=config, threads=1)


def label(model: Model) -> str:
    return next(name for name in model.settings.features if name.startswith("nist.1")).partition("=")[2][:-1]


def test_the_counts_are_those_of_the_training_references(model: Model) -> None:
    lines = list(dict.fromkeys(JUDGMENTS.references))
    words = [[word.lower() for word in line.split()] for line in lines]
    information = Information(words)
    repeated = {" ".join(gram): count for gram, count in information.counts.items() if count > 1}
    assert len(repeated) > 30
    assert model.settings.counts[label(model)] == {"words": information.n_words, "counts": repeated}
    assert len(model.settings.counts) == 2
    # The reference and the hypothesis of other data: what training never saw counts once.
    features = FeatureSet([f"nist.upto_5(info={label(model)})"])
    ours, theirs = (
        [line.lower().split() for line in side] for side in (OTHERS.hypotheses, OTHERS.references)
    )
    wanted = [score([totals(h, [r], information)]) for h, r in zip(ours, theirs, strict=True)]
    found = features.values(OTHERS.hypotheses, OTHERS.references)[:, 0]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_what_a_file_must_have(model: Model) -> None:
    document: dict[str, Any] = json.loads(json.dumps(model.to_dict()))
    counts = document["settings"]["counts"]
    counts[label(model)]["counts"]["."] += 1
    with pytest.raises(PfsmError, match=rf"m.json: settings: counts: {label(model)} has the content of"):
        fresh(document)
    del counts[label(model)]
    with pytest.raises(PfsmError, match=rf"m.json: settings: .*there are no counts {label(model)}"):
        fresh(document)
    document["settings"]["counts"] = [1]
    with pytest.raises(PfsmError, match=r"m\.json: settings: counts is"):
        fresh(document)
    del document["settings"]["counts"]
    document["settings"]["features"] = {"nist.1": {"mean": 0.0, "sd": 1.0}}
    document["weights"] = {"feature:nist.1": 1.0}
    with pytest.raises(
        PfsmError, match=r"m\.json: settings: feature nist.1: .* the model has no counts; train it"
    ):
        fresh(document)


def fresh(document: dict[str, Any]) -> Model:
    """The model as a process reads it that knows no counts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pfsm.metrics.ngram_table._known", {})
        return model_from_dict(document, "m.json")
