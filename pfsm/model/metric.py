"""A model at work: scores of sentence pairs, segments with several references, and systems."""

import base64
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, starmap
from threading import RLock, local
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pfsm.encoder.heads import contents_of, remember_contents, remember_shipped, ships
from pfsm.encoder.names import is_encoder_feature
from pfsm.errors import NotInstalledError, PfsmError, PfsmWarning, all_missing
from pfsm.lattice.arrays import LatticeBatch, weight_table
from pfsm.metrics.base import Level, Recipe, Score, SegmentMetric, short_signature
from pfsm.metrics.data_columns import columns_of, missing_column, needed_columns
from pfsm.metrics.inputs import (
    NumberOfReferences,
    Streams,
    as_texts,
    best_of_references,
    by_segment,
    check_references,
    check_words,
    checked_streams,
    mean_of_references,
    number_by_segment,
    number_of_references,
)
from pfsm.model.builder import PAIRS_PER_BATCH, LatticeBuilder, check_lengths
from pfsm.model.explain.alignments import Alignments, align_lattices, joined
from pfsm.model.explain.errors import errors, marker_of, mended
from pfsm.model.explain.explaining import Explaining, PieceExplainer
from pfsm.model.explain.explanation import Explanation
from pfsm.model.file import Model, model_at_work
from pfsm.model.forked_scoring import BAR_PATIENCE, ForkedScorer
from pfsm.model.long_lines import LongLines, joined_alignments, joined_explanations, long_lines
from pfsm.model.predictions import Prediction, Rows
from pfsm.model.prepared import PreparedPairs, batch_values, on_scale
from pfsm.model.settings import MEAN, RELATIVE
from pfsm.model.signature import signature
from pfsm.runtime.process import fork_safe
from pfsm.runtime.progress import Stage
from pfsm.runtime.threads import at_most, default_threads, each
from pfsm.text.language_names import doubt_of_english
from pfsm.text.scripts import is_without_spaces, needs_spaces

if TYPE_CHECKING:
    from pfsm_kernels.inference import Weights

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
# By the name of a column of the data, a number for each hypothesis.
Columns = Mapping[str, Sequence[float] | Float]
# Of the document that goes to other processes: files beside the model's, by label.
HEADS = "heads"
# About 130 MB.
MOST_TYPES = 250_000
# Their lattices are built together; more of them would take memory and no less time.
EXPLAINED_AT_ONCE = 100
# Fewer lines in one call say little about their language; more would take longer to look at than they say.
LINES_THAT_TELL, LINES_LOOKED_AT = 20, 50


