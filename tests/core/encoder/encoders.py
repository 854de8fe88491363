"""A tiny encoder and heads of its shape, and judgments to learn from."""

from pathlib import Path
from typing import Any

import numpy as np

from pfsm.data import Judgments
from pfsm.encoder.heads import PARTS, Head
from pfsm.io.named_resources import register
from tests.core.embeddings.networks import SHAPE, write_network
from tests.training.small_data import invented

LAYERS, DIMENSION = int(SHAPE["layers"]) + 1, int(SHAPE["d"])
LINES = ("the cat sat on the mat .", "a cat sits on a mat", "dogs", "", "mat the on sat cat")


def head(seed: int = 0, **arrays: Any) -> Head:
    """A head of random numbers."""
    random = np.random.default_rng(seed)
    d = DIMENSION

    def numbers(*shape: int, spread: float = 0.3) -> Any:
        return random.normal(scale=spread, size=shape).astype(np.float32)

    given: dict[str, Any] = {
        "mix": np.full(LAYERS, 1.0 / LAYERS, dtype=np.float32),
        "projection": np.eye(d, dtype=np.float32) + numbers(d, d),
        "token_edits": numbers(d, 3),
        "token_weight": numbers(d, spread=1.0),
        "knots": np.linspace(-4.0, 2.0, 6, dtype=np.float32),
        "edits": numbers(2) - 1,
        "transitions": numbers(3, 3),
        "linear": numbers(len(PARTS)),
        "constant": numbers(1),
    }
    return Head(**{**given, **arrays})


def network(folder: Path) -> str:
    """The source of a tiny network, by its name as a resource."""
    return register(str(write_network(folder / "net")))


def judgments(segments: int = 24, seed: int = 0) -> Judgments:
    """Made-up judgments of three languages."""
    return invented(seed, segments, 1, languages=("cs", "de", "ru"))
