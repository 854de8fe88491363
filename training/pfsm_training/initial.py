"""Training that starts from another model: its settings, and those that are given beside it."""

from collections.abc import Mapping
from typing import Any

from pfsm.errors import PfsmError
from pfsm.metrics.features import with_checksum
from pfsm.model import Model
from pfsm.settings import AUTO, KEYS, Settings
from pfsm_training.config import TrainingConfig

# Edits first: without them hardly anything else is said.
_ORDER = ("edits", *(key for key in KEYS if key != "edits"))


def settings_to_train(settings: Settings | None, config: TrainingConfig, init: Model | None) -> Settings:
    """The settings of the new model: those of the model to start from, where there is one.

    What is given beside it must agree with its own: all of ``settings``, or the keys that ``config`` was given.

    Raises:
        PfsmError: If a setting does not agree with the model to start from.
    """
    if init is None:
        return config.settings if settings is None else settings
    given = set(_ORDER) if settings is not None else config.given & set(_ORDER)
    ours, theirs = _values(settings or config.settings), _values(init.settings)
    for key in _ORDER:
        if key in given and not _agrees(key, ours.get(key), theirs.get(key), settings is None):
            raise PfsmError(
                f"{key} is {_said(ours.get(key))}, but the model {init.name} to start from has "
                f"{_said(theirs.get(key))}; leave the settings out to take over its own"
            )
    return init.settings


def _values(settings: Settings) -> dict[str, Any]:
    values = settings.to_dict()
    values.setdefault("edits", True)
    return values


def _agrees(key: str, ours: Any, theirs: Any, partly: bool) -> bool:
    """Whether two values mean the same; ``partly``: what is not said of a matcher is as the model has it."""
    if key == "features":
        ours, theirs = ours or {}, theirs or {}
        scales = [{with_checksum(name): scale for name, scale in side.items()} for side in (ours, theirs)]
        return scales[0].keys() == scales[1].keys() and _same(*scales)
    if partly and key == "max_block" and theirs:
        # Of the default matchers where the model has others.
        return all(theirs.get(name, 1) == size for name, size in ours.items())
    return _same(ours or None, theirs or None)


def _same(ours: Any, theirs: Any) -> bool:
    """Equal, or learned by the model, or a resource by its name alone."""
    if ours == AUTO and theirs is not None:
        return True
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return ours.keys() == theirs.keys() and all(_same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, str) and isinstance(theirs, str):
        return theirs == ours or theirs.rpartition("@")[0] == ours
    return bool(ours == theirs)


def _said(value: object) -> str:
    if not value and not isinstance(value, bool | int):
        return "not given"
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


_LONGEST = 100
