"""DPMF (Yu et al. 2015): DPM for syntax times a unigram F-score for words, equations (8) to (11).

The F-score is METEOR's own: words matched by its aligner, exact, stem, synonym and paraphrase matches weighted 1, .6,
.8 and .6, content and function words .75 and .25, alpha .85 (the paper's table 5, METEOR's parameters for ranking
English). The denominators of (9) and (10) as printed give content words the weight of function words; a sentence equal
to its reference would not have precision 1. They are taken as METEOR has them: each word with its own weight.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.dpmf.dpm import dpm_metric
from pfsm.metrics.dpmf.names import DPMF, DPMF_BASE
from pfsm.metrics.meteor.metric import MeteorMetric
from pfsm.metrics.meteor.options import BASE, METEOR, PARTS
from pfsm.metrics.meteor.options import check_options as meteor_options
from pfsm.metrics.references import best_of_references

Float = NDArray[np.float64]
_METEORS = {DPMF: METEOR, DPMF_BASE: BASE}
_F = 1 + PARTS.index("f")


class DpmfMetric(SegmentMetric):
    """DPMF. Several references: the best one of each segment counts; the paper has one.

    Several references: the best one counts. With ``training=references`` DPM is by one model of all references of the
    segment, and F that of the best reference.

    Args:
        name: ``dpmf``: with METEOR's paraphrases and word lists, which the extra ``paraphrases`` brings.
            ``dpmf-base``: with what ships with pfsm.
        options: As of ``dpm-model``.

    Raises:
        PfsmError: If an option is unknown or has no such value; at the first use, if something that is needed is not
            installed.
    """

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        self.name = name
        self._parsing = dpm_metric(name, options)
        self.is_additive = self._parsing.is_additive
        self.segment_references = self._parsing.segment_references
        self._words = MeteorMetric(_METEORS[name], meteor_options(_METEORS[name], {"language": "en"}))

    def entries(self) -> Mapping[str, str]:
        """Those of both factors.

        Raises:
            PfsmError: If something that is needed is not installed.
        """
        return {**self._parsing.entries(), **self._words.entries()}

    @property
    def is_independent(self) -> bool:
        """That of DPM."""
        return self._parsing.is_independent

    def check_independent(self) -> None:
        """As DPM does."""
        self._parsing.check_independent()

    @property
    def resources(self) -> tuple[str, ...]:
        """The parser, and METEOR's tables."""
        return (*self._parsing.resources, *self._words.resources)

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs], from 0 to 1.

        Raises:
            PfsmError: If something that is needed is not installed.
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        return self._parsing.score_pairs(hypotheses, references) * self._f(hypotheses, references)

    def understood_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs]; NaN where the parser had nothing to say about one of the lines.

        Raises:
            PfsmError: If something that is needed is not installed.
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        return self._parsing.understood_scores(hypotheses, references) * self._f(hypotheses, references)

    def tolerant_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs]; 0 where the parse of a line failed.

        Raises:
            PfsmError: If something that is needed is not installed.
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        return self._parsing.tolerant_scores(hypotheses, references) * self._f(hypotheses, references)

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """As `SegmentMetric.several_references`."""
        if self._parsing.uses_references_together:
            syntax = self._parsing.several_references(hypotheses, references)
            return syntax * self._best_f(hypotheses, references)
        return best_of_references(self.score_pairs, hypotheses, references)

    def understood_segments(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """As `SegmentMetric.understood_segments`."""
        if self._parsing.uses_references_together:
            syntax = self._parsing.understood_segments(hypotheses, references)
            return syntax * self._best_f(hypotheses, references)
        return super().understood_segments(hypotheses, references)

    def tolerant_segments(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """As `SegmentMetric.tolerant_segments`."""
        if self._parsing.uses_references_together:
            syntax = self._parsing.tolerant_segments(hypotheses, references)
            return syntax * self._best_f(hypotheses, references)
        return best_of_references(self.tolerant_scores, hypotheses, references)

    def _best_f(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        return best_of_references(self._f, hypotheses, references)

    def _f(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return self._words.parts(hypotheses, references)[:, _F]
