"""Analysers: the shipped parser, other weights for it, programs and files. A configuration names one in a line."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from pfsm.analysis.watched import Analyser, AnalyserKind, TrainedAnalyser, watched_analyser
from pfsm.errors import PfsmError
from pfsm.io.files import is_file
from pfsm.registry import Table

DEFAULT_PARSER = "en-ewt"
SUFFIX = ".parser"


BUILT_IN: dict[str, AnalyserKind | str] = {
    "spacy": "pfsm.analysis.programs:SpacyAnalyser",
    "stanza": "pfsm.analysis.programs:StanzaAnalyser",
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
    known = ", ".join([*shipped, *(f"{kind}:…" for kind in ANALYSERS)])
    raise PfsmError(f"parser {name!r}: unknown; known are {known}, or a file NAME{SUFFIX}")


def get_analyser(name: str) -> Analyser:
    """The analyser that a configuration names.

    Args:
        name: A shipped parser, a weights file, ``spacy:PIPELINE``, ``stanza:LANGUAGE``, ``command:PROGRAM ARGUMENTS``,
            ``file:PATH``, or ``NAME`` or ``NAME:ARGUMENT`` of a plug-in.

    Raises:
        PfsmError: If there is none of this name, or it cannot be loaded.
    """
    kind, mark, rest = name.partition(":")
    if mark and kind in BUILT_IN and not rest.strip():
        raise PfsmError(f"parser {name!r}: a name is needed after {kind}:")
    if (mark and kind in BUILT_IN) or ANALYSERS.plugin(kind) is not None:
        return ANALYSERS[kind](rest)
    return own_analyser(name)
