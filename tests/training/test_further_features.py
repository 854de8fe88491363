"""Features of more than a pair of texts: counts over references, which a model keeps, and columns of the data."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pfsm import Metric, Model, PfsmError
from pfsm.data import Judgments, Preferences
from pfsm.features.values import FeatureSet
from pfsm.model.builder import LatticeBuilder
from pfsm.model.file import model_from_dict
from pfsm.model.mbr import choose
from pfsm_training import train
from pfsm_training.config import config_from_dict
from pfsm_training.data.distributed import block_of, build, resources_of
from pfsm_training.data.training_text import TrainingText
from tests.oracles.nist import Information, score, totals
from tests.training.small_data import invented

NAMES = ["nist.*", "sp-nist-p_i", "bleu"]
COUNTED = invented(4, segments=25)
OTHERS = invented(5, segments=6)


@pytest.fixture(scope="module", name="counting")
def _counting() -> Model:
    config = config_from_dict({"edits": False, "features": NAMES, "lambda": 5}, "settings")
    return train(COUNTED, config=config, threads=1)


def label(model: Model) -> str:
    return next(name for name in model.settings.features if name.startswith("nist.1")).partition("=")[2][:-1]


def test_the_counts_are_those_of_the_training_references(counting: Model) -> None:
    lines = list(dict.fromkeys(COUNTED.references))
    words = [[word.lower() for word in line.split()] for line in lines]
    information = Information(words)
    repeated = {" ".join(gram): count for gram, count in information.counts.items() if count > 1}
    assert len(repeated) > 30
    assert counting.settings.counts[label(counting)] == {"words": information.n_words, "counts": repeated}
    assert len(counting.settings.counts) == 2
    # The reference and the hypothesis of other data: what training never saw counts once.
    features = FeatureSet([f"nist.upto_5(info={label(counting)})"])
    ours, theirs = (
        [line.lower().split() for line in side] for side in (OTHERS.hypotheses, OTHERS.references)
    )
    wanted = [score([totals(h, [r], information)]) for h, r in zip(ours, theirs, strict=True)]
    found = features.values(OTHERS.hypotheses, OTHERS.references)[:, 0]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_what_a_file_must_have(counting: Model) -> None:
    document: dict[str, Any] = json.loads(json.dumps(counting.to_dict()))
    counts = document["settings"]["counts"]
    counts[label(counting)]["counts"]["."] += 1
    with pytest.raises(PfsmError, match=rf"m.json: settings: counts: {label(counting)} has the content of"):
        fresh(document)
    del counts[label(counting)]
    with pytest.raises(PfsmError, match=rf"m.json: settings: .*there are no counts {label(counting)}"):
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


RNG = np.random.default_rng(3)
PLAIN = invented(4, segments=20)
QUALITY = RNG.normal(2.0, 3.0, len(PLAIN)).round(4)
JUDGMENTS = replace(
    PLAIN,
    scores=PLAIN.scores + 5.0 * QUALITY,
    columns={**PLAIN.columns, "quality": tuple(map(str, QUALITY.tolist()))},
)
ALONE = {"edits": False, "features": ["column:quality"]}
WITH_EDITS = {"matchers": ["punct", "word"], "features": ["column:quality", "length_ratio"]}


def trained(options: dict[str, Any], data: Judgments = JUDGMENTS, **others: Any) -> Model:
    return train(data, config=config_from_dict(options, "settings"), threads=1, **others)


@pytest.fixture(scope="module")
def model() -> Model:
    return trained(WITH_EDITS)


def test_preferences_have_a_number_on_each_side() -> None:
    # One pair of texts throughout: the numbers alone tell better from worse, and each row is a pair of its own.
    rng = np.random.default_rng(5)
    better, worse = rng.normal(1.0, 1.0, 40), rng.normal(0.0, 1.0, 40)

    def preferences(names: tuple[str, str]) -> Preferences:
        columns = dict(zip(names, (tuple(map(repr, side.tolist())) for side in (better, worse)), strict=True))
        same = ("a b",) * 40
        return Preferences(same, same, same, np.ones(40), columns, ())

    config = config_from_dict({**ALONE, "lambda": 0.5}, "settings")
    both = [
        train(None, preferences=preferences(names), config=config, threads=1)
        for names in (("quality_better", "quality_worse"), ("better_quality", "worse_quality"))
    ]
    assert both[0].weights == both[1].weights
    (weight,) = both[0].weights.values()
    values = np.concatenate([better, worse])
    margins = (better - worse) / values.std()
    # The derivative of sum log(1 + exp(-w m)) + .5 w^2 vanishes.
    slope = (-margins / (1.0 + np.exp(weight * margins))).sum() + 2 * 0.5 * weight
    assert slope == pytest.approx(0.0, abs=1e-5)
    assert weight > 0.5
    with pytest.raises(PfsmError, match=r"no column 'quality_better' .*; the other columns are 'x', 'y'"):
        train(None, preferences=preferences(("x", "y")), config=config)


def test_every_way_to_score_takes_columns(model: Model) -> None:
    metric = Metric(model, 1)
    hypotheses, references = list(JUDGMENTS.hypotheses[:4]), list(JUDGMENTS.references[:4])
    others = [None, *JUDGMENTS.references[5:8]]
    numbers = {"quality": [0.5, -1.0, 2.0, 3.0]}
    pairs = metric.score_pairs(hypotheses, references, numbers)
    last = {"quality": numbers["quality"][1:]}
    best = np.maximum(pairs[1:], metric.score_pairs(hypotheses[1:], JUDGMENTS.references[5:8], last))
    segments = metric.segment_scores(hypotheses, [references, others], numbers)
    assert segments.tolist() == [pairs[0], *best.tolist()]
    assert metric.corpus_score(hypotheses, [references, others], numbers).score == pytest.approx(
        segments.mean()
    )
    sentence = metric.sentence_score(hypotheses[2], [references[2]], {"quality": 2.0})
    assert sentence.score == pairs[2]
    assert metric.explain(hypotheses[2], references[2], {"quality": 2.0}).score == pytest.approx(pairs[2])


def test_text_alone_is_refused_in_a_line_that_says_how(model: Model) -> None:
    metric = Metric(model, 1)
    needs = r"model pfsm needs column:quality.*pfsm score --table FILE.*columns=\{'quality': (NUMBER|\[…\])\}"
    for attempt in (
        lambda: metric.score_pairs(["a"], ["b"]),
        lambda: metric.corpus_score(["a"], [["b"]], {"other": [1.0]}),
        lambda: metric.explain("a", "b"),
        lambda: choose([["a", "b"]], metric),
    ):
        with pytest.raises(PfsmError, match=needs) as caught:
            attempt()
        assert "\n" not in str(caught.value)


def test_a_column_is_data_whatever_it_is_called() -> None:
    document = Model("m").to_dict()
    document["settings"]["features"] = {"column:command:rm(x=/etc)": {"mean": 0.0, "sd": 1.0}}
    assert Metric(model_from_dict(document, "m"), 1).columns == ("command:rm(x=/etc)",)


def test_a_cluster_gets_the_numbers_with_the_text(model: Model) -> None:
    text = TrainingText(JUDGMENTS.sorted(), None, model.settings)
    resources = resources_of(LatticeBuilder(model.settings))
    block = build(text.settings, resources, *block_of(text, 3, 8))
    mean, sd = model.settings.features["column:quality"] or (0.0, math.nan)
    numbers = JUDGMENTS.sorted().numbers("quality")[3:8]
    found = block.sentence_features.values[:, 0]
    np.testing.assert_allclose(found, (numbers - mean) / sd, atol=1e-12)
