"""Model files as a person would write them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pfsm.model.file import Model, Scale, model_at_work

WEIGHTS: Mapping[str, float] = {
    "Insert": -0.5, "Delete": -1.25, "S_punct": 0.5, "S_word": 2.0, "S_lemma": 1.0,
    "Insert>Insert": -0.25, "S_word>S_word": 0.75, "Delete>S_word": -0.125,
}  # fmt: skip
STATES = ("Insert", "Delete", "S_punct", "S_word", "S_lemma")


def document(**changes: Any) -> dict[str, Any]:
    """The JSON document of a hand-set model in the machine's own units, with some of its keys changed."""
    return {
        "format": "pfsm-model-1",
        "name": "hand",
        "settings": {"language": "en", "max_block": 1},
        "weights": dict(WEIGHTS),
        "alpha": 0.25,
        "scale": {"mean": 0, "sd": 1},
        "training": {},
        "licence": "Apache-2.0",
        **changes,
    }


def without(key: str) -> dict[str, Any]:
    """The document without one of its keys."""
    return {name: value for name, value in document().items() if name != key}


def model(**changes: Any) -> Model:
    """The same as an object; it may name paths, as one that is made in Python."""
    return model_at_work(document(**changes), "test")


def saved(folder: Path, name: str = "hand.json", **changes: Any) -> str:
    """The path of the document, written to a folder."""
    path = folder / name
    path.write_text(json.dumps(document(**changes)), encoding="utf-8")
    return str(path)


def random_weights(rng: np.random.Generator, spread: float = 1.5) -> dict[str, float]:
    """A weight for every state and transition."""
    names = [*STATES, *(f"{before}>{after}" for before in STATES for after in STATES)]
    return dict(zip(names, (spread * rng.normal(size=len(names))).tolist(), strict=True))


__all__ = ["STATES", "WEIGHTS", "Model", "Scale", "document", "model", "random_weights", "saved", "without"]
