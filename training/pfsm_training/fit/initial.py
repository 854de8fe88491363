"""Settings of a training that starts from an initial model, checked against the model's own."""

from collections.abc import Mapping
from typing import Any

from pfsm.errors import PfsmError
from pfsm.features.values import with_checksum
from pfsm.metrics.ngram_table import without_label
from pfsm.model.file import Model
from pfsm.model.settings import AUTO, BEST, KEYS, Settings
from pfsm_training.config import TrainingConfig
from pfsm_training.initial_settings import completed_settings

# Edits first: a model without them has few other settings, and the mismatch in edits explains the rest.
_ORDER = ("edits", *(key for key in KEYS if key != "edits"))


def settings_to_train(settings: Settings | None, config: TrainingConfig, init: Model | None) -> Settings:
    """The settings of the new model: those of the initial model if there is one.

    Settings that are given in addition must agree with those of the initial model: all of ``settings``, or those that
    ``config`` was given. Options unset in ``config`` keep the model's values.

    Raises:
        PfsmError: If a setting does not agree with the initial model.
    """
    if init is None:
        return config.settings if settings is None else settings
    given = _ORDER if settings is not None else [key for key in _ORDER if key in config.given]
    # The names of features refer to the counts.
    given = [key for key in given if key != "counts"]
    ours = _values(settings or completed_settings(config.given, "config", init))
    theirs = _values(init.settings)
    for key in given:
        if not _agrees(key, ours.get(key), theirs.get(key)):
            value = ours.get(key) or ({} if settings is not None else config.given).get(key)
            raise PfsmError(
                f"{key} is {_shown(value, 'not given')}, but the initial model {init.name} has "
                f"{_shown(theirs.get(key), 'none')}; leave the settings out to keep the model's own"
            )
    return init.settings


def _values(settings: Settings) -> dict[str, Any]:
    values = settings.to_dict()
    values.setdefault("edits", True)
    values.setdefault("references", BEST)
    return values


def _agrees(key: str, ours: Any, theirs: Any) -> bool:
    """Whether two values mean the same."""
    if key == "features":
        ours, theirs = ours or {}, theirs or {}
        scales = [{with_checksum(name): scale for name, scale in side.items()} for side in (ours, theirs)]
        counted = {without_label(name): name for name in scales[1]}
        scales[0] = {counted.get(name, name): scale for name, scale in scales[0].items()}
        return scales[0].keys() == scales[1].keys() and _same(*scales)
    return _same(ours or None, theirs or None)


def _same(ours: Any, theirs: Any) -> bool:
    """Whether two values agree: ``auto`` agrees with any value, and a resource's name with the name and checksum."""
    if ours == AUTO and theirs is not None:
        return True
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return ours.keys() == theirs.keys() and all(_same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, str) and isinstance(theirs, str):
        return theirs == ours or theirs.rpartition("@")[0] == ours
    return bool(ours == theirs)


def _shown(value: object, absent: str) -> str:
    if value is None:
        return absent
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


_LONGEST = 100
