"""A model at work: scores of sentence pairs, segments with several references, and systems."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import NotInstalledError, PfsmError, all_missing
from pfsm.lattice.arrays import LatticeBatch, weight_table
from pfsm.metrics.base import Level, Recipe, SegmentMetric
from pfsm.metrics.data_columns import columns_of, missing_column, needed_columns
from pfsm.metrics.references import (
    NumberOfReferences,
    Streams,
    best_of_references,
    by_segment,
    check_references,
    check_streams,
    mean_of_references,
    number_by_segment,
    number_of_references,
)
from pfsm.metrics.score import Score
from pfsm.model.builder import PAIRS_PER_BATCH, LatticeBuilder
from pfsm.model.explain.explanation import Explanation, explain_lattices
from pfsm.model.file import Model, model_from_dict
from pfsm.model.reading import check_lengths
from pfsm.model.settings import MEAN
from pfsm.model.signature import signature
from pfsm.runtime.progress import Stage
from pfsm.runtime.threads import default_threads, each

if TYPE_CHECKING:
    from pfsm_kernels.inference import Weights

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
# By the name of a column of the data, a number for each hypothesis.
Columns = Mapping[str, Sequence[float] | Float]
# Seconds before scoring is worth a bar.
BAR_PATIENCE = 0.5

# Their lattices are built together; more of them would take memory and no less time.
EXPLAINED_AT_ONCE = 100


class Metric(SegmentMetric):
    """Scores translations with one model.

    The score of a corpus is the mean of its segment scores, under the same signature. Several references: the best one
    counts, or with the setting ``references: mean`` the mean of the scores against each.

    Args:
        model: The model. What it names is run and read: whether a file is trusted is decided where it is read.
        threads: Threads for the dynamic programs; None: as many as the process may use. Scores do not depend on it.

    Raises:
        NotInstalledError: If something that the model needs is not installed; the message names all of it.
        PfsmError: If a table that the model needs cannot be used.
    """

    def __init__(self, model: Model, threads: int | None = None) -> None:
        self.model = model
        self.name = model.name
        self.language = model.settings.language
        self.columns = columns_of(tuple(model.settings.features))
        self.segment_references = model.settings.references
        self.threads = default_threads() if threads is None else threads
        try:
            self._builder = LatticeBuilder(model.settings)
        except NotInstalledError as error:
            raise all_missing(f"model {model.name}", [error]) from None
        self._nrefs: NumberOfReferences = "var"
        self._tables: dict[tuple[str, ...], Float] = {}

    @property
    def resources(self) -> tuple[str, ...]:
        """Tables that the matchers know from, as ``NAME@CHECKSUM``."""
        return self._builder.resources

    @property
    def n_types(self) -> int:
        """Token types met so far: their number grows with the text, and so does the memory they take."""
        return len(self._builder.vocabulary)

    def score_pairs(
        self, hypotheses: Sequence[str], references: Sequence[str], columns: Columns | None = None
    ) -> Float:
        """Scores of single-reference pairs.

        Args:
            hypotheses: Translations, one string each.
            references: As many references.
            columns: Of each of the metric's `columns` a number for each pair; None: the model has no such features.

        Returns:
            float64 [n_pairs], ``mean + sd * (y / (m + n) + alpha)`` with the y of equation (2) of Wang and
            Manning (2012); ``y / (m + n)`` is 0 where both sides are empty.

        Raises:
            ValueError: If the lists differ in length, or one of them is a single string.
            PfsmError: If a column is missing, or has a number that is not finite.
        """
        self._nrefs = 1
        return self._score_pairs(hypotheses, references, columns)

    def score_rows(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        columns: Mapping[str, Float],
    ) -> Float:
        """As `SegmentMetric.score_rows`."""
        return self.score_segments(hypotheses, references, columns)

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
            PfsmError: If the model needs columns of the data, which belong to translations, not to pairs of lines.
        """
        for name in self.columns:
            raise missing_column(name, f"model {self.name}")
        return self._scored(self._builder.batches_of(lines, references, hypotheses), hypotheses.size)

    def _score_pairs(
        self, hypotheses: Sequence[str], references: Sequence[str], columns: Columns | None
    ) -> Float:
        for name, value in (("hypotheses", hypotheses), ("references", references)):
            if isinstance(value, str):
                raise ValueError(f"{name} must be a list of strings, not one string")
        numbers = self._numbers(columns, len(hypotheses))
        return self._scored(self._builder.batches(references, hypotheses, numbers), len(hypotheses))

    def _numbers(self, columns: Columns | None, n_pairs: int) -> Mapping[str, Float]:
        return needed_columns(self.columns, columns, n_pairs, f"model {self.name}")

    def _scored(self, batches: Iterator[LatticeBatch], n_pairs: int) -> Float:
        """Scores of the pairs of all batches: threads share out the batches, or the pairs of the only one."""
        from pfsm_kernels.inference import log_sum  # noqa: PLC0415 - brings numba

        several = n_pairs > PAIRS_PER_BATCH
        named, inner = self.model.weights, 1 if several else self.threads

        def normalised(batch: LatticeBatch) -> Float:
            points: Float = batch.sentence_features.points(named, len(batch))
            if not batch.states:
                return points
            sums = log_sum(batch.lattices, self._weights(batch), inner, batch.jumps)
            return sums / np.maximum(batch.lattices.lengths, 1) + points

        if not several:
            return self._to_scale(np.concatenate([np.zeros(0), *map(normalised, batches)]))
        with Stage("score", "scoring", n_pairs, "pairs", patience=BAR_PATIENCE) as stage:

            def counted(batch: LatticeBatch) -> Float:
                scores = normalised(batch)
                stage.advance(len(batch))
                return scores

            parts = each(counted, batches, self.threads)
        return self._to_scale(np.concatenate(parts))

    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], columns: Columns | None = None
    ) -> Float:
        """As `SegmentMetric.score_segments`: the best score against the references, or the mean, as the settings say.

        Args:
            hypotheses: One translation a segment.
            references: For each of them its references, one at least.
            columns: Of each of the metric's `columns` a number for each hypothesis.
        """
        check_references(hypotheses, references)
        counts = [len(several) for several in references]
        numbers = self._numbers(columns, len(hypotheses))
        repeated = {name: np.repeat(values, counts) for name, values in numbers.items()}

        def score(flat_hypotheses: Sequence[str], flat_references: Sequence[str]) -> Float:
            return self._score_pairs(flat_hypotheses, flat_references, repeated)

        over = mean_of_references if self.model.settings.references == MEAN else best_of_references
        scores = over(score, hypotheses, references)
        self._nrefs = number_by_segment(references)
        return scores

    def segment_scores(
        self, hypotheses: Sequence[str], references: Streams, columns: Columns | None = None
    ) -> Float:
        """As `SegmentMetric.segment_scores`; ``columns`` as in `score_segments`."""
        check_streams(hypotheses, references)
        scores = self.score_segments(hypotheses, by_segment(references), columns)
        self._nrefs = number_of_references(references)
        return scores

    def sentence_score(
        self, hypothesis: str, references: Sequence[str], columns: Mapping[str, float] | None = None
    ) -> Score:
        """As `SegmentMetric.sentence_score`; ``columns`` has the number of this translation in each column."""
        if not self.columns or isinstance(references, str) or not references:
            return super().sentence_score(hypothesis, references)
        scores = self.segment_scores(
            [hypothesis], [[reference] for reference in references], _single(columns)
        )
        return Score.of(scores, self.name, self.get_signature(len(references)))

    def corpus_score(
        self, hypotheses: Sequence[str], references: Streams, columns: Columns | None = None
    ) -> Score:
        """As `SegmentMetric.corpus_score`; ``columns`` has a number for each hypothesis, as in `score_segments`."""
        if not self.columns or not hypotheses:
            return super().corpus_score(hypotheses, references)
        scores = self.segment_scores(hypotheses, references, columns)
        return Score.of(scores, self.name, self.get_signature(number_of_references(references), "corpus"))

    def recipe(self) -> Recipe:
        """The model without what it says of its training."""
        document = replace(self.model, training={}).to_dict()
        return Recipe("pfsm.model.metric:from_document", json.dumps(document, ensure_ascii=False))

    def explain(
        self, hypothesis: str, reference: str, columns: Mapping[str, float] | None = None
    ) -> Explanation:
        """Why a pair gets its score: best edit sequence, alignment posteriors, contributions that add up to it.

        Args:
            hypothesis: The translation.
            reference: Its reference.
            columns: The translation's number in each of the metric's `columns`.

        Raises:
            PfsmError: If the pair is too long to be explained place by place, or a column is missing.
        """
        (explanation,) = self._explained([hypothesis], [reference], self._numbers(_single(columns), 1))
        return explanation

    def explanations(
        self, hypotheses: Sequence[str], references: Sequence[str], columns: Columns | None = None
    ) -> Iterator[Explanation]:
        """As `explain`, of every pair in order: quicker than one by one.

        Args:
            hypotheses: Translations, one string each.
            references: As many references.
            columns: As in `score_pairs`.

        Raises:
            ValueError: If the lists differ in length.
            PfsmError: If a column is missing; if a pair is too long, when its turn comes.
        """
        check_lengths(references, hypotheses)
        numbers = self._numbers(columns, len(hypotheses))
        for first in range(0, len(hypotheses), EXPLAINED_AT_ONCE):
            part = slice(first, first + EXPLAINED_AT_ONCE)
            own = {name: values[part] for name, values in numbers.items()}
            try:
                explained = self._explained(hypotheses[part], references[part], own)
            except PfsmError:
                # One pair of the block is at fault: those before it come first.
                explained = self._one_by_one(hypotheses[part], references[part], own)
            yield from explained

    def _one_by_one(
        self, hypotheses: Sequence[str], references: Sequence[str], numbers: Mapping[str, Float]
    ) -> Iterator[Explanation]:
        for k, (hypothesis, reference) in enumerate(zip(hypotheses, references, strict=True)):
            own = {name: values[k : k + 1] for name, values in numbers.items()}
            yield from self._explained([hypothesis], [reference], own)

    def _explained(
        self, hypotheses: Sequence[str], references: Sequence[str], numbers: Mapping[str, Float]
    ) -> Iterator[Explanation]:
        pairs = self._builder.encode(references, hypotheses)
        batch = self._builder.lattices(pairs, columns=numbers)
        weights = self._weights(batch) if batch.states else None
        return explain_lattices(batch, self.model, weights, self._builder.tokens(pairs))

    def _weights(self, batch: LatticeBatch) -> "Weights":
        """The kernel's weights; the table over states is worked out once, which single pairs would feel."""
        table = self._tables.get(batch.states)
        if table is None:
            table = self._tables[batch.states] = weight_table(batch.states, self.model.weights)
        return batch.weights(self.model.weights, table)

    def get_signature(self, nrefs: NumberOfReferences | None = None, level: Level = "segment") -> str:  # noqa: ARG002
        """Everything that can change a score: ``nrefs:1|model:…|…|version:X``, the same at both levels.

        ``nrefs`` is `SegmentMetric.get_signature`'s; None, the default, means that of the last call, as in sacrebleu.
        """
        return signature(self.model, self._nrefs if nrefs is None else nrefs, self.resources)

    def _to_scale(self, normalised: Float) -> Float:
        scale = self.model.scale
        return scale.mean + scale.sd * (normalised + self.model.alpha)


def _single(columns: Mapping[str, float] | None) -> Columns | None:
    """Columns of one translation."""
    return None if columns is None else {name: [value] for name, value in columns.items()}


def from_document(text: str) -> Metric:
    """A metric for one thread from the JSON of its model, as `Metric.recipe` gives it.

    The model is trusted: it comes from a process that has it at work, not from a file.

    Raises:
        PfsmError: If it is no model.
    """
    return Metric(model_from_dict(json.loads(text), "model", trust=True), threads=1)
