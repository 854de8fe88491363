"""The model file: named weights, settings and scale in one readable JSON document."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pfsm.errors import PfsmError
from pfsm.files import atomic_write
from pfsm.lattice import DELETE, INSERT, transition
from pfsm.matchers.registry import MATCHERS, matcher_state
from pfsm.settings import Settings, settings_from_dict

FORMAT = "pfsm-model-1"
JUMP = "Jump"
KEYS = ("format", "name", "settings", "weights", "alpha", "scale", "training", "licence")


@dataclass(frozen=True)
class Scale:
    """From the machine's units to the scores people see: ``mean + sd * (y / (m + n) + alpha)``.

    Attributes:
        mean: Added last.
        sd: Multiplied first; positive.
        note: A sentence about what the numbers mean.
    """

    mean: float = 0.0
    sd: float = 1.0
    note: str = "The machine's own units; higher is better."


@dataclass(frozen=True, eq=False)
class Model:
    """A trained, or hand-written, metric.

    Attributes:
        name: What scores are reported under.
        settings: What decides the lattice of a sentence pair.
        weights: Feature name -> weight, in the log domain; an absent name weighs nothing.
        alpha: The objective's constant (equation 3 of Wang and Manning, 2012).
        scale: Units of the predicted score.
        training: What the model was trained on and how, for people and for the check against test data.
        licence: Terms of the weights.
    """

    name: str
    settings: Settings = field(default_factory=Settings)
    weights: Mapping[str, float] = field(default_factory=dict)
    alpha: float = 0.0
    scale: Scale = field(default_factory=Scale)
    training: Mapping[str, Any] = field(default_factory=dict)
    licence: str = "Apache-2.0"

    @property
    def fingerprint(self) -> str:
        """First 8 hex digits of a SHA-256 over everything that can change a score."""
        document = self.to_dict()
        relevant = [document["settings"], document["weights"], self.alpha, self.scale.mean, self.scale.sd]
        text = json.dumps(relevant, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def to_dict(self) -> dict[str, Any]:
        """The document that is written."""
        return {
            "format": FORMAT,
            "name": self.name,
            "settings": self.settings.to_dict(),
            "weights": {name: float(self.weights[name]) for name in sorted(self.weights)},
            "alpha": float(self.alpha),
            "scale": {"mean": float(self.scale.mean), "sd": float(self.scale.sd), "note": self.scale.note},
            "training": dict(self.training),
            "licence": self.licence,
        }


def save_model(model: Model, path: str | Path) -> None:
    """Writes the model's JSON document; the same model gives the same bytes.

    Raises:
        PfsmError: If the file cannot be written; what was there before is kept.
    """
    with atomic_write(path) as handle:
        json.dump(model.to_dict(), handle, indent=2, ensure_ascii=False, allow_nan=False)
        handle.write("\n")


def load_model(path: str | Path) -> Model:
    """Reads and validates a model file.

    Raises:
        PfsmError: If the file is missing, not JSON, of another format, or a field is not what it must be.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PfsmError(f"{path}: no such file; `pfsm models` lists the models that ship with pfsm") from None
    except UnicodeDecodeError:
        raise PfsmError(f"{path}: not UTF-8 text, so no pfsm model file") from None
    except OSError as error:
        raise PfsmError(f"{path}: {error.strerror}") from None
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise PfsmError(f"{path}:{error.lineno}: not valid JSON ({error.msg})") from None
    except RecursionError:
        raise PfsmError(f"{path}: not a pfsm model file (nested too deeply)") from None
    return model_from_dict(document, str(path))


def model_from_dict(document: object, where: str) -> Model:
    """A model from its JSON document; ``where`` names it in errors.

    Raises:
        PfsmError: If a field is missing or not what it must be.
    """
    if not isinstance(document, dict) or "format" not in document:
        raise PfsmError(f"{where}: not a pfsm model file (there is no key 'format')")
    if document["format"] != FORMAT:
        raise PfsmError(
            f"{where}: format is {document['format']!r}, this version of pfsm reads {FORMAT!r}; retrain or convert it"
        )
    for key in KEYS:
        if key not in document:
            raise PfsmError(f"{where}: the key {key!r} is missing")
    return Model(
        name=_name(document["name"], where),
        settings=settings_from_dict(_mapping(document["settings"], "settings", where), f"{where}: settings"),
        weights=_weights(_mapping(document["weights"], "weights", where), where),
        alpha=_number(document["alpha"], "alpha", where),
        scale=_scale(_mapping(document["scale"], "scale", where), where),
        training=_mapping(document["training"], "training", where),
        licence=_name(document["licence"], where, "licence"),
    )


def _name(value: object, where: str, key: str = "name") -> str:
    if not isinstance(value, str) or not value.strip() or any(ord(character) < 32 for character in value):
        raise PfsmError(f"{where}: {key} is {value!r}, it must be a line of text")
    return value


def _mapping(value: object, key: str, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise PfsmError(f"{where}: {key} must be an object, in braces")
    return value


def _number(value: object, key: str, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise PfsmError(f"{where}: {key} is {value!r}, a finite number is needed")
    return float(value)


def _scale(value: Mapping[str, Any], where: str) -> Scale:
    mean = _number(value.get("mean", 0.0), "scale.mean", where)
    sd = _number(value.get("sd", 1.0), "scale.sd", where)
    if sd <= 0:
        raise PfsmError(f"{where}: scale.sd is {sd}, it must be above 0")
    return Scale(mean, sd, str(value.get("note", Scale.note)))


def _weights(value: Mapping[str, Any], where: str) -> dict[str, float]:
    states = {INSERT, DELETE, JUMP, *(matcher_state(name) for name in MATCHERS)}
    known = states | {transition(before, after) for before in states for after in states}
    weights = {}
    for name, weight in value.items():
        if name not in known and not name.startswith("link:"):
            raise PfsmError(
                f"{where}: weights names {name!r}, which no machine has; states are {', '.join(sorted(states))}, "
                "transitions STATE>STATE"
            )
        weights[name] = _number(weight, f"weights[{name!r}]", where)
    return weights
