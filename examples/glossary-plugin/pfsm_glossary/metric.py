"""The metric ``glossary(file=terms.tsv)``: how much of a reference's terminology a translation keeps."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.text.plain import tokenise
from pfsm_glossary.glossary import read_glossary

Float = NDArray[np.float64]


class GlossaryMetric(SegmentMetric):
    """Of the terms in the reference, the share that the translation has in one form or the other; 1 without terms.

    The score of a corpus is the share of the terms of all references.

    Args:
        options: ``file``, the glossary.

    Raises:
        PfsmError: If the option is missing or another one is given, or the glossary cannot be read.
    """

    name = "glossary"

    def __init__(self, **options: object) -> None:
        unknown = [key for key in options if key != "file"]
        if unknown or not isinstance(options.get("file"), str):
            raise PfsmError("metric glossary: takes the option file; write it as glossary(file=terms.tsv)")
        glossary = read_glossary(str(options["file"]))
        self._label = glossary.label
        self._terms = [(_words(preferred), _words(variant)) for preferred, variant in glossary.terms]

    def entries(self) -> Mapping[str, str]:
        """The glossary, with its checksum."""
        return {"terms": self._label}

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs], from 0 to 1; higher is better."""
        return self.corpus_from_totals(self.pair_statistics(hypotheses, references))

    def pair_statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Terms that were kept, and terms of the reference: float64 [n_pairs, 2]."""
        if isinstance(hypotheses, str) or isinstance(references, str) or len(hypotheses) != len(references):
            raise ValueError("hypotheses and references must be lists of strings of one length")
        counts = [self._counts(ours, theirs) for ours, theirs in zip(hypotheses, references, strict=True)]
        return np.array(counts, dtype=np.float64).reshape(-1, 2)

    def named_parts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Mapping[str, Float]:
        """The same by name, for ``pfsm explain``."""
        kept, wanted = self.pair_statistics(hypotheses, references).T
        return {"kept": kept, "wanted": wanted}

    def corpus_from_totals(self, totals: Float) -> Float:
        """The share, float64 [...] from float64 [..., 2]."""
        kept, wanted = totals[..., 0], totals[..., 1]
        return np.divide(kept, wanted, out=np.ones(wanted.shape), where=wanted > 0)

    def _counts(self, hypothesis: str, reference: str) -> tuple[int, int]:
        ours, theirs = _words(hypothesis), _words(reference)
        wanted = [pair for pair in self._terms if any(term in theirs for term in pair)]
        return sum(any(term in ours for term in pair) for pair in wanted), len(wanted)


def _words(line: str) -> str:
    """Lower-cased words with spaces around each, so that ``in`` finds whole words."""
    return f" {' '.join(tokenise(line.lower()))} "
