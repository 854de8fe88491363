"""Settings that are given beside a model to start from: what is not said of them is as the model has it."""

from collections.abc import Mapping
from typing import Any

from pfsm.errors import PfsmError
from pfsm.model.file import Model
from pfsm.model.settings import KEYS, WITHOUT_EDITS, Settings, settings_from_dict


def settings_beside(values: Mapping[str, Any], where: str, init: Model | None) -> Settings:
    """Settings from plain values, completed by those of a model.

    Args:
        values: Settings; other keys are passed over.
        where: What to call them in errors.
        init: The model; None: they are completed by defaults.

    Raises:
        PfsmError: If a value cannot be, or not beside what the model has.
    """
    given = {key: values[key] for key in values if key in KEYS}
    if init is None or not _goes_with(given, init.settings):
        return settings_from_dict(given, where)
    try:
        return settings_from_dict(_completed(given, init.settings), where)
    except PfsmError as error:
        raise PfsmError(f"{error}; what is not given is as in the model {init.name} to start from") from None


def _goes_with(given: Mapping[str, Any], settings: Settings) -> bool:
    """Whether it can be completed: other matchers and models without edits have other settings."""
    if given.get("edits", settings.edits) is not settings.edits:
        return False
    if not settings.edits:
        return all(key in WITHOUT_EDITS for key in given)
    matchers = given.get("matchers", settings.matchers)
    return isinstance(matchers, list | tuple) and tuple(matchers) == settings.matchers


def _completed(given: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    own = settings.to_dict()
    if "split" in given:
        # They go with the states that the model has split.
        own.pop("classes", None)
    whole = {**own, **given}
    for key in ("max_block", "options"):
        if isinstance(given.get(key), Mapping):
            whole[key] = _merged(given[key], own.get(key, {}))
    return whole


def _merged(given: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """One mapping over another, mappings in them likewise."""
    whole = {**own, **given}
    for key, value in given.items():
        if isinstance(value, Mapping) and isinstance(own.get(key), Mapping):
            whole[key] = {**own[key], **value}
    return whole
