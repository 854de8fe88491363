"""Settings of a training that starts from an initial model: unset options keep the model's values."""

from collections.abc import Mapping, Sequence
from typing import Any

from pfsm.errors import PfsmError
from pfsm.model.file import Model
from pfsm.model.settings import KEYS, WITHOUT_EDITS, Settings, settings_from_dict


def completed_settings(values: Mapping[str, Any], where: str, init: Model | None) -> Settings:
    """Settings from plain values; unset options are taken from a model.

    Args:
        values: Settings; other keys are ignored.
        where: Name of their source in errors.
        init: The initial model; None: unset options have their defaults.

    Raises:
        PfsmError: If a value is invalid, or contradicts a value of the model.
    """
    given = {key: values[key] for key in values if key in KEYS}
    if init is None or not _completes(init.settings, given):
        return settings_from_dict(given, where)
    try:
        return settings_from_dict(_completed(given, init.settings), where)
    except PfsmError as error:
        raise PfsmError(f"{error}; unset options keep the values of the initial model {init.name}") from None


def _completes(settings: Settings, given: Mapping[str, Any]) -> bool:
    """Whether a model's settings can complete those given: fewer matchers, or no edits, mean other options."""
    if given.get("edits", settings.edits) is not settings.edits:
        return False
    if not settings.edits:
        return all(key in WITHOUT_EDITS for key in given)
    matchers = given.get("matchers", settings.matchers)
    return isinstance(matchers, list | tuple) and is_subsequence(settings.matchers, matchers)


def is_subsequence(part: Sequence[object], whole: Sequence[object]) -> bool:
    """Whether the members of one sequence stand in another, in their order, perhaps with others between them."""
    rest = iter(whole)
    return all(one in rest for one in part)


def _completed(given: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    own = settings.to_dict()
    if not given.get("split", settings.split):
        own.pop("classes", None)
    whole = {**own, **given}
    for key in ("max_block", "options"):
        if isinstance(given.get(key), Mapping):
            whole[key] = _merged(given[key], own.get(key, {}))
    return whole


def _merged(given: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The values of one mapping over those of another; nested mappings are merged likewise."""
    whole = {**own, **given}
    for key, value in given.items():
        if isinstance(value, Mapping) and isinstance(own.get(key), Mapping):
            whole[key] = {**own[key], **value}
    return whole
