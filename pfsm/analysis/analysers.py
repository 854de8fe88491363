"""Analysers: the shipped parser, other weights for it, programs and files. A configuration names one in a line."""

from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Protocol

from pfsm.analysis.parser.parameters import ParserWeights
from pfsm.analysis.parser.parse import Parser, Wanted
from pfsm.analysis.parser.weights import read_weights
from pfsm.analysis.programs import CommandAnalyser, FileAnalyser, SpacyAnalyser, StanzaAnalyser
from pfsm.analysis.sentence import Analysis
from pfsm.analysis.tokens import words_of
from pfsm.errors import PfsmError
from pfsm.io.faults import is_file

DEFAULT_PARSER = "en-ewt"
SUFFIX = ".parser"


class Analyser(Protocol):
    """Makes analyses of lines."""

    @property
    def label(self) -> str:
        """Its name and version, as used by the cache and in signatures."""

    def analyse(self, lines: Sequence[str], wanted: Wanted) -> list[Analysis]:
        """The analyses of lines, in order."""


class OwnAnalyser:
    """Our parser with its own tokeniser.

    Args:
        weights: The weights, as `read_weights` returns them.
    """

    def __init__(self, weights: ParserWeights) -> None:
        self._parser = Parser(weights)
        self.label = self._parser.label

    def analyse(self, lines: Sequence[str], wanted: Wanted) -> list[Analysis]:
        """The analyses of lines."""
        return self._parser.parse([[word.form for word in words_of(line)] for line in lines], wanted)

    def analyse_words(self, lines: Sequence[Sequence[str]], wanted: Wanted) -> list[Analysis]:
        """The analyses of lines that are already split into words."""
        return self._parser.parse(lines, wanted)


_KINDS: dict[str, Callable[[str], Analyser]] = {
    "spacy": SpacyAnalyser,
    "stanza": StanzaAnalyser,
    "command": CommandAnalyser,
    "file": FileAnalyser,
}


def shipped_parsers() -> dict[str, Path]:
    """The shipped weights files, by name."""
    folder = Path(str(files("pfsm.resources") / "parsers"))
    return {path.stem: path for path in sorted(folder.glob(f"*{SUFFIX}"))}


def own_analyser(name: str) -> OwnAnalyser:
    """The parser of this name, or the parser in the weights file at this path.

    Raises:
        PfsmError: If there is none.
    """
    shipped = shipped_parsers()
    if name in shipped:
        return OwnAnalyser(read_weights(shipped[name]))
    if name.endswith(SUFFIX) or is_file(name):
        return OwnAnalyser(read_weights(name))
    known = ", ".join([*shipped, *(f"{kind}:…" for kind in _KINDS)])
    raise PfsmError(f"parser {name!r}: unknown; known are {known}, or a file NAME{SUFFIX}")


def get_analyser(name: str) -> Analyser:
    """The analyser that a configuration names.

    Args:
        name: A shipped parser, a weights file, ``spacy:PIPELINE``, ``stanza:LANGUAGE``, ``command:PROGRAM ARGUMENTS``
            or ``file:PATH``.

    Raises:
        PfsmError: If there is none of this name, or it cannot be loaded.
    """
    kind, mark, rest = name.partition(":")
    if mark and kind in _KINDS:
        if not rest.strip():
            raise PfsmError(f"parser {name!r}: a name is needed after {kind}:")
        return _KINDS[kind](rest)
    return own_analyser(name)
