"""Plug-ins that settings use: what model files record of them, and whether they are here."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pfsm.errors import PfsmError, PfsmWarning
from pfsm.metrics.names import mixed_metric, parse_name
from pfsm.metrics.registry import METRICS
from pfsm.model.settings import Settings
from pfsm.registry import KINDS, Entry, plugin, table

_FORM = '{}: must be as in {{"matchers": {{"glossary": "pfsm-glossary 0.1.0"}}}}'
# Options of matchers and features that name something that may be a plug-in itself.
_NAMING = {"parser": "analyser", "tokeniser": "tokeniser", "stemmer": "stemmer"}


def plugins_of(settings: Settings) -> dict[str, dict[str, str]]:
    """What a model file records: ``{"matchers": {"glossary": "pfsm-glossary 0.1.0"}}``; empty without plug-ins."""
    found: dict[str, dict[str, str]] = {}
    for entry in _found(_named(settings)):
        found.setdefault(f"{entry.kind}s", {})[entry.name] = entry.origin
    return found


def plugin_labels(settings: Settings) -> list[str]:
    """The same as a list for what decides a result: ``matcher glossary(pfsm-glossary@0.1.0)``."""
    return _labels(_named(settings))


def metric_labels(name: str, options: Mapping[str, Any]) -> list[str]:
    """`plugin_labels` of a metric that is asked for by name, with options."""
    return _labels(_of_metric(name, options))


def _labels(named: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{entry.kind} {entry.name}({entry.label})" for entry in _found(named)]


def _found(named: Iterable[tuple[str, str]]) -> list[Entry]:
    return [entry for one in sorted(set(named)) if (entry := plugin(*one)) is not None]


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
    """Return what a model file records of plug-ins, if they are here; of another version they are used, with a warning.

    Args:
        value: What the file has under ``plugins``.
        where: What to call it in errors.

    Raises:
        PfsmError: If it is no such record, or a plug-in is missing or another one has its name.
    """
    if not isinstance(value, dict) or not all(isinstance(names, dict) for names in value.values()):
        raise PfsmError(_FORM.format(where))
    for kinds, names in value.items():
        if kinds.removesuffix("s") not in KINDS:
            raise PfsmError(f"{where}: names {kinds!r}; known are {', '.join(f'{kind}s' for kind in KINDS)}")
        for name, origin in names.items():
            if not isinstance(origin, str) or not origin.strip() or not (name + origin).isprintable():
                raise PfsmError(_FORM.format(where))
            _check(kinds.removesuffix("s"), name, origin, where)
    return value


def _check(kind: str, name: str, origin: str, where: str) -> None:
    entry = plugin(kind, name)
    asked = f"{where}: the model needs the {kind} {name!r} of {origin}"
    if entry is None or not f"{origin} ".startswith(f"{entry.package} "):
        is_script, package = origin.startswith("module "), origin.removeprefix("module ").split()[0]
        found = "which is not here" if entry is None else f"but here it is of {entry.origin}"
        raise PfsmError(f"{asked}, {found}; {'import' if is_script else 'install'} {package}")
    if entry.origin != origin:
        message = f"{asked}, but here is {entry.origin}; scores may differ, which their signature shows"
        warnings.warn(message, PfsmWarning, stacklevel=2)
    table(kind).loaded(entry)
