"""Metrics over analyses of the two lines rather than over their words alone."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.parser.parse import Wanted
from pfsm.analysis.sentence import Analysis
from pfsm.analysis.service import analyse_lines, analyser_label
from pfsm.metrics.distinct import score_distinct
from pfsm.metrics.protocol import check_pairs
from pfsm.version import __version__

Float = NDArray[np.float64]
Compute = Callable[[Sequence[Analysis], Sequence[Analysis]], Float]


class AnalysedMetric:
    """A metric that asks the analysis layer, and no parser by itself.

    Args:
        name: What scores are reported under.
        entries: Settings that change scores, for the signature.
        parser: Who analyses, as `pfsm.analysis.analysers.get_analyser` takes it; nothing is loaded before it is needed.
        wanted: What the metric asks of the analyses.
        compute: From analyses of hypotheses and of references to float64 [n_pairs, 1 + n_parts], the score first; the
            row of a pair depends on the pair alone.
    """

    def __init__(
        self, name: str, entries: Mapping[str, str], parser: str, wanted: Wanted, compute: Compute
    ) -> None:
        self.name = name
        self._entries = dict(entries)
        self._parser, self._wanted, self._compute = parser, wanted, compute

    @property
    def signature(self) -> str:
        """The settings, the parser with its version, and ours.

        Raises:
            PfsmError: If the parser cannot be loaded.
        """
        entries = {
            "nrefs": "1",
            "level": "segment",
            **self._entries,
            "parser": analyser_label(self._parser),
            "version": __version__,
        }
        return "|".join(f"{key}:{value}" for key, value in entries.items())

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs].

        Raises:
            PfsmError: If the parser cannot be loaded.
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        return np.ascontiguousarray(self.parts(hypotheses, references)[:, 0])

    def parts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs and what they are made of, float64 [n_pairs, 1 + n_parts]; each distinct pair once.

        Raises:
            PfsmError: If the parser cannot be loaded.
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        check_pairs(hypotheses, references)
        return score_distinct(self._distinct, hypotheses, references)

    def _distinct(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        lines = [*hypotheses, *references]
        analyses = analyse_lines(lines, self._parser, self._wanted)
        return self._compute(analyses[: len(hypotheses)], analyses[len(hypotheses) :])
