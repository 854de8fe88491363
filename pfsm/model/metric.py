"""A model at work: scores of sentence pairs, segments with several references, and systems."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.arrays import LatticeBatch
from pfsm.model.builder import PAIRS_PER_BATCH, LatticeBuilder
from pfsm.model.explain.explanation import Explanation, explain_lattice
from pfsm.model.file import Model
from pfsm.model.signature import signature
from pfsm.runtime.threads import default_threads, each

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]


class Score(float):
    """A score: a number that prints itself and knows where it came from.

    Attributes:
        name: Name of the model.
        signature: Everything that can change the number, ``key:value|…|version:X``.
        segment_scores: float64 [n_segments]; the score is their unweighted mean.
    """

    name: str
    signature: str
    segment_scores: Float

    @classmethod
    def of(cls, segment_scores: Float, name: str, signature: str) -> "Score":
        """The score of a system, or of one sentence, from its segment scores."""
        score = cls(segment_scores.mean())
        score.name, score.signature, score.segment_scores = name, signature, segment_scores
        return score

    @property
    def score(self) -> float:
        """The number itself, as in sacrebleu."""
        return float(self)

    def __str__(self) -> str:
        return f"{self.name}|{self.signature} = {float(self):.4f}"

    def __repr__(self) -> str:
        return f"Score({float(self)!r}, {self.name!r}, {self.signature!r})"


class Metric:
    """Scores translations with one model.

    Args:
        model: The model.
        threads: Threads for the dynamic programs; None: as many as the process may use. Scores do not depend on it.
    """

    def __init__(self, model: Model, threads: int | None = None) -> None:
        self.model = model
        self.threads = default_threads() if threads is None else threads
        self._builder = LatticeBuilder(model.settings)
        self._nrefs: int | None = None

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.model.name

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

    def segment_scores(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Scores of segments against reference streams; the best reference counts.

        Args:
            hypotheses: One translation a segment.
            references: Streams: ``references[k][i]`` is the k-th reference of segment i, as in sacrebleu.

        Returns:
            float64 [n_segments].

        Raises:
            ValueError: If there is no stream, or one differs in length from the hypotheses.
        """
        if isinstance(references, str) or not references:
            raise ValueError("references must be a list of streams, each a list of strings")
        self._nrefs = len(references)
        scores: Float = np.max([self._score_pairs(hypotheses, stream) for stream in references], axis=0)
        return scores

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Score:
        """Score of one translation; with several references the best one counts.

        Raises:
            ValueError: If ``references`` is a string or empty.
        """
        if isinstance(references, str) or not references:
            raise ValueError("references must be a list of strings, the references of this one sentence")
        scores = self.segment_scores([hypothesis], [[reference] for reference in references])
        return Score.of(scores, self.name, self.get_signature())

    def corpus_score(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Score:
        """Score of a system: the unweighted mean of its segment scores.

        Args:
            hypotheses: One translation a segment.
            references: Reference streams, as in sacrebleu.

        Raises:
            ValueError: If there are no segments, or streams differ in length.
        """
        if not hypotheses:
            raise ValueError("no segments to score")
        scores = self.segment_scores(hypotheses, references)
        return Score.of(scores, self.name, self.get_signature())

    def explain(self, hypothesis: str, reference: str) -> Explanation:
        """Why a pair gets its score: best edit sequence, alignment posteriors, contributions that add up to it.

        Raises:
            PfsmError: If the pair is too long to be explained place by place.
        """
        batch = self._builder.build([reference], [hypothesis])
        tokens = self._builder.vocabulary.tokens
        return explain_lattice(batch, self.model, tokens(reference), tokens(hypothesis))

    def get_signature(self, nrefs: int | None = None) -> str:
        """Everything that can change a score: ``nrefs:1|model:…|…|version:X``.

        ``nrefs`` defaults to the number of references of the last call, as in sacrebleu.
        """
        return signature(self.model, nrefs if nrefs is not None else self._nrefs, self.resources)

    def _to_scale(self, normalised: Float) -> Float:
        scale = self.model.scale
        return scale.mean + scale.sd * (normalised + self.model.alpha)
