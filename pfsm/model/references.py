"""What a model file refers to outside itself: names of resources and of plug-ins, never code or paths.

The names in settings that stand for something are looked at in the file's document, before anything is looked up:
parsers, sources of vectors and files of parses in options of matchers and in names of features, and any other text
among them that looks like a path, an address or a command: such a file is refused.
"""

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pfsm.errors import PfsmError, PfsmWarning
from pfsm.io.named_resources import NAME, find, is_name, needed, parted
from pfsm.metrics.inputs import COLUMN
from pfsm.metrics.names import mixed_metric, parse_name
from pfsm.metrics.registry import METRICS
from pfsm.model.settings import Settings
from pfsm.registry import KINDS, Entry, find_table, plugin, table

_SUPPLIED = ("parser", "source")
_KEPT = re.compile(
    rf"(?:(?:shipped|package):)?{NAME.pattern}|transformers:(?:{NAME.pattern}/)?{NAME.pattern}", re.DOTALL
)
# Parsers that are files or programs of the user.
_USERS = ("spacy", "command", "file")
_CODE = re.compile("|".join(f"{kind}:" for kind in _USERS))
# An absolute path here or on Windows, the user's folder, an address, or a step out of the folder.
_OUTSIDE = re.compile(r"[/\\~]|[A-Za-z]:[/\\]|.*://|(?:.*[/\\:])?\.\.(?:[/\\]|$)|.*\0", re.DOTALL)
# The source of vectors is the last option in the name of a feature, and may have commas.
_IN_NAME = re.compile(r"[(,](?P<key>\w+)=(?P<value>(?<=source=).*(?=\))|[^,]*?(?=,|\)*$))", re.DOTALL)
# No name of a feature is as long; longer ones would be taken apart for minutes.
_LONGEST = 2_000


def check_references(document: dict[str, Any], where: str, *, run: bool = True) -> None:
    """Refuse the document of a model that names a path or a program.

    Args:
        document: The document; the rest of it need not be valid.
        where: Name of the model file in errors.
        run: Whether the resources have to be here.

    Raises:
        PfsmError: If it names a path or a command, or lacks a resource.
    """
    settings = document.get("settings")
    features = settings.get("features") if isinstance(settings, Mapping) else None
    if any(len(name) > _LONGEST for name in _texts(features)):
        raise PfsmError(f"{where}: a name of a feature has more than {_LONGEST:,} characters")
    for key, value in _references(settings) if isinstance(settings, Mapping) else ():
        reference, _ = parted(value)
        if key in _SUPPLIED and _is_name(key, reference):
            if run and is_name(reference) and not _is_known(key, reference) and find(reference) is None:
                raise PfsmError(
                    f"{where}: the model needs {reference}, which is not here; {needed(reference)}"
                )
        elif key in _SUPPLIED or _OUTSIDE.match(reference) or _CODE.match(reference):
            shown = reference if len(reference) <= 60 else f"{reference[:60]}…"
            raise PfsmError(
                f"{where}: names {shown!r}, but model files name no paths and no programs; name a resource instead"
            )


def resources_of(settings: Settings) -> list[str]:
    """The resources that a model needs, each once, with their checksums; not its tables."""
    found = _references(settings.to_dict())
    return [
        *dict.fromkeys(
            value
            for key, value in found
            if key in _SUPPLIED and is_name(name := parted(value)[0]) and not _is_known(key, name)
        )
    ]


def _is_name(key: str, reference: str) -> bool:
    if key == "source":
        return _KEPT.fullmatch(reference) is not None
    kind, mark, rest = reference.partition(":")
    if key == "parser" and mark and plugin("analyser", kind) is not None:
        return is_name(rest)
    return is_name(reference)


def _is_known(key: str, name: str) -> bool:
    analysers = find_table("analyser") if key == "parser" and name not in _USERS else None
    return analysers is not None and (analysers.is_taken(name) or analysers.plugin(name) is not None)


def _references(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Keys and texts of all options, in order."""
    features = settings.get("features", ())
    for name in _texts(list(features) if isinstance(features, Mapping) else features):
        if not name.startswith(COLUMN):  # nothing looks into what a column of the data is called
            found = [(match["key"], match["value"]) for match in _IN_NAME.finditer(name)]
            yield from found
            # However another reader takes the name apart: nothing behind an equals sign that is not looked at.
            for part in name.split("=")[1:]:
                if not any(value and part.startswith(value) for _, value in found):
                    yield "", part.rstrip(")")
    options = settings.get("options")
    for given in options.values() if isinstance(options, Mapping) else ():
        for key, value in given.items() if isinstance(given, Mapping) else ():
            yield from ((str(key), text) for text in _texts(value))


def _texts(value: object) -> Iterator[str]:
    """All texts in a value, however deep; keys too."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += reversed([part for entry in one.items() for part in entry])
        elif isinstance(one, list | tuple):
            waiting += reversed(one)


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
