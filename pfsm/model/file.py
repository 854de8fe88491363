"""The model file: named weights, settings and scale in one readable JSON document."""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import UNSET, Meta, Struct

from pfsm.arrays import Float
from pfsm.encoder.heads import contents_of, read_heads, remember_contents, write_heads
from pfsm.encoder.names import labels_in
from pfsm.errors import PfsmError
from pfsm.features.values import UNCOUNTED, is_counted
from pfsm.io.files import atomic_write, decode, display_name, is_line, read_bytes
from pfsm.io.limits import DOCUMENT
from pfsm.io.named_resources import give, given
from pfsm.lattice.names import (
    DELETE,
    FEATURE_PREFIX,
    INSERT,
    JUMP,
    class_of,
    inserted_repeat,
    shared,
    states_of,
    transition,
)
from pfsm.matchers.registry import BUILT_IN, MATCHERS, RESERVED
from pfsm.metrics.inputs import COLUMN
from pfsm.model.references import check_plugins, check_references, plugins_of
from pfsm.model.settings import LARGEST, RELATIVE, SMALLEST, Settings, settings_from_dict
from pfsm.model.training_record import model_html
from pfsm.registry import only_plugins
from pfsm.runtime.typed import checked, needs
from pfsm.text.classes import CLASSES

FORMAT = "pfsm-model-1"
# Of a translation equal to its reference, in the relative form.
PERFECT = 100.0
# Far beyond any sensible weight, and small enough that no sum over a sentence overflows.
_Weight = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
_IN_BRACES = "an object, in braces"
_Object = Annotated[dict[str, Any], needs(_IN_BRACES)]
_End = _Weight | None
_INTERVAL: Any = Annotated[tuple[_End, _End] | None, needs("a list of two numbers, or null")]


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
        plugins: Plug-ins that the settings use, as the file that the model comes from records them: package and
            version by kind and name. Empty: those that are installed are written.
    """

    name: str
    settings: Settings = field(default_factory=Settings)
    weights: Mapping[str, float] = field(default_factory=dict)
    alpha: float = 0.0
    scale: Scale = field(default_factory=Scale)
    training: Mapping[str, Any] = field(default_factory=dict)
    licence: str = "Apache-2.0"
    plugins: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __reduce__(self) -> Any:
        """The model for another process, with what it refers to beside its file."""
        values = tuple(getattr(self, entry.name) for entry in fields(self))
        return _restored, (values, contents_of(self.settings.features), given())

    @property
    def fingerprint(self) -> str:
        """First 8 hex digits of a SHA-256 over everything that can change a score."""
        document = self.to_dict()
        scale = document["scale"]
        relevant = [document["settings"], document["weights"], document["alpha"], scale["mean"], scale["sd"]]
        text = json.dumps(relevant, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def _repr_html_(self) -> str:
        """What it was trained on, how it agrees with people, and its largest weights, for notebooks."""
        return model_html(f"{self.name} ({self.fingerprint})", self.weights, self.training)

    def on_scale(self, normalised: Float) -> Float:
        """Return `LatticeBatch.normalised` as scores; in the relative form none is above that of a perfect match."""
        values = normalised + self.alpha
        if self.settings.form == RELATIVE:
            values = np.minimum(values, self.alpha)
        return self.scale.mean + self.scale.sd * values

    def to_dict(self) -> dict[str, Any]:
        """The document that is written."""
        plugins = self.plugins or plugins_of(self.settings)
        return {
            "format": FORMAT,
            "name": self.name,
            **({"plugins": {kind: dict(names) for kind, names in plugins.items()}} if plugins else {}),
            "settings": self.settings.to_dict(),
            "weights": {name: float(self.weights[name]) for name in sorted(self.weights)},
            "alpha": float(self.alpha),
            "scale": {"mean": float(self.scale.mean), "sd": float(self.scale.sd), "note": self.scale.note},
            "training": dict(self.training),
            "licence": self.licence,
        }


def _restored(values: tuple[Any, ...], heads: Mapping[str, bytes], resources: Mapping[str, str]) -> Model:
    """The inverse of `Model.__reduce__`."""
    remember_contents(heads)
    give(resources, checked=False)
    return Model(*values)


def save_model(model: Model, path: str | Path) -> None:
    """Writes the model's JSON document; the same model gives the same bytes.

    What was learned over an encoder goes to a file of its own in the same folder (`pfsm.encoder.heads`).

    Args:
        model: The model.
        path: The file to write.

    Raises:
        PfsmError: If the settings name a path or a program, or the file cannot be written; what was there is kept.
    """
    check_references(model.to_dict(), display_name(path), run=False)
    text = json.dumps(model.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    if labels_in(model.settings.features):
        write_heads(model.settings.features, path)
    with atomic_write(path) as handle:
        # A data file's name may hold bytes that are not UTF-8: JSON can say so, as \udcff.
        handle.write(text.encode("utf-8", "backslashreplace").decode() + "\n")


def load_model(
    path: str | Path, *, resources: Mapping[str, str | Path] | None = None, run: bool = True
) -> Model:
    """Reads and validates a model file, gzip or plain.

    Args:
        path: The file.
        resources: Paths of resources that the model needs, by name (`pfsm.io.named_resources`).
        run: Whether the model is to be used; False where it is only shown.

    Returns:
        The model, validated.

    Raises:
        PfsmError: If the file is missing, not JSON, of another format, or a field is invalid; or a resource
            is missing.
    """
    give(resources or {})
    document = read_document(path)
    model = model_from_dict(document, display_name(path), run=run)
    if model.settings.features:
        read_heads(model.settings.features, Path(path).resolve().parent, display_name(path), needed=run)
    return model


def read_document(path: str | Path) -> dict[str, Any]:
    """The JSON document of a model file, of which only the format is checked.

    Raises:
        PfsmError: If the file is missing, not JSON, or of another format.
    """
    name = display_name(path)
    content = read_bytes(path, DOCUMENT)
    try:
        text = decode(content, name, "a model file of pfsm (JSON)")
        document = json.loads(text, object_pairs_hook=partial(_once, name))
    except json.JSONDecodeError as error:
        raise PfsmError(f"{name}:{error.lineno}: not valid JSON ({error.msg})") from None
    except RecursionError:
        raise PfsmError(f"{name}: not a pfsm model file (nested too deeply)") from None
    except ValueError:  # Python's bound on the digits of a whole number
        raise PfsmError(f"{name}: not a pfsm model file (a number of thousands of digits)") from None
    return _checked_format(document, name)


def _once(where: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, whose keys are there once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, number in Counter(key for key, _ in pairs).items() if number > 1)
        raise PfsmError(f"{where}: has the key {_shown(twice)} twice in one object; leave one of them out")
    return found


class _Starts(Struct, frozen=True):
    objectives: _Object | None = None


class _Training(Struct, frozen=True):
    """Free text for people, but for what commands look into."""

    cross_validated: _Object = {}
    instances: _Object = {}
    encoder: _Object = {}
    data: Annotated[list[_Object], needs("a list of objects, in braces")] = []
    starts: _Starts | None = None
    start: Any = UNSET


class _Scale(Struct, frozen=True, forbid_unknown_fields=True):
    """As `Scale`."""

    mean: _Weight = 0.0
    sd: Annotated[float, Meta(ge=SMALLEST, le=LARGEST)] = 1.0
    note: Any = Scale.note


class _Document(Struct, frozen=True):
    """A model file."""

    name: Any
    settings: _Object
    weights: _Object
    alpha: _Weight
    scale: Annotated[_Scale, needs(_IN_BRACES)]
    training: Annotated[_Training, needs(_IN_BRACES)]
    licence: Any
    plugins: Any = {}


def model_from_dict(document: object, where: str, *, run: bool = True) -> Model:
    """A model from its JSON document; ``where`` names it in errors, ``run`` is `load_model`'s.

    Raises:
        PfsmError: If a field is missing or invalid, or a resource is missing.
    """
    # Before anything else looks at names.
    document = _checked_format(document, where)
    check_references(document, where, run=run)
    return model_at_work(document, where)


def model_at_work(document: Mapping[str, Any], where: str) -> Model:
    """As `model_from_dict`, from the document of a model that is at work: its settings may also name paths.

    Raises:
        PfsmError: If a field is missing or invalid.
    """
    values = checked(dict(document), _Document, where)
    # Before the settings, which would only say that they do not know a name.
    plugins = check_plugins(values.plugins, f"{where}: plugins")
    with only_plugins((kinds.removesuffix("s"), name) for kinds, names in plugins.items() for name in names):
        settings = settings_from_dict(values.settings, f"{where}: settings")
    _check_recorded(settings, plugins, f"{where}: plugins")
    weights = _weights(values.weights, settings, where)
    edit = next((name for name in weights if not name.startswith(FEATURE_PREFIX)), None)
    if not settings.edits and edit is not None:
        raise PfsmError(
            f"{where}: weights names {edit!r}, but settings say edits: false; leave out one of them"
        )
    uncounted = next((name for name in settings.features if not is_counted(name)), None)
    if uncounted is not None:
        raise PfsmError(f"{where}: settings: feature {uncounted}: {UNCOUNTED}")
    scale = Scale(values.scale.mean, values.scale.sd, str(values.scale.note))
    _check_form(settings, values.alpha, scale, where)
    _check_training(document["training"], values.training, where)
    return Model(
        name=check_line(values.name, f"{where}: name"),
        settings=settings,
        weights=weights,
        alpha=values.alpha,
        scale=scale,
        training=document["training"],
        licence=check_line(values.licence, f"{where}: licence"),
        plugins=plugins,
    )


def _check_recorded(settings: Settings, record: Mapping[str, Mapping[str, str]], where: str) -> None:
    """Refuse settings that use a plug-in which their file's record lacks; nothing is imported."""
    for kinds, names in plugins_of(settings).items():
        for name, origin in names.items():
            if name not in record.get(kinds, {}):
                raise PfsmError(
                    f"{where}: lack the {kinds.removesuffix('s')} {name!r} of {origin}, which the settings name; "
                    "train the model again"
                )


