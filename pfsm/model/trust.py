"""What a model file would run or reach, and the refusal of it.

A model file is data. The names in it, however, can stand for code: a program (``command:sh x.sh``), a pipeline of
spaCy or Stanza, a plug-in. They can also stand for files anywhere on the machine. Such a file is read only with the
user's word: ``--trust-model``, or ``trust=True`` in Python.

The check is made on the document before anything in it is looked up, because even checking the settings of a model
imports the plug-ins that they name. It asks too much rather than too little: it looks at every text among the options
of matchers and features, whatever the option is called.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pfsm.analysis.analysers import BUILT_IN
from pfsm.errors import PfsmError
from pfsm.metrics.data_columns import PREFIX as COLUMN
from pfsm.metrics.syntax.interpolation import mixed_metric
from pfsm.registry import TABLES, table

FILE = "file"
_PROGRAM = re.compile("|".join(f"{kind}:" for kind in BUILT_IN if kind != FILE))
# What separates the options in the name of a feature, also where names stand inside names.
_SEPARATORS = re.compile(r"[(),=]")
_CHECKSUM = re.compile(r"@[0-9a-f]{8}(?![0-9a-f])")
# An absolute path here or on Windows, the user's folder, an address, or a step out of the folder.
_OUTSIDE = re.compile(
    rf"[/\\~]|[A-Za-z]:[/\\]|.*://|{FILE}:|(?:.*[/\\:])?\.\.(?:[/\\]|@[0-9a-f]{{8}}|$)", re.DOTALL
)
# The matcher and its option that holds words of the training data: any text.
_WORDS = "emb", "idf"
_NAMED_BY_OPTIONS = ("analyser", "tokeniser", "stemmer")
_SHOWN, _LONGEST = 4, 300


@dataclass(frozen=True)
class Reach:
    """Something outside the model that it would use.

    Attributes:
        verb: ``run`` for code, ``read`` for a file.
        text: The name as the model has it, of files without checksum, of a plug-in with its package.
        plugin: Whether it is a plug-in, which even reading the model imports.
    """

    verb: str
    text: str
    plugin: bool = False

    def __str__(self) -> str:
        text = self.text if len(self.text) <= _LONGEST else f"{self.text[:_LONGEST]}…"
        return text if text.isprintable() else repr(text)


Trust = bool | Collection[Reach]


def reaches(document: Mapping[str, Any]) -> tuple[Reach, ...]:
    """What the document of a model would run or reach, in order, each once; the document need not be valid."""
    found = [*_recorded(document.get("plugins"))]
    settings = document.get("settings")
    if isinstance(settings, Mapping):
        found += _of_settings(settings)
    return tuple(dict.fromkeys(found))


def check_trust(document: Mapping[str, Any], where: str, trust: Trust, *, run: bool = True) -> None:
    """Refuses a document that would run or reach anything without the user's word.

    Args:
        document: The document of a model.
        where: Name of the model file in errors.
        trust: The user's word: for everything, for nothing, or for some things.
        run: Whether the model is to be used. One that is only shown may name anything but plug-ins.

    Raises:
        PfsmError: If it would; the message shows what.
    """
    if trust is True:
        return
    given = trust or ()
    found = [reach for reach in reaches(document) if (run or reach.plugin) and reach not in given]
    if found:
        raise PfsmError(
            f"{where}: the model would {described(found)}; if you trust its author, say --trust-model "
            "(in Python: trust=True)"
        )


def described(found: Iterable[Reach]) -> str:
    """``run command:sh x.sh and read /tmp/x``: code first, at most a few of each."""
    names: dict[str, list[str]] = {"run": [], "read": []}
    for reach in found:
        names[reach.verb].append(str(reach))
    return " and ".join(f"{verb} {_listed(texts)}" for verb, texts in names.items() if texts)


def _listed(texts: list[str]) -> str:
    more = len(texts) - _SHOWN
    return ", ".join([*texts[:_SHOWN], *([f"{more} more"] if more > 0 else [])])


def _recorded(record: object) -> Iterator[Reach]:
    """Plug-ins in the file's own list of them: all of them are imported when the file is read."""
    if isinstance(record, Mapping):
        for kinds, names in record.items():
            if isinstance(names, Mapping):
                for name in names:
                    yield from _plugin(str(kinds).removesuffix("s"), name)


def _of_settings(settings: Mapping[str, Any]) -> Iterator[Reach]:
    for name in _texts(settings.get("matchers", ())):
        yield from _plugin("matcher", name)
    for kind in ("tokeniser", "stemmer"):
        yield from _plugin(kind, settings.get(kind))
    features = settings.get("features", ())
    for name in _texts(list(features) if isinstance(features, Mapping) else features):
        yield from _of_feature(name)
    options = settings.get("options")
    if isinstance(options, Mapping):
        for matcher, given in options.items():
            yield from _plugin("matcher", matcher)
            for key, value in given.items() if isinstance(given, Mapping) else ():
                if (matcher, key) != _WORDS:
                    for text in _texts(value):
                        yield from _of_value(text)


def _of_feature(name: str) -> Iterator[Reach]:
    if name.startswith(COLUMN):
        return  # a column of the data, whatever it is called: nothing looks into the name
    bare = name.partition("(")[0].removesuffix(".*")
    for kind in ("metric", "feature"):
        # NAME_b and NAME_i bring the plug-in NAME.
        for one in dict.fromkeys((bare, bare.partition(".")[0], mixed_metric(bare))):
            yield from _plugin(kind, one)
    _, *values = _SEPARATORS.split(name)
    if _PROGRAM.search(name):
        yield Reach("run", name)
    elif any(map(_OUTSIDE.match, values)):
        yield Reach("read", _CHECKSUM.sub("", name))
    for value in values:
        yield from _plugins_of_value(value)


def _of_value(value: str) -> Iterator[Reach]:
    """Of an option of a matcher; it may hold names of features, with options of their own."""
    parts = dict.fromkeys((value, *_SEPARATORS.split(value)))
    if _PROGRAM.search(value):
        yield Reach("run", value)
    elif any(map(_OUTSIDE.match, parts)):
        yield Reach("read", _CHECKSUM.sub("", value))
    for part in parts:
        yield from _plugins_of_value(part)


def _plugins_of_value(value: str) -> Iterator[Reach]:
    for kind in _NAMED_BY_OPTIONS:
        yield from _plugin(kind, value.partition(":")[0])


def _plugin(kind: str, name: object) -> Iterator[Reach]:
    entry = table(kind).plugin(name) if kind in TABLES and isinstance(name, str) else None
    if entry is not None:
        yield Reach("run", f"{kind} {entry.name!r} of {entry.origin}", plugin=True)


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
