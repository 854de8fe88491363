"""Plug-ins that settings use: what model files record of them, and whether they are here."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pfsm.errors import PfsmError, PfsmWarning
from pfsm.metrics.names import mixed_metric, parse_name
from pfsm.metrics.registry import METRICS
from pfsm.model.settings import Settings
from pfsm.registry import KINDS, Origin, plugin, table

Record = Mapping[str, Mapping[str, str]]
# Options of matchers and features that name something that may be a plug-in itself.
_NAMING = {"parser": "analyser", "tokeniser": "tokeniser", "stemmer": "stemmer"}


def plugins_of(settings: Settings) -> dict[str, dict[str, str]]:
    """What a model file records: ``{"matchers": {"glossary": "pfsm-glossary 0.1.0"}}``; empty without plug-ins."""
    found: dict[str, dict[str, str]] = {}
    for kind, name in sorted(set(_named(settings))):
        entry = plugin(kind, name)
        if entry is not None:
            found.setdefault(f"{kind}s", {})[name] = str(entry.origin)
    return found


def plugin_labels(settings: Settings) -> list[str]:
    """The same as a list for what decides a result: ``matcher glossary(pfsm-glossary@0.1.0)``."""
    return _labels(_named(settings))


def metric_labels(name: str, options: Mapping[str, Any]) -> list[str]:
    """`plugin_labels` of a metric that is asked for by name, with options."""
    return _labels(_of_metric(name, options))


def _labels(named: Iterable[tuple[str, str]]) -> list[str]:
    return [
        f"{kind} {table(kind).label(name)}"
        for kind, name in sorted(set(named))
        if plugin(kind, name) is not None
    ]


def _named(settings: Settings) -> Iterator[tuple[str, str]]:
    """Kinds and names of what settings use and what may be a plug-in."""
    if settings.edits:
        yield from (("matcher", name) for name in settings.matchers)
        yield "tokeniser", settings.tokeniser
        yield "stemmer", settings.stemmer
    for options in settings.options.values():
        yield from _naming(options)
    for name in settings.features:
        yield from _of_metric(name, {})


def _of_metric(name: str, options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    parsed = parse_name(name)
    yield "metric", parsed.base
    # The plug-in of NAME_b and NAME_i is NAME, unless it is a plug-in itself.
    if METRICS.plugin(parsed.base) is None:
        yield "metric", mixed_metric(parsed.base)
    yield "feature", parsed.base
    yield from _naming({**parsed.options, **options})


def _naming(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for option, kind in _NAMING.items():
        value = options.get(option)
        if isinstance(value, str):
            yield kind, value.partition(":")[0] if kind == "analyser" else value


def check_plugins(value: object, where: str) -> dict[str, dict[str, str]]:
    """What a model file records of plug-ins, if they are here; of another version they are used, with a warning.

    Args:
        value: What the file has under ``plugins``.
        where: What to call it in errors.

    Raises:
        PfsmError: If it is no such record, or a plug-in is missing or another one has its name.
    """
    record = _record(value, where)
    for kinds, names in record.items():
        for name, text in names.items():
            _check(kinds.removesuffix("s"), name, text, where)
    return record


def check_recorded(settings: Settings, record: Record, where: str) -> None:
    """Refuses settings that use a plug-in which their file's record lacks; nothing is imported.

    Raises:
        PfsmError: If there is one.
    """
    for kinds, names in plugins_of(settings).items():
        for name, origin in names.items():
            if name not in record.get(kinds, {}):
                raise PfsmError(
                    f"{where}: lack the {kinds.removesuffix('s')} {name!r} of {origin}, which the settings name; "
                    "train the model again"
                )


def _record(value: object, where: str) -> dict[str, dict[str, str]]:
    fault = PfsmError(f'{where}: must be as in {{"matchers": {{"glossary": "pfsm-glossary 0.1.0"}}}}')
    if not isinstance(value, dict):
        raise fault
    for kinds, names in value.items():
        if not isinstance(names, dict) or not all(
            isinstance(text, str) and text.strip() and text.isprintable()
            for text in (*names, *names.values())
        ):
            raise fault
        if kinds not in {f"{kind}s" for kind in KINDS}:
            raise PfsmError(f"{where}: names {kinds!r}; known are {', '.join(f'{kind}s' for kind in KINDS)}")
    return value


def _check(kind: str, name: str, text: str, where: str) -> None:
    needed = Origin.parse(text)
    known = table(kind)
    entry = known.plugin(name)
    asked = f"{where}: the model needs the {kind} {name!r} of {text}"
    if entry is None and known.is_taken(name):
        raise PfsmError(f"{asked}, but pfsm has one of its own of this name; retrain the model")
    if entry is None and needed.script:
        raise PfsmError(f"{asked}, which is not registered; import {needed.package} before the model is read")
    if entry is None:
        raise PfsmError(f"{asked}, which is not installed; install {needed.package}, preferably this version")
    if entry.origin.package != needed.package:
        remedy = f"{'import' if needed.script else 'install'} {needed.package}"
        raise PfsmError(f"{asked}, but here it is of {entry.origin}; {remedy} instead")
    if entry.origin.version != needed.version:
        message = f"{asked}, but here is {entry.origin}; scores may differ, which their signature shows"
        warnings.warn(message, PfsmWarning, stacklevel=2)
    known.loaded(entry)