def _check_form(settings: Settings, alpha: float, scale: Scale, where: str) -> None:
    """Refuses what would give a perfect match another score than the relative form does."""
    means = [one[0] for name, one in settings.features.items() if one and not name.startswith(COLUMN)]
    if settings.form == RELATIVE and ((alpha, scale.mean) != (0.0, PERFECT) or any(means)):
        raise PfsmError(
            f"{where}: form: {RELATIVE} needs alpha 0, scale.mean {PERFECT:g} and features of mean 0"
        )


def _checked_format(document: object, where: str) -> dict[str, Any]:
    if not isinstance(document, dict) or "format" not in document:
        raise PfsmError(f"{where}: not a pfsm model file (there is no key 'format')")
    if document["format"] != FORMAT:
        raise PfsmError(
            f"{where}: format is {document['format']!r}, this version of pfsm reads {FORMAT!r}; retrain or convert it"
        )
    return document


def check_line(value: object, what: str) -> str:
    """The value, if it is a line of text: not blank, without line ends and other control characters.

    Raises:
        PfsmError: If it is not; ``what`` says what has this value.
    """
    if not is_line(value):
        raise PfsmError(f"{what} is {_shown(value)}, it must be a line of text")
    return str(value)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _check_training(record: Mapping[str, Any], values: _Training, where: str) -> None:
    intervals = {**record, "cross_validated.interval": values.cross_validated.get("interval")}
    for key, found in intervals.items():
        if key.endswith("interval"):
            checked(found, _INTERVAL, f"{where}: training.{key}")
    starts = values.starts
    if record.get("starts") and starts and (starts.objectives is None or values.start is UNSET):
        raise PfsmError(f"{where}: training.starts needs objectives, and training.start")


