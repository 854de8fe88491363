"""A model at work: scores of sentence pairs, segments with several references, and systems."""

import base64
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from threading import RLock, local
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pfsm.encoder.heads import contents_of, remember_contents, remember_shipped, ships
from pfsm.encoder.names import is_encoder_feature
from pfsm.errors import NotInstalledError, PfsmError, PfsmWarning, all_missing
from pfsm.lattice.arrays import LatticeBatch, weight_table
from pfsm.metrics.base import Level, Recipe, SegmentMetric, short_signature
from pfsm.metrics.inputs import (
    Columns,
    NumberOfReferences,
    as_texts,
    check_words,
    columns_of,
    needed_columns,
    warn_of_forms,
)
from pfsm.model.builder import PAIRS_PER_BATCH, LatticeBuilder, Pairs, check_lengths
from pfsm.model.explain.alignments import Alignments
from pfsm.model.explain.errors import marker_of, mended
from pfsm.model.explain.explainer import Explainer
from pfsm.model.explain.explanation import Explanation
from pfsm.model.file import Model, model_at_work
from pfsm.model.long_lines import LongLines, long_lines
from pfsm.model.predictions import Prediction, Rows
from pfsm.model.prepared import PreparedPairs
from pfsm.model.settings import RELATIVE
from pfsm.model.signature import signature
from pfsm.runtime.terminal import Stage
from pfsm.runtime.threads import default_threads, each
from pfsm.text.characters import composed
from pfsm.text.language_names import doubt_of_english
from pfsm.text.scripts import is_without_spaces, needs_spaces

if TYPE_CHECKING:
    from pfsm_kernels.inference import Weights