class Metric(SegmentMetric):
    """Scores translations with one model.

    The score of a corpus is the mean of its segment scores, under the same signature. Several references: the best one
    counts, or with the setting ``references: mean`` the mean of the scores against each.

    A metric can be used from several threads at once, pickled, copied and sent to other processes: a copy is made of
    the same model and gives the same scores. Its memory is bounded: when it has met more than ``most_types`` token
    types it forgets them all before the next call, which changes no score.

    Args:
        model: The model.
        threads: Threads for the dynamic programs; None: as many as the process may use. Scores do not depend on it.
        most_types: Token types after which a call starts afresh; each takes about 500 bytes.

    Raises:
        NotInstalledError: If something that the model needs is not installed; the message names all of it.
        PfsmError: If a table that the model needs cannot be used.
    """

    def __init__(self, model: Model, threads: int | None = None, most_types: int = MOST_TYPES) -> None:
        self.model = model
        self.most_types = most_types
        self._asked_threads = threads
        # Reading text, and the tables behind it, are for one thread at a time; kernels run beside each other.
        self._lock = fork_safe(RLock())
        self._last = local()
        self.name = model.name
        self.language = model.settings.language
        self._marker = marker_of(model.training, model.settings.features, f"model {self.name}")
        self._pieces = PieceExplainer(model)
        self.columns = columns_of(tuple(model.settings.features))
        if any(map(is_encoder_feature, model.settings.features)):
            self.most_words = 25_000
        self.segment_references = model.settings.references
        self.threads = default_threads() if threads is None else threads
        self._builder = self._new_builder()
        self._tables: dict[tuple[str, ...], Float] = {}
        self._forked = ForkedScorer(self.threads, model.settings)
        self.needs_spaces = model.settings.edits and needs_spaces(model.settings.tokeniser)
        # Whether there is no need to compare the language of the text with the model's: somebody has, or has warned.
        self.language_looked_at = False
        self._warned = False

    def _new_builder(self) -> LatticeBuilder:
        try:
            return LatticeBuilder(self.model.settings)
        except NotInstalledError as error:
            raise all_missing(f"model {self.model.name}", [error]) from None

    def _look_at(self, lines: Sequence[str]) -> None:
        """Warns once of text in a script whose words the tokeniser cannot tell apart, and once of another language."""
        if self.needs_spaces and not self._warned and any(map(is_without_spaces, lines)):
            self._warned = True
            message = (
                f"model {self.name} finds words between spaces, but some lines are in a script without them; "
                "their scores mean little"
            )
            warnings.warn(message, PfsmWarning, stacklevel=3)
        if self.language_looked_at or len(lines) < LINES_THAT_TELL:
            return
        if doubt := doubt_of_english(self.name, self.language, lines[:LINES_LOOKED_AT]):
            self.language_looked_at = True
            message = f"{doubt}; pfsm.model.shipped.model_for(LANGUAGE) names the model for another language"
            warnings.warn(message, PfsmWarning, stacklevel=3)

    def _reader(self) -> LatticeBuilder:
        """The builder for a call, a new one if this one has met too much; calls under way keep the one they have."""
        with self._lock:
            if self.n_types > self.most_types:
                self._builder = self._new_builder()
            return self._builder

    def __reduce_ex__(self, protocol: Any) -> Any:
        known = {"language_looked_at": self.language_looked_at}
        return type(self), (self.model, self._asked_threads, self.most_types), known

    def __repr__(self) -> str:
        model = self.model
        return (
            f"Metric(model={model.name!r}, language={model.settings.language!r}, scale={model.scale.note!r})"
        )

    @property
    def resources(self) -> tuple[str, ...]:
        """Tables that the matchers use, as ``NAME@CHECKSUM``."""
        return self._builder.resources

    @property
    def n_types(self) -> int:
        """Token types remembered now; a call that finds more than ``most_types`` starts afresh."""
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
        self._last.nrefs = 1
        return self._score_pairs(hypotheses, references, columns)

    def score_rows(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], columns: Mapping[str, Float]
    ) -> Float:
        """As `SegmentMetric.score_rows`."""
        return self.score_segments(hypotheses, references, columns)

    def predict(
        self, data: Any, batch_size: int = 8, *, gpus: int = 0, progress_bar: bool = False
    ) -> Prediction:
        """Scores as COMET's ``predict`` does, from the same data.

        Args:
            data: A list of dictionaries with ``mt`` and ``ref`` (also ``hypothesis``, ``reference``; ``ref`` may be a
                list of references). ``src`` is not used: a note says so. Likewise a pandas or polars frame or a
                dictionary of columns with these names, or a list of pairs (hypothesis, reference).
            batch_size: At least 1, as the other two so that calls of COMET run as they are. They change nothing.
            gpus: See above.
            progress_bar: See above.

        Returns:
            ``scores``, a float for each row, and ``system_score``, their mean: as attributes, and as keys.

        Raises:
            PfsmError: There are no rows, a key is missing, or a reference is blank or no text.
        """
        del gpus, progress_bar
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
            raise PfsmError(f"batch_size is {batch_size!r}, it must be a whole number from 1")
        rows = Rows(data, self.columns)
        if rows.sources:
            warnings.warn(
                "src is not used: translations are compared with references", PfsmWarning, stacklevel=2
            )
        numbers = {name: np.array(values) for name, values in rows.numbers.items()}
        scores = self.score_rows(rows.hypotheses, rows.references, numbers)
        return Prediction(scores=scores.tolist(), system_score=float(scores.mean()))

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
        check_lengths(references, hypotheses)
        if self.model.settings.form == RELATIVE:
            own, others = ([lines[place] for place in side.tolist()] for side in (hypotheses, references))
            return self._score_pairs(own, others, None)
        batches = self._reader().batches_of(lines, references, hypotheses)
        scores = self._scored(batches, hypotheses.size, self.threads)
        self._look_at(lines)
        return scores

    def _score_pairs(
        self, hypotheses: Sequence[str], references: Sequence[str], columns: Columns | None
    ) -> Float:
        numbers = self._numbers(columns, len(hypotheses))
        check_lengths(references, hypotheses)
        for side in (hypotheses, references):
            check_words(self.name, self.most_words, side)
        long, seen = self._long(hypotheses, references), references
        if long is not None:
            hypotheses, references, numbers = long.hypotheses, long.references, long.repeated(numbers)
        scores = self._forked.scores(self._read_and_scored, hypotheses, references, numbers)
        self._look_at(seen)
        return scores if long is None else long.scores(scores)

    def _read(
        self, hypotheses: Sequence[str], references: Sequence[str], columns: Columns | None
    ) -> tuple[Sequence[str], Sequence[str], Mapping[str, Float], LongLines | None]:
        """Pairs and their columns, checked; and in parts, where `_long` has them so."""
        hypotheses, references = as_texts(hypotheses, "hypotheses"), as_texts(references, "references")
        check_lengths(references, hypotheses)
        numbers = self._numbers(columns, len(hypotheses))
        return hypotheses, references, numbers, self._long(hypotheses, references)

    def _long(self, hypotheses: Sequence[str], references: Sequence[str]) -> LongLines | None:
        """Pairs in parts, where the model scores long ones so and there are any."""
        if self.model.settings.form != RELATIVE:
            return None
        return long_lines(hypotheses, references, self.language)

    def _read_and_scored(
        self, hypotheses: Sequence[str], references: Sequence[str], columns: Mapping[str, Float], threads: int
    ) -> Float:
        if self.model.settings.form != RELATIVE:
            return self._scored(
                self._reader().batches(references, hypotheses, columns), len(hypotheses), threads
            )
        # Pairs of one reference come together: what it has with itself is computed once.
        places: dict[str, int] = {}
        order = np.argsort([places.setdefault(line, len(places)) for line in references], kind="stable")
        references, hypotheses = (
            [side[place] for place in order.tolist()] for side in (references, hypotheses)
        )
        batches = self._reader().batches(
            references, hypotheses, {name: values[order] for name, values in columns.items()}
        )
        scores = np.zeros(len(hypotheses))
        scores[order] = self._scored(batches, len(hypotheses), threads)
        return scores

    def _numbers(self, columns: Columns | None, n_pairs: int) -> Mapping[str, Float]:
        return needed_columns(self.columns, columns, n_pairs, f"model {self.name}")

    def _of_one(self, columns: Mapping[str, float] | None) -> Columns:
        """Columns of one translation."""
        given = {} if columns is None else columns
        for name in self.columns:
            if name not in given:
                raise missing_column(name, f"model {self.name}", single=True)
        return {name: [value] for name, value in given.items()}

    def _scored(self, batches: Iterator[LatticeBatch], n_pairs: int, threads: int) -> Float:
        """Scores of the pairs of all batches: threads share out the batches, or the pairs of the only one."""
        several = n_pairs > PAIRS_PER_BATCH
        inner = 1 if several else threads

        def normalised(batch: LatticeBatch) -> Float:
            return batch_values(batch, self.model, self._weights(batch), inner)

        if not several:
            values = np.concatenate([np.zeros(0), *map(normalised, self._alone(batches, threads))])
            return on_scale(values, self.model)
        with Stage("score", "scoring", n_pairs, "pairs", patience=BAR_PATIENCE) as stage:

            def counted(batch: LatticeBatch) -> Float:
                scores = normalised(batch)
                stage.advance(len(batch))
                return scores

            parts = each(counted, self._alone(batches, threads), threads)
        return on_scale(np.concatenate(parts), self.model)

    def prepare(self, hypotheses: Sequence[str], references: Sequence[str]) -> PreparedPairs:
        """Single-reference pairs that can be scored again with other weights, without reading them again.

        They take memory: some 20 bytes for every word of a reference times every word of its hypothesis.

        Args:
            hypotheses: Translations, one string each.
            references: As many references.

        Raises:
            ValueError: If the lists differ in length.
            PfsmError: If the model needs columns of the data.
        """
        hypotheses, references, numbers, long = self._read(hypotheses, references, None)
        self._look_at(references)
        if long is not None:
            hypotheses, references, numbers = long.hypotheses, long.references, long.repeated(numbers)
        batches = self._reader().batches(references, hypotheses, numbers)
        return PreparedPairs([*self._alone(batches, self.threads)], self.threads, long)

    def _alone(self, batches: Iterator[LatticeBatch], threads: int) -> Iterator[LatticeBatch]:
        """The batches, each made while no other thread makes one."""
        while True:
            with self._lock, at_most(threads):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    @property
    def _of_last_call(self) -> NumberOfReferences:
        """Number of references of the last call of this thread."""
        found: NumberOfReferences = getattr(self._last, "nrefs", "var")
        return found

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
        self._last.nrefs = number_by_segment(references)
        return scores

    def segment_scores(
        self, hypotheses: Sequence[str], references: Streams, columns: Columns | None = None
    ) -> Float:
        """As `SegmentMetric.segment_scores`; ``columns`` as in `score_segments`."""
        hypotheses, references = checked_streams(hypotheses, references)
        scores = self.score_segments(hypotheses, by_segment(references), columns)
        self._last.nrefs = number_of_references(references)
        return scores

    def sentence_score(
        self, hypothesis: str, references: Sequence[str], columns: Mapping[str, float] | None = None
    ) -> Score:
        """As `SegmentMetric.sentence_score`; ``columns`` has the number of this translation in each column."""
        if not self.columns or isinstance(references, str) or not len(references):
            return super().sentence_score(hypothesis, references)
        scores = self.segment_scores(
            [hypothesis], [[reference] for reference in references], self._of_one(columns)
        )
        return self._as_score(scores, len(references), "segment")

    def corpus_score(
        self, hypotheses: Sequence[str], references: Streams, columns: Columns | None = None
    ) -> Score:
        """As `SegmentMetric.corpus_score`; ``columns`` has a number for each hypothesis, as in `score_segments`."""
        if not self.columns:
            return super().corpus_score(hypotheses, references)
        hypotheses, references = checked_streams(hypotheses, references)
        if not hypotheses:
            raise ValueError("no segments to score")
        scores = self.segment_scores(hypotheses, references, columns)
        return self._as_score(scores, number_of_references(references), "corpus")

    def recipe(self) -> Recipe:
        """The model without what it says of its training."""
        document = replace(self.model, training={}).to_dict()
        heads = {
            label: base64.b85encode(content).decode("ascii")
            for label, content in contents_of(self.model.settings.features).items()
            if not ships(label)
        }
        text = json.dumps(document | ({HEADS: heads} if heads else {}), ensure_ascii=False)
        return Recipe("pfsm.model.metric:from_document", text)

    def explain(
        self, hypothesis: str, reference: str, columns: Mapping[str, float] | None = None
    ) -> Explanation:
        """Why a pair gets its score: points lost against the reference itself, best edit sequence, contributions.

        The contributions add up to the score, the losses to the difference to the perfect match. A pair whose
        reference is too long to be explained with itself has no losses.

        Args:
            hypothesis: The translation.
            reference: Its reference.
            columns: The translation's number in each of the metric's `columns`.

        Raises:
            PfsmError: If the pair is too long to be explained place by place, or a column is missing.
            TypeError: If one of them is not a string.
        """
        for name, line in (("hypothesis", hypothesis), ("reference", reference)):
            if not isinstance(line, str):
                raise TypeError(f"{name} is {line!r}, it must be a string")
        (explanation,) = self.explanations([hypothesis], [reference], self._of_one(columns))
        return explanation

    def explanations(
        self,
        hypotheses: Sequence[str],
        references: Sequence[str],
        columns: Columns | None = None,
        *,
        as_arrays: bool = False,
    ) -> Iterator[Explanation]:
        """As `explain`, of every pair in order: quicker than one by one.

        Args:
            hypotheses: Translations, one string each.
            references: As many references.
            columns: As in `score_pairs`.
            as_arrays: Whether contributions are `Contributions`, arrays that make objects when they are asked for them,
                and no tuples: quicker and smaller where few of them are looked at.

        Raises:
            ValueError: If the lists differ in length.
            PfsmError: If a column is missing; if a pair is too long, when its turn comes.
        """
        hypotheses, references, numbers, long = self._read(hypotheses, references, columns)
        self._look_at(references)
        sides = (hypotheses, references) if long is None else long.parts
        explaining = Explaining(self.model, self._reader, self._lock, self._weights, self._pieces)
        blocks = _blocks(*sides, numbers if long is None else long.of_parts(numbers))
        explained: Iterator[Explanation] = chain.from_iterable(starmap(explaining.block, blocks))
        if long is not None:
            scores = self._score_pairs(hypotheses, references, columns)
            explained = joined_explanations(explained, *long.owners_of_parts, scores)
        for one, hypothesis, reference in zip(explained, hypotheses, references, strict=True):
            found = replace(one, errors=errors(one, hypothesis, reference, self.language, self._marker))
            yield found if as_arrays else replace(found, contributions=tuple(found.contributions))

    def undone(
        self, explanations: Sequence[Explanation], hypotheses: Sequence[str], references: Sequence[str]
    ) -> list[Explanation]:
        """The explanations with `Explanation.undo`: each line is scored again for each of its errors.

        Args:
            explanations: Of the pairs.
            hypotheses: Translations, one string each.
            references: As many references.
        """
        pairs = [*zip(explanations, hypotheses, references, strict=True)]
        lines = [mended(line, error) for one, line, _ in pairs for error in one.errors]
        scores = iter(self.score_pairs(lines, [reference for one, _, reference in pairs for _ in one.errors]))
        return [
            replace(one, undo=tuple(float(next(scores)) - one.score for _ in one.errors))
            for one in explanations
        ]

    def alignments(
        self, hypotheses: Sequence[str], references: Sequence[str], columns: Columns | None = None
    ) -> Alignments:
        """Best edit sequences and scores in parts, of every pair: far quicker than `explanations`, which tell more.

        Args:
            hypotheses: Translations, one string each.
            references: As many references.
            columns: As in `score_pairs`.

        Raises:
            ValueError: If the lists differ in length, or are empty.
            PfsmError: If a column is missing.
        """
        hypotheses, references, numbers, long = self._read(hypotheses, references, columns)
        if not hypotheses:
            raise ValueError("no pairs to align")
        if long is None:
            return joined([*starmap(self._aligned, _blocks(hypotheses, references, numbers))])
        scores = self._score_pairs(hypotheses, references, columns)
        found = joined([*starmap(self._aligned, _blocks(*long.parts, long.of_parts(numbers)))])
        return joined_alignments(found, *long.owners_of_parts, scores)

    def _aligned(
        self, hypotheses: Sequence[str], references: Sequence[str], numbers: Mapping[str, Float]
    ) -> Alignments:
        builder = self._reader()
        with self._lock:
            pairs = builder.encode(references, hypotheses)
            tokens, batch = builder.tokens(pairs), builder.lattices(pairs, columns=numbers)
        return align_lattices(batch, self.model, self._weights(batch), tokens, self.threads)

    def _weights(self, batch: LatticeBatch) -> "Weights | None":
        """The kernel's weights, of edits; the table over states is worked out once, which single pairs would feel."""
        if not batch.states:
            return None
        table = self._tables.get(batch.states)
        if table is None:
            table = self._tables[batch.states] = weight_table(batch.states, self.model.weights)
        return batch.weights(self.model.weights, table)

    def get_signature(self, nrefs: NumberOfReferences | None = None, level: Level = "segment") -> str:  # noqa: ARG002
        """Everything that can change a score: ``nrefs:1|model:…|…|version:X``, the same at both levels.

        ``nrefs`` is `SegmentMetric.get_signature`'s; None, the default, means that of the last call, as in sacrebleu.
        """
        return signature(self.model, self._of_last_call if nrefs is None else nrefs, self.resources)

    def get_short_signature(self, nrefs: NumberOfReferences | None = None, level: Level = "segment") -> str:  # noqa: ARG002
        """``pfsm:NAME:FINGERPRINT:VERSION``: name and fingerprint of the model, and the version; as `get_signature`."""
        return short_signature(
            self.name, self.model.fingerprint, self._of_last_call if nrefs is None else nrefs
        )


def _blocks(
    hypotheses: Sequence[str], references: Sequence[str], numbers: Mapping[str, Float]
) -> Iterator[tuple[Sequence[str], Sequence[str], dict[str, Float]]]:
    """Pairs as many at a time as are explained together."""
    for first in range(0, len(hypotheses), EXPLAINED_AT_ONCE):
        part = slice(first, first + EXPLAINED_AT_ONCE)
        own = {name: values[part] for name, values in numbers.items()}
        yield hypotheses[part], references[part], own


def from_document(text: str) -> Metric:
    """A metric for one thread from the JSON of its model, as `Metric.recipe` gives it.

    It comes from a process that has it at work, not from a file, so its settings may name paths.

    Raises:
        PfsmError: If it is not a model.
    """
    document = json.loads(text)
    heads = document.pop(HEADS, {})
    remember_contents({label: base64.b85decode(content) for label, content in heads.items()})
    model = model_at_work(document, "model")
    remember_shipped(model.settings.features)
    metric = Metric(model, threads=1)
    metric.language_looked_at = True  # by the process that sends the work, or as its user wants it
    return metric
