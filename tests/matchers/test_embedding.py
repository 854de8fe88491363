"""The matcher of close vectors: which tokens it offers, its bins and options, its way through training and scoring."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.data import Judgments
from pfsm.errors import PfsmError
from pfsm.matchers.embedding import EmbeddingMatcher, check_options, learn_options
from pfsm.model.builder import LatticeBuilder
from pfsm.model.file import load_model, save_model
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from tests.embeddings.networks import write_network, write_vectors
from tests.matchers.test_spelling import encoded

# Angles in degrees of vectors in the plane.
ANGLES = {"car": 0, "auto": 20, "vehicle": 35, "tree": 90, "plant": 100, "stone": 200}


@pytest.fixture(autouse=True)
def resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "resources"))


@pytest.fixture
def source(tmp_path: Path) -> str:
    vectors = {
        word: [math.cos(math.radians(angle)), math.sin(math.radians(angle))] for word, angle in ANGLES.items()
    }
    return str(write_vectors(tmp_path / "v.txt", vectors))


def matched(
    references: list[str], hypotheses: list[str], **options: Any
) -> dict[tuple[int, str, str], float]:
    """Cosines by number of the pair and words."""
    blocks, cosines = EmbeddingMatcher(**options).similar(encoded(references, hypotheses))
    assert (blocks[:, [2, 4]] == 1).all()
    return {
        (pair, references[pair].split()[i], hypotheses[pair].split()[j]): cosine
        for (pair, i, _, j, _), cosine in zip(blocks.tolist(), cosines.tolist(), strict=True)
    }


def degrees(found: dict[tuple[int, str, str], float]) -> dict[tuple[int, str, str], int]:
    return {words: round(math.degrees(math.acos(cosine))) for words, cosine in found.items()}


def test_tokens_closer_than_the_minimum(source: str) -> None:
    references, hypotheses = ["car tree", "", "stone unknown"], ["auto plant Vehicle", "car", "unknown stone"]
    found = matched(references, hypotheses, source=source, minimum=math.cos(math.radians(30)))
    assert degrees(found) == {(0, "car", "auto"): 20, (0, "tree", "plant"): 10, (2, "stone", "stone"): 0}
    wider = matched(references, hypotheses, source=source, minimum=0.8)
    assert set(wider) - set(found) == {(0, "car", "Vehicle")}


def test_many_pairs_are_each_as_alone(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = list(ANGLES)
    references = [f"{one} car" for one in words for _ in words]
    hypotheses = [f"tree {other}" for _ in words for other in words]
    whole = matched(references, hypotheses, source=source, minimum=0.1)
    monkeypatch.setattr("pfsm.matchers.embedding.PAIRS_AT_ONCE", 5)
    assert matched(references, hypotheses, source=source, minimum=0.1) == whole


def test_bins_rise_with_the_cosine(source: str) -> None:
    matcher = EmbeddingMatcher(source, minimum=0.5, knots=(0.5, 0.75, 1.0))
    offers = matcher.offers(encoded(["car car"], ["vehicle car"]))
    assert offers.names == ("emb:+0", "emb:+1")
    total = np.bincount(offers.offer, offers.value, minlength=4)
    cosine = math.cos(math.radians(35))
    np.testing.assert_allclose(total, [1 + (cosine - 0.75) / 0.25, 2.0] * 2, atol=1e-3)


def test_learned_bins_are_quantiles_of_unequal_words(source: str) -> None:
    pairs = encoded(["car tree stone car"], ["auto plant stone vehicle"])
    options = check_options({"source": source, "bins": "auto", "minimum": 0.5, "nearest": 0}, "x")
    learned = learn_options(options, pairs)
    cosines = sorted([math.cos(math.radians(angle)) for angle in (20, 20, 35, 35, 10, 55)])
    assert learned["bins"] == pytest.approx(
        sorted({round(float(np.quantile(cosines, q)), 3) for q in (0, 0.2, 0.4, 0.6, 0.8, 1)}), abs=2e-3
    )
    assert learned["source"].startswith("v.txt@")


def test_a_trained_model_keeps_its_vectors_and_refuses_others(source: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from pfsm_training.config import config_from_dict
    from pfsm_training.trainer import train

    random = np.random.default_rng(7)
    words = list(ANGLES)
    references = [" ".join(random.choice(words, 5)) for _ in range(60)]
    hypotheses = [" ".join(random.choice(words, 5)) for _ in range(60)]
    judgments = Judgments(tuple(references), tuple(hypotheses), random.normal(size=60), {}, ())
    config = {
        "lambda": 1.0,
        "matchers": ["emb"],
        "options": {"emb": {"source": source}},
        "features": [f"embedding_f1(source={source})"],
    }
    trained = train(judgments, config=config_from_dict(config, "x"))
    path = tmp_path / "m.json"
    save_model(trained, path)
    loaded = load_model(path)
    metric = Metric(loaded)
    checksum = loaded.settings.options["emb"]["source"][-8:]
    assert f"res:v.txt@{checksum}" in metric.get_signature(1)
    assert f"feat:embedding_f1(source=v.txt@{checksum})" in metric.get_signature(1)
    assert all(weight >= 0 for name, weight in loaded.weights.items() if name.startswith("emb:+"))
    scores = metric.score_pairs(hypotheses, references)
    np.testing.assert_array_equal(scores, Metric(loaded, threads=3).score_pairs(hypotheses, references))
    document = json.loads(path.read_text())
    assert document["settings"]["features"].keys() == {f"embedding_f1(source=v.txt@{checksum})"}
    write_vectors(Path(source), {"other": [1.0, 0.0]})
    with pytest.raises(PfsmError, match="would score differently"):
        Metric(loaded)
    Path(source).unlink()
    with pytest.raises(PfsmError, match="there are no vectors"):
        Metric(loaded)


def test_vectors_in_context(tmp_path: Path) -> None:
    folder = str(write_network(tmp_path / "n"))
    settings = settings_from_dict(
        {"matchers": ["emb"], "options": {"emb": {"source": folder, "minimum": 0.01, "nearest": 0}}}, "x"
    )
    same, other = (
        LatticeBuilder(settings).build(["the cat sat"], [line]).arc_features.value
        for line in ("the cat sat", "sat the cat")
    )
    # Every token is itself in the same context (all four bins), and no token is in another.
    ones = np.count_nonzero(same == 1.0)
    assert ones >= 12
    assert np.count_nonzero(other == 1.0) < ones
