"""What matchers over analyses share: their options, and the analyses of the lines of sentence pairs.

Analyses are read off for our tokens; each distinct line is analysed and read once.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.sentence import Analysis
from pfsm.errors import PfsmError
from pfsm.matchers.protocol import EncodedPairs
from pfsm.runtime.yaml_keys import elsewhere
from pfsm.text.vocabulary import EncodedLines, Vocabulary

Found = TypeVar("Found")
Analyse = Callable[[Sequence[str]], Sequence[Analysis]]


def checked_options(options: Mapping[str, Any], defaults: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Switches and the name of a parser, with their defaults.

    Raises:
        PfsmError: If there is another option, or a value that cannot be.
    """
    for key, value in options.items():
        if key not in defaults:
            belongs = elsewhere(key, defaults) or f"known are {', '.join(defaults)}"
            raise PfsmError(f"{where}: unknown option {key!r}; {belongs}")
        if not isinstance(value, type(defaults[key])) or value == "":
            kind = "true or false" if isinstance(defaults[key], bool) else "the name of a parser"
            raise PfsmError(f"{where}: {key} is {value!r}, it must be {kind}")
    return {**defaults, **options}


def read_pairs(
    pairs: EncodedPairs, analyse: Analyse, read: Callable[[Sequence[str], Analysis], Found]
) -> tuple[list[Found], list[Found]]:
    """What is read off the analyses of all references and of all hypotheses.

    Args:
        pairs: The sentence pairs.
        analyse: From distinct lines to their analyses.
        read: From our tokens of a line and its analysis to what is wanted.
    """
    text = list(dict.fromkeys([*pairs.references.lines, *pairs.hypotheses.lines]))
    lines = _Lines(pairs.vocabulary, dict(zip(text, analyse(text), strict=True)), read)
    return lines.of_side(pairs.references), lines.of_side(pairs.hypotheses)


class _Lines(Generic[Found]):
    """What is read off the analyses of lines, by their text."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        analyses: Mapping[str, Analysis],
        read: Callable[[Sequence[str], Analysis], Found],
    ) -> None:
        self._types = vocabulary.types
        self._analyses = analyses
        self._read = read
        self._known: dict[str, Found] = {}

    def of_side(self, lines: EncodedLines) -> list[Found]:
        """For every line, in order."""
        bounds = pairwise(lines.offsets.tolist())
        return [
            self._of(text, lines.ids[start:end])
            for text, (start, end) in zip(lines.lines, bounds, strict=True)
        ]

    def _of(self, text: str, ids: NDArray[np.int32]) -> Found:
        if text not in self._known:
            tokens = [self._types[token] for token in ids.tolist()]
            self._known[text] = self._read(tokens, self._analyses[text])
        return self._known[text]
