"""A model at work: scores of sentence pairs, segments with several references, and systems."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.arrays import LatticeBatch
from pfsm.metrics.base import Level, Recipe, SegmentMetric
from pfsm.metrics.references import (
    NumberOfReferences,
    best_of_references,
    mean_of_references,
    number_by_segment,
)
from pfsm.model.builder import PAIRS_PER_BATCH, LatticeBuilder
from pfsm.model.explain.explanation import Explanation, explain_lattice
from pfsm.model.file import Model, model_from_dict
from pfsm.model.settings import MEAN
from pfsm.model.signature import signature
from pfsm.runtime.threads import default_threads, each

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]


class Metric(SegmentMetric):
    """Scores translations with one model.

    The score of a corpus is the mean of its segment scores, under the same signature. Several references: the best one
    counts, or with the setting ``references: mean`` the mean of the scores against each.

    Args:
        model: The model. What it names is run and read: whether a file is trusted is decided where it is read.
        threads: Threads for the dynamic programs; None: as many as the process may use. Scores do not depend on it.
    """

    def __init__(self, model: Model, threads: int | None = None) -> None:
        self.model = model
        self.name = model.name
        self.language = model.settings.language
        self.segment_references = model.settings.references
        self.threads = default_threads() if threads is None else threads
        self._builder = LatticeBuilder(model.settings)
        self._nrefs: NumberOfReferences = "var"

    @property
    def resources(self) -> tuple[str, ...]:
        """Tables that the matchers know from, as ``NAME@CHECKSUM``."""
        return self._builder.resources

    @property
    def n_types(self) -> int:
        """Token types met so far: their number grows with the text, and so does the memory they take."""
        return len(self._builder.vocabulary)

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of single-reference pairs.

        Args:
            hypotheses: Translations, one string each.
            references: As many references.

        Returns:
            float64 [n_pairs], ``mean + sd * (y / (m + n) + alpha)`` with the y of equation (2) of Wang and
            Manning (2012); ``y / (m + n)`` is 0 where both sides are empty.

        Raises:
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        self._nrefs = 1
        return self._score_pairs(hypotheses, references)

    def score_lines(self, lines: Sequence[str], hypotheses: Int64, references: Int64) -> Float:
        """Scores of single-reference pairs of lines, given by number: a line of many pairs is tokenised once.

        Args:
            lines: The text.
            hypotheses: int64 [n_pairs], which line is the hypothesis of each pair.
            references: int64 [n_pairs], which is its reference.

        Returns:
            float64 [n_pairs], as ``score_pairs``.

        Raises:
            ValueError: If the arrays differ in length.
        """
        return self._scored(self._builder.batches_of(lines, references, hypotheses), hypotheses.size)

    def _score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        for name, value in (("hypotheses", hypotheses), ("references", references)):
            if isinstance(value, str):
                raise ValueError(f"{name} must be a list of strings, not one string")
        return self._scored(self._builder.batches(references, hypotheses), len(hypotheses))

    def _scored(self, batches: Iterator[LatticeBatch], n_pairs: int) -> Float:
        """Scores of the pairs of all batches: threads share out the batches, or the pairs of the only one."""
        from pfsm_kernels.inference import log_sum  # noqa: PLC0415 - brings numba

        several = n_pairs > PAIRS_PER_BATCH
        named, inner = self.model.weights, 1 if several else self.threads

        def normalised(batch: LatticeBatch) -> Float:
            points: Float = batch.sentence_features.points(named, len(batch))
            if not batch.states:
                return points
            sums = log_sum(batch.lattices, batch.weights(named), inner, batch.jumps)
            return sums / np.maximum(batch.lattices.lengths, 1) + points

        parts = each(normalised, batches, self.threads if several else 1)
        return self._to_scale(np.concatenate([np.zeros(0), *parts]))

    def score_segments(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """As `SegmentMetric.score_segments`."""
        scores = super().score_segments(hypotheses, references)
        self._nrefs = number_by_segment(references)
        return scores

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """The best score of each segment against its references, or the mean, as the settings say."""
        over = mean_of_references if self.model.settings.references == MEAN else best_of_references
        return over(self._score_pairs, hypotheses, references)

    def recipe(self) -> Recipe:
        """The model without what it says of its training."""
        document = replace(self.model, training={}).to_dict()
        return Recipe("pfsm.model.metric:from_document", json.dumps(document, ensure_ascii=False))

    def explain(self, hypothesis: str, reference: str) -> Explanation:
        """Why a pair gets its score: best edit sequence, alignment posteriors, contributions that add up to it.

        Raises:
            PfsmError: If the pair is too long to be explained place by place.
        """
        pairs = self._builder.encode([reference], [hypothesis])
        return explain_lattice(self._builder.lattices(pairs), self.model, *self._builder.tokens(pairs))

    def get_signature(self, nrefs: NumberOfReferences | None = None, level: Level = "segment") -> str:  # noqa: ARG002
        """Everything that can change a score: ``nrefs:1|model:…|…|version:X``, the same at both levels.

        ``nrefs`` is `SegmentMetric.get_signature`'s; None, the default, means that of the last call, as in sacrebleu.
        """
        return signature(self.model, self._nrefs if nrefs is None else nrefs, self.resources)

    def _to_scale(self, normalised: Float) -> Float:
        scale = self.model.scale
        return scale.mean + scale.sd * (normalised + self.model.alpha)


def from_document(text: str) -> Metric:
    """A metric for one thread from the JSON of its model, as `Metric.recipe` gives it.

    The model is trusted: it comes from a process that has it at work, not from a file.

    Raises:
        PfsmError: If it is no model.
    """
    return Metric(model_from_dict(json.loads(text), "model", trust=True), threads=1)