def _weights(value: Mapping[str, Any], settings: Settings, where: str) -> dict[str, float]:
    matchers = {*BUILT_IN, *settings.matchers}
    states, known = _states_of(settings.matchers)
    if not all(_is_feature(name, known, matchers) for name in value):
        # Matchers that the settings leave out are imported only where a weight may be of one of them.
        states, known = _states_of(matchers)
    weights = {}
    for name, weight in value.items():
        if not _is_feature(name, known, matchers):
            raise PfsmError(
                f"{where}: weights names {name!r}, which no machine has; states are {', '.join(sorted(states))}, "
                "transitions STATE>STATE, by word class STATE:CLASS"
            )
        weights[name] = checked(weight, _Weight, f"{where}: weights[{name!r}]")
    return weights


def _states_of(matchers: Iterable[str]) -> tuple[set[str], set[str]]:
    """The states of a machine with these matchers; and the same with all transitions."""
    states = {INSERT, DELETE, JUMP, *(MATCHERS[name].state for name in matchers if MATCHERS[name].state)}
    return states, states | {transition(before, after) for before in states for after in states}


def _is_feature(name: str, known: Collection[str], matchers: Collection[str]) -> bool:
    """A state or transition, whole or of word classes; of arcs, ``link:…`` or ``MATCHER:…``; or ``feature:…``."""
    if name in known:
        return True
    if not name.isprintable():
        return False
    kind, mark, _ = name.partition(":")
    return (bool(mark) and (kind in RESERVED or kind in matchers)) or (
        all(class_of(state) in {"", *CLASSES} or state == inserted_repeat() for state in states_of(name))
        and any(whole in known for whole in shared(name))
    )
