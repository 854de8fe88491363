"""What a model file refers to outside itself: names of resources, never code or paths.

The names in settings that stand for something are looked at in the file's document, before anything is looked up:
parsers, sources of vectors and files of parses in options of matchers and in names of features, and any other text
among them that looks like a path, an address or a command: such a file is refused.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pfsm.errors import PfsmError
from pfsm.io.named_resources import NAME, find, is_name, needed, parted
from pfsm.metrics.inputs import COLUMN
from pfsm.model.settings import Settings
from pfsm.registry import find_table, plugin

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
