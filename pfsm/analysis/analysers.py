"""Analysers: the shipped parser, other weights for it, programs and files. A configuration names one in a line."""

import hashlib
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from pfsm.analysis.watched import Analyser, AnalyserKind, TrainedAnalyser, watched_analyser
from pfsm.errors import PfsmError
from pfsm.io.files import is_file
from pfsm.io.named_resources import find, is_name, needed, parted, register
from pfsm.registry import Table

DEFAULT_PARSER = "en-ewt"
SUFFIX = ".parser"


BUILT_IN: dict[str, AnalyserKind | str] = {
    "spacy": "pfsm.analysis.programs:SpacyAnalyser",
    "command": "pfsm.analysis.programs:CommandAnalyser",
    "file": "pfsm.analysis.programs:FileAnalyser",
}


def shipped_parsers() -> dict[str, Path]:
    """The shipped weights files, by name."""
    folder = Path(str(files("pfsm.resources") / "parsers"))
    return {path.stem: path for path in sorted(folder.glob(f"*{SUFFIX}"))}


ANALYSERS: Table[AnalyserKind] = Table(
    "analyser", BUILT_IN, watched_analyser, lambda name: name in shipped_parsers()
)
"""What stands before the colon, and what makes an analyser of what stands behind it."""


_READERS: Table[Callable[[Path], TrainedAnalyser]] = Table(
    "reader of weights", {SUFFIX: "pfsm.english.analyser:analyser_of_file"}, lambda _, reader: reader
)


def own_analyser(name: str) -> TrainedAnalyser:
    """The parser of this name, or the parser in the weights file at this path.

    Raises:
        PfsmError: If there is none.
    """
    shipped, analyser_of_file = shipped_parsers(), _READERS[SUFFIX]
    if name in shipped:
        return analyser_of_file(shipped[name])
    if name.endswith(SUFFIX) or is_file(name):
        return analyser_of_file(Path(name))
    bare, checksum = parted(name)
    if checksum:
        raise PfsmError(f"parser {name!r}: is not here; {needed(bare)}")
    known = ", ".join([*shipped, *(f"{kind}:…" for kind in ANALYSERS)])
    raise PfsmError(f"parser {name!r}: unknown; known are {known}, or a file NAME{SUFFIX}")


def get_analyser(name: str) -> Analyser:
    """The analyser that a configuration names.

    Args:
        name: A shipped parser, a weights file, ``spacy:PIPELINE``, ``command:PROGRAM ARGUMENTS``,
            ``file:PATH``, ``NAME`` or ``NAME:ARGUMENT`` of a plug-in, or a resource (`pfsm.io.named_resources`).

    Raises:
        PfsmError: If there is none of this name, it cannot be loaded, or has another checksum than the one asked for.
    """
    bare, checksum = parted(name)
    value = find(bare)
    if value is not None and _is_registered(bare):
        raise PfsmError(f"resource {bare}: pfsm has a parser of this name; give it another")
    if value is not None:
        return _of_resource(bare, value, checksum)
    kind, mark, rest = name.partition(":")
    if mark and kind in BUILT_IN and not rest.strip():
        raise PfsmError(f"parser {name!r}: a name is needed after {kind}:")
    if (mark and kind in BUILT_IN) or ANALYSERS.plugin(kind) is not None:
        return ANALYSERS[kind](rest)
    return own_analyser(name)


def _is_registered(name: str) -> bool:
    return name in shipped_parsers() or ANALYSERS.plugin(name.partition(":")[0]) is not None


def _of_resource(name: str, value: str, checksum: str | None) -> Analyser:
    """The analyser that a resource is: weights of ours, a file of parses, a pipeline of spaCy, or what a name says."""
    if not Path(value).exists():
        found = get_analyser(value)
    elif Path(value).is_dir():
        found = ANALYSERS["spacy"](value)
    else:
        found = own_analyser(value) if value.endswith(SUFFIX) else ANALYSERS["file"](value)
    if checksum not in {None, own := _checksum(found)}:
        raise PfsmError(
            f"parser {name}: has checksum {own}, the model needs {checksum} and would score differently; "
            "supply that one"
        )
    return found


def _checksum(analyser: Analyser) -> str:
    """Of what decides its analyses, as far as its label has it: 8 hexadecimal digits."""
    last = analyser.label.rpartition("@")[2]
    return (
        last if re.fullmatch("[0-9a-f]{8}", last) else hashlib.sha256(analyser.label.encode()).hexdigest()[:8]
    )


def pinned(name: str) -> str:
    """The name as a model keeps it: of what neither ships nor is a plug-in, a resource with its checksum.

    Raises:
        PfsmError: As `get_analyser`.
    """
    bare, _ = parted(name)
    if _is_registered(bare):
        return name
    found = get_analyser(name)
    return f"{bare if is_name(bare) and find(bare) else register(name)}@{_checksum(found)}"
