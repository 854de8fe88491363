"""Sentence-level features from vectors, worked by hand in two dimensions, and their way into a model."""

import math
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.features.values import check_feature, feature_values
from pfsm.metrics.embedding import parse_feature
from tests.core.embeddings.networks import write_vectors

# Angles in degrees.
ANGLES = {"north": 90, "east": 0, "northeast": 45, "south": 270, "sunny": 30}
NAMES = ("embedding_distance", "embedding_precision", "embedding_recall", "embedding_f1")


@pytest.fixture
def source(tmp_path: Path) -> str:
    vectors = {
        word: [math.cos(math.radians(angle)), math.sin(math.radians(angle))] for word, angle in ANGLES.items()
    }
    return str(write_vectors(tmp_path / "v.txt", vectors))


def values(source: str, hypothesis: str, reference: str) -> list[float]:
    names = [f"{name}(source={source})" for name in NAMES]
    found: list[float] = feature_values(names, [hypothesis], [reference])[0].tolist()
    return found


def cosine(degrees: float) -> float:
    return math.cos(math.radians(degrees))


def test_by_hand(source: str) -> None:
    distance, precision, recall, f1 = values(source, "east sunny", "north northeast unknown")
    # Means at 15 and 67.5 degrees; east and sunny are nearest to northeast, both of the reference to sunny.
    assert distance == pytest.approx(-2 * math.sin(math.radians(52.5 / 2)), abs=1e-4)
    assert precision == pytest.approx((cosine(45) + cosine(15)) / 2, abs=1e-4)
    assert recall == pytest.approx((cosine(60) + cosine(15)) / 2, abs=1e-4)
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-12)


def test_ends_of_the_scale(source: str) -> None:
    assert values(source, "north east", "East North") == [0.0, 1.0, 1.0, 1.0]
    assert values(source, "north", "south") == [-2.0, -1.0, -1.0, 0.0]
    assert values(source, "", "") == [0.0, 1.0, 1.0, 1.0]
    assert values(source, "", "unknown words") == [0.0, 1.0, 1.0, 1.0]
    assert values(source, "", "south") == values(source, "south", "") == [-2.0, 0.0, 0.0, 0.0]


def test_names() -> None:
    assert parse_feature("embedding_f1") == ("embedding_f1", "shipped:minilm", None)
    assert parse_feature("embedding_f1(layer=4)") == ("embedding_f1", "shipped:minilm", 4)
    assert parse_feature("embedding_recall(layer=0,source=a (b), c)") == ("embedding_recall", "a (b), c", 0)
    for name in ("_f2", "_f1(layer=x)", "_f1(4)", "_f1(source=package:a b)"):
        with pytest.raises(PfsmError):
            check_feature(f"embedding{name}")
