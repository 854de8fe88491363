"""Settings of a training that starts from an initial model: the model's own, which may grow but not change.

Features, matchers, tables and states split by word class may be added. The initial model has no weights for what is
added, so these start at zero, and the penalty pulls them there.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pfsm.errors import PfsmError
from pfsm.features.values import with_checksum
from pfsm.metrics.ngram_table import without_label
from pfsm.model.file import Model
from pfsm.model.settings import AUTO, BEST, KEYS, WITHOUT_EDITS, Settings, settings_from_dict

# Edits first: a model without them has few other settings, and the mismatch in edits explains the rest.
_ORDER = ("edits", *(key for key in KEYS if key != "edits"))
# The option of a matcher that names one table or several.
TABLE = "table"
_LONGEST = 100

Scale = tuple[float, float] | None


def completed_settings(init: Model, given: Mapping[str, Any], where: str) -> Settings:
    """Settings from plain values; unset options are taken from a model.

    Args:
        init: The initial model, which `completes` them.
        given: Settings.
        where: Name of their source in errors.

    Raises:
        PfsmError: If a value is invalid, or contradicts a value of the model.
    """
    try:
        return settings_from_dict(_completed(given, init.settings), where)
    except PfsmError as error:
        raise PfsmError(f"{error}; unset options keep the values of the initial model {init.name}") from None


def completes(settings: Settings, given: Mapping[str, Any]) -> bool:
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


def agreed_settings(init: Model, wanted: Settings, own: Collection[str] | None) -> Settings:
    """The settings of a model that starts from another: that one's own, and what is added to them.

    Args:
        init: The initial model.
        wanted: Settings that hold all of the initial model, where they were given.
        own: Names of the settings that the user gave; None: all of them.

    Raises:
        PfsmError: If a setting does not agree with the initial model.
    """
    # The names of features refer to the counts.
    keys = [key for key in _ORDER if key != "counts" and (own is None or key in own)]
    ours, theirs = _values(wanted), _values(init.settings)
    for key in keys:
        if not _holds(key, ours.get(key), theirs.get(key), init.settings):
            empty: list[str] | None = [] if own is not None and key in {"split", "features"} else None
            raise PfsmError(
                f"{key} is {_shown(ours.get(key, empty), 'not given')}, but the initial model {init.name} has "
                f"{_shown(theirs.get(key), 'none')}{_advice(key)}; leave the settings out to keep the model's own"
            )
    if wanted.edits and init.settings.edits:
        kept = {key: getattr(init.settings, key) for key in ("matchers", "split") if key not in keys}
        wanted = replace(wanted, **kept)
    grown = _grown(init.settings, wanted)
    return init.settings if grown == init.settings else grown


def added_to(init: Settings, settings: Settings) -> dict[str, list[str]]:
    """What grown settings have that those of the initial model lack: names by kind; empty if nothing was added."""
    tables = [
        f"{matcher}: {name}"
        for matcher, options in settings.options.items()
        if matcher in init.options
        for name in _missing(_tables(options.get(TABLE)), _tables(init.options[matcher].get(TABLE)))
    ]
    kinds = {
        "matchers": [name for name in settings.matchers if name not in init.matchers],
        "tables": tables,
        "split": [name for name in settings.split if name not in init.split],
        "features": [name for name in settings.features if name not in init.features],
    }
    return {kind: names for kind, names in kinds.items() if names}


def _values(settings: Settings) -> dict[str, Any]:
    values = settings.to_dict()
    values.setdefault("edits", True)
    values.setdefault("references", BEST)
    return values


def _holds(key: str, ours: Any, theirs: Any, initial: Settings) -> bool:
    """Whether a setting holds all that the initial model has there."""
    if key == "features":
        return _holds_features(ours or {}, theirs or {})
    if not initial.edits:
        return _same(ours or None, theirs or None)
    if key == "matchers":
        return is_subsequence(theirs, ours)
    if key in {"max_block", "options"}:
        ours, theirs = ours or {}, theirs or {}
        # Options of added matchers are free.
        names = theirs.keys() | (ours.keys() & set(initial.matchers))
        return all(_holds_options(ours.get(name), theirs.get(name)) for name in names)
    if key == "split":
        return set(theirs or ()) <= set(ours or ())
    if key == "classes" and not initial.split_by_class:
        return True
    return _same(ours or None, theirs or None)


def _holds_features(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    named = _as_in(theirs, ours)
    return theirs.keys() <= named.keys() and all(_same(named[name], scale) for name, scale in theirs.items())


def _as_in(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    """Our features under the names that the initial model has for them: with checksums and labels of counts."""
    counted = {without_label(name): name for name in theirs}
    pinned = {with_checksum(name): scale for name, scale in ours.items()}
    return {counted.get(name, name): scale for name, scale in pinned.items()}


def _holds_options(ours: Any, theirs: Any) -> bool:
    """Whether the block size or the options of one matcher agree, but for added tables."""
    if not isinstance(ours, Mapping) or not isinstance(theirs, Mapping) or TABLE not in theirs:
        return _same(ours, theirs)
    others = [{key: value for key, value in side.items() if key != TABLE} for side in (ours, theirs)]
    return _same(*others) and not _missing(_tables(theirs[TABLE]), _tables(ours.get(TABLE)))


def _tables(value: Any) -> list[str]:
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def _missing(names: list[str], among: list[str]) -> list[str]:
    """The tables that are not among others, by name or by name and checksum."""
    return [name for name in names if not any(_same(one, name) or _same(name, one) for one in among)]


def _grown(init: Settings, wanted: Settings) -> Settings:
    """The initial model's settings with all that is new in those that are wanted."""
    named = _as_in(init.features, wanted.features) if wanted.features else {}
    added: dict[str, Scale] = {name: scale for name, scale in named.items() if name not in init.features}
    features = {**init.features, **added}
    if not (init.edits and wanted.edits):
        return replace(init, features=features)
    every = {**init.options, **wanted.options}
    options = {
        name: _grown_options(init.options[name], every[name]) if name in init.options else every[name]
        for name in wanted.matchers
        if name in every
    }
    return replace(
        init,
        matchers=wanted.matchers,
        max_block={**wanted.max_block, **init.max_block},
        options=options,
        split=wanted.split,
        classes=init.classes if init.split_by_class else wanted.classes,
        features=features,
    )


def _grown_options(init: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    own = _tables(init.get(TABLE))
    added = _missing(_tables(wanted.get(TABLE)), own)
    return {**init, TABLE: [*own, *added]} if added else dict(init)


def _same(ours: Any, theirs: Any) -> bool:
    """Whether two values agree: ``auto`` agrees with any value, and a resource's name with the name and checksum."""
    if ours == AUTO and theirs is not None:
        return True
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return ours.keys() == theirs.keys() and all(_same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, str) and isinstance(theirs, str):
        return theirs == ours or theirs.rpartition("@")[0] == ours
    return bool(ours == theirs)


def _advice(key: str) -> str:
    """What may be added, where something was taken away or moved."""
    if key == "matchers":
        return "; matchers may be added, in any place, but not left out or moved"
    return "; others may be added to these" if key in {"features", "split"} else ""


def _shown(value: object, absent: str) -> str:
    if value is None:
        return absent
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