Float = NDArray[np.float64]
# Of the document that goes to other processes: files beside the model's, by label.
HEADS = "heads"
# About 130 MB.
MOST_TYPES = 250_000
# To fork processes takes as long as to score some hundred pairs, and each takes memory of its own.
FEWEST_TO_SHARE, MOST_PROCESSES = 3000, 16
# So many are scored here first, and so compile kernels and fill tables for all; then so many at a time at most.
SCORED_HERE, PAIRS_AT_ONCE = 64, 2048
# Parts of the work of each process, so that all end at about the same time.
PARTS_EACH = 4
# Seconds before scoring is worth a bar.
BAR_PATIENCE = 0.5
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

    Attributes:
        processes: How many forked processes may share out thousands of pairs, on Linux, if the model needs nothing but
            text and tables. At first 1: the commands of ``pfsm`` set it, since threads of other programs would not
            survive.

    Raises:
        NotInstalledError: If something that the model needs is not installed; the message names all of it.
        PfsmError: If a table that the model needs cannot be used.
    """

    def __init__(self, model: Model, threads: int | None = None, most_types: int = MOST_TYPES) -> None:
        self.model = model
        self.most_types = most_types
        self._asked_threads = threads
        # Reading text, and the tables behind it, are for one thread at a time; kernels run beside each other.
        self._lock = RLock()
        self._last = local()
        self.name = model.name
        self.language = model.settings.language
        if "errors" in model.training:  # a damaged record is refused before anybody scores
            marker_of(model.training, model.settings.features, f"model {self.name}")
        self.columns = columns_of(tuple(model.settings.features))
        if any(map(is_encoder_feature, model.settings.features)):
            self.most_words = 25_000
        self.segment_references = model.settings.references
        self.threads = default_threads() if threads is None else threads
        self.processes = 1
        self._builder = self._new_builder()
        self._tables: dict[tuple[str, ...], Float] = {}
        self.needs_spaces = model.settings.edits and needs_spaces(model.settings.tokeniser)
        # Whether there is no need to compare the language of the text with the model's: somebody has, or has warned.
        self.language_looked_at = False
        self._warned = False

    def _new_builder(self) -> LatticeBuilder:
        try:
            return LatticeBuilder(self.model.settings, lock=self._lock)
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
        hypotheses, references, numbers, long = self._read(hypotheses, references, columns)
        self._last.nrefs = 1
        pairs, builder = _pairs(hypotheses, references, numbers, long), self._reader()
        order = np.arange(len(pairs))
        if self.model.settings.form == RELATIVE:
            # Pairs of one reference come together: what it has with itself is computed once.
            order = np.argsort(pairs.references, kind="stable")
            pairs = pairs.select(order)
        many = self.processes > 1 and len(pairs) >= FEWEST_TO_SHARE and builder.can_run_in_child_process
        scores = np.empty(len(pairs))
        scores[order] = self._shared(builder, pairs) if many else self._scored(builder, pairs, self.threads)
        self._look_at(references)
        return scores if long is None else long.scores(scores)

    def _read(
        self, hypotheses: Sequence[str], references: Sequence[str], columns: Columns | None
    ) -> tuple[Sequence[str], Sequence[str], dict[str, Float], LongLines | None]:
        """Return pairs and their columns, checked; and in parts, where the model scores long ones so."""
        hypotheses, references = as_texts(hypotheses, "hypotheses"), as_texts(references, "references")
        check_lengths(references, hypotheses)
        for side in (hypotheses, references):
            check_words(self.name, self.most_words, side)
        numbers = needed_columns(self.columns, columns, len(hypotheses), f"model {self.name}")
        form, long = self.model.settings.normalisation, None
        if form == "none":
            warn_of_forms(self.name, hypotheses, references)
        if self.model.settings.form == RELATIVE:
            sides = (hypotheses, references)
            ours, theirs = sides if form == "none" else (list(map(composed, side)) for side in sides)
            long = long_lines(ours, theirs, self.language)
        return hypotheses, references, numbers, long

    def _scored(self, builder: LatticeBuilder, pairs: Pairs, threads: int) -> Float:
        """Return scores: threads share out the batches, or the pairs of the only one."""
        several = len(pairs) > PAIRS_PER_BATCH
        batches = builder.batches(pairs, threads)

        def values(batch: LatticeBatch) -> Float:
            return batch.normalised(self.model.weights, self._weights(batch), 1 if several else threads)

        def counted(batch: LatticeBatch) -> Float:
            found = values(batch)
            stage.advance(len(batch))
            return found

        if several:
            with Stage("score", "scoring", len(pairs), "pairs", patience=BAR_PATIENCE) as stage:
                parts = each(counted, batches, threads)
        else:
            parts = [*map(values, batches)]
        return self.model.on_scale(np.concatenate([np.zeros(0), *parts]))

    def _shared(self, builder: LatticeBuilder, pairs: Pairs) -> Float:
        """Return scores by forked processes; where there can be none, or one of them dies, those of this process."""
        from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - few calls need it

        from pfsm.runtime.workers import can_fork, forked_results  # noqa: PLC0415

        if not can_fork():
            return self._scored(builder, pairs, self.threads)
        # The first are scored here, and so compile kernels and fill tables for all.
        found = [self._scored(builder, pairs.select(slice(SCORED_HERE)), self.threads)]
        processes = min(self.processes, MOST_PROCESSES)
        size = min(PAIRS_AT_ONCE, -(-len(pairs) // (PARTS_EACH * processes)))

        def alone(start: int) -> Float:
            return self._scored(builder, pairs.select(slice(start, start + size)), 1)

        try:
            with Stage("score", "scoring", len(pairs), "pairs", patience=BAR_PATIENCE) as stage:
                for part in forked_results(alone, range(SCORED_HERE, len(pairs), size), processes):
                    found.append(part)
                    stage.advance(part.size)
        except (BrokenProcessPool, MemoryError, OSError):
            told = "a process has ended by itself, perhaps for want of memory; scored in one process"
            warnings.warn(told, PfsmWarning, stacklevel=2)
            self.processes = 1
            return self._scored(builder, pairs, self.threads)
        return np.concatenate(found)

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
        scores = self.score_segments(rows.hypotheses, rows.references, numbers)
        return Prediction(scores=scores.tolist(), system_score=float(scores.mean()))

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
        pairs = _pairs(hypotheses, references, numbers, long)
        return PreparedPairs([*self._reader().batches(pairs, self.threads)], self.threads, long)

    @property
    def _of_last_call(self) -> NumberOfReferences:
        """Number of references of the last call of this thread."""
        found: NumberOfReferences = getattr(self._last, "nrefs", "var")
        return found

    def _note_call(self, nrefs: NumberOfReferences) -> None:
        self._last.nrefs = nrefs

    @cached_property
    def _explainer(self) -> Explainer:
        return Explainer(self.model, self._reader, self._weights)

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
        scores = None if long is None else self.score_pairs(hypotheses, references, columns)
        found = self._explainer.explanations(hypotheses, references, numbers, long, scores)
        return found if as_arrays else (replace(one, contributions=tuple(one.contributions)) for one in found)

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
        scores = None if long is None else self.score_pairs(hypotheses, references, columns)
        return self._explainer.alignments(hypotheses, references, numbers, long, scores, self.threads)

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


def _pairs(
    hypotheses: Sequence[str], references: Sequence[str], numbers: Mapping[str, Float], long: LongLines | None
) -> Pairs:
    """Return what is scored: the pairs as they stand, or their parts."""
    if long is None:
        return Pairs.of(hypotheses, references, numbers)
    return Pairs.of(long.hypotheses, long.references, long.repeated(numbers), long.owner)


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
