"""The matcher of close vectors: which tokens it offers, its bins and options, its way through training and scoring."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.embeddings.encoders import load_vectors, pinned
from pfsm.embeddings.vectors import cosine_table
from pfsm.errors import PfsmError
from pfsm.matchers.embedding import EmbeddingMatcher, check_options, learn_options
from pfsm.model.file import Model, load_model, save_model
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from tests.core.embeddings.networks import write_network, write_vectors
from tests.core.matchers.test_spelling import encoded

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


def test_a_model_keeps_its_vectors_and_refuses_others(source: str, tmp_path: Path) -> None:
    name = pinned(source)
    feature = f"embedding_f1(source={name})"
    settings = settings_from_dict(
        {
            "matchers": ["emb"],
            "options": {"emb": {"source": name, "bins": [0.5, 0.75, 1.0]}},
            "features": {feature: {"mean": 0.5, "sd": 0.2}},
        },
        "x",
    )
    weights = {"Insert": -1.0, "Delete": -1.0, "S_emb": 0.5, "emb:+0": 1.0, f"feature:{feature}": 0.3}
    save_model(Model("m", settings, weights), tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    metric = Metric(loaded, 1)
    for entry in (f"res:{name}", f"feat:{feature}"):
        assert entry in metric.get_signature(1)
    words = list(ANGLES)
    scores = metric.score_pairs(words, words[::-1])
    np.testing.assert_array_equal(scores, Metric(loaded, threads=3).score_pairs(words, words[::-1]))
    write_vectors(Path(source), {"other": [1.0, 0.0]})
    with pytest.raises(PfsmError, match="would score differently"):
        Metric(loaded)
    Path(source).unlink()
    with pytest.raises(PfsmError, match="there are no vectors"):
        Metric(loaded)


@pytest.mark.parametrize("nearest", [0, 1])
def test_vectors_in_context_are_compared_pair_by_pair(
    nearest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pfsm.matchers.embedding.PAIRS_AT_ONCE", 2)
    folder = str(write_network(tmp_path / "n"))
    references, hypotheses = ["the cat sat", "", "the dog"], ["sat the cat", "a", "the dog sat on"]
    vectors, expected = load_vectors(folder), {}
    for pair, sides in enumerate(zip(references, hypotheses, strict=True)):
        table = cosine_table(*vectors.of_tokens([side.split() for side in sides]))
        for (i, j), cosine in np.ndenumerate(table):
            nearer = max(np.sum(table[i] > cosine), np.sum(table[:, j] > cosine))
            if cosine >= 0.2 and (not nearest or nearer < nearest):
                expected[pair, i, 1, j, 1] = cosine
    matcher = EmbeddingMatcher(folder, minimum=0.2, nearest=nearest)
    blocks, cosines = matcher.similar(encoded(references, hypotheses))
    assert dict(zip(map(tuple, blocks.tolist()), cosines.tolist(), strict=True)) == expected
    assert {pair for pair, *_ in expected} == {0, 2}
