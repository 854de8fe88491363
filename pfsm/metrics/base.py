"""What is derived from a metric's contract: scores of segments and corpora, signatures; one class for every metric."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib import import_module
from itertools import chain, islice
from typing import Any, Literal, Self

import numpy as np

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.metrics.contract import MetricContract
from pfsm.metrics.inputs import (
    Columns,
    NumberOfReferences,
    PairScorer,
    Streams,
    as_texts,
    best_of_references,
    by_segment,
    check_references,
    check_words,
    checked_streams,
    flat_pairs,
    mean_of_references,
    missing_column,
    needed_columns,
    number_by_segment,
    number_of_references,
    sides_of,
)
from pfsm.metrics.ngram_table import NgramTable
from pfsm.metrics.score import Score
from pfsm.version import __version__

Level = Literal["segment", "corpus"]
# Enough for the kernels to be busy, little enough for memory.
PAIRS_AT_ONCE = 2048
# What to do with a metric that cannot score in parts.
ALL_AT_ONCE = "score all at once with `pfsm score`, without --output, or take another metric"


@dataclass(frozen=True)
class Recipe:
    """How another process makes the same metric.

    Attributes:
        maker: ``module:FUNCTION``, a function of one string.
        text: That string.
    """

    maker: str
    text: str


def _remade(maker: str, text: str) -> "SegmentMetric":
    """The metric of a recipe."""
    module, _, name = maker.partition(":")
    made: SegmentMetric = getattr(import_module(module), name)(text)
    return made


def short_signature(name: str, digest: str, nrefs: NumberOfReferences) -> str:
    """The short signature of a metric: see `SegmentMetric.get_short_signature`."""
    references = [] if nrefs == 1 else [f"refs{nrefs}"]
    return ":".join(["pfsm", name.replace(":", "_"), digest, *references, __version__])


class SegmentMetric(MetricContract):
    """A metric of segments and corpora: of its own it defines what `MetricContract` says."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Metrics that can be made by name are pickled and copied by their recipe."""
        if not self.origin:
            return super().__reduce_ex__(protocol)
        recipe = self.recipe()
        return _remade, (recipe.maker, recipe.text)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.origin or self.name!r})"

    @property
    def resources(self) -> tuple[str, ...]:
        """Tables, vectors and parsers that scores depend on, as ``NAME@CHECKSUM``."""
        return ()

    @property
    def tables(self) -> Mapping[str, NgramTable]:
        """Counts that scores depend on, by their labels, which stand in the signature."""
        return {}

    def check_available(self) -> None:
        """Finds out whether everything that the metric needs is installed.

        Raises:
            PfsmError: If it is not; the message says what to do.
        """
        self.get_signature(1)

    def check_independent(self) -> None:
        """Refuses a metric whose score of a pair depends on the pairs scored with it.

        Raises:
            PfsmError: If it does.
        """
        if not self.is_independent:
            raise PfsmError(
                f"{self.name}: the score of a pair depends on the other pairs, but they are scored in parts here; "
                f"{ALL_AT_ONCE}"
            )

    def recipe(self) -> Recipe:
        """How another process makes this metric.

        Raises:
            PfsmError: If it cannot.
        """
        if not self.origin:
            raise PfsmError(
                f"metric {self.name}: cannot be made in another process; register it and make it by name"
            )
        documents = {label: table.document for label, table in self.tables.items()}
        return Recipe(self.maker, json.dumps([self.origin, documents]))

    # Segments

    @property
    def is_independent(self) -> bool:
        """Whether the score of a pair depends on that pair alone, not on others in the same call."""
        return True

    def counted_over(self, references: Sequence[str]) -> Self:  # noqa: ARG002
        """The metric with all that it counts over the references of a call counted over these, for calls to come.

        A metric that counts nothing over them is returned as it is.

        Args:
            references: Lines; one that occurs twice counts once.
        """
        return self

    def tolerant_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """`score_pairs` with 0 for pairs that the metric cannot judge, whatever it says of them itself."""
        return np.nan_to_num(self.understood_scores(hypotheses, references), nan=0.0)

    def segment_scores(
        self, hypotheses: Sequence[str], references: Streams, columns: Columns | None = None
    ) -> Float:
        """Return scores of segments, as `score_segments` gives them.

        Args:
            hypotheses: One translation a segment.
            references: Streams, as in sacrebleu: ``references[k][i]`` is the k-th reference of segment i, None where
                it has fewer.
            columns: As in `score_segments`.

        Returns:
            float64 [n_segments]; higher is better.

        Raises:
            ValueError: If there is no stream, or one differs in length from the hypotheses.
        """
        hypotheses, references = checked_streams(hypotheses, references)
        scores = self.score_segments(hypotheses, by_segment(references), columns)
        self._note_call(number_of_references(references))
        return scores

    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], columns: Columns | None = None
    ) -> Float:
        """Return scores of segments against all their references; what several mean, `segment_references` says.

        Every command, experiment and training scores by this method.

        Args:
            hypotheses: One translation a segment.
            references: For each of them its references, one at least.
            columns: Of each of the metric's `columns` a number for each segment; others do not matter.

        Returns:
            float64 [n_segments]; higher is better.

        Raises:
            ValueError: If the lists differ in length, or a segment has no reference.
            PfsmError: If a column is missing, or a line is too long.
        """
        check_references(hypotheses, references)
        hypotheses = as_texts(hypotheses, "hypotheses")
        for lines in (hypotheses, *references):
            check_words(self.name, self.most_words, lines)
        counts = [len(several) for several in references]
        score: Callable[..., Float] = self.score_pairs
        if self.columns:
            given = needed_columns(self.columns, columns, len(hypotheses), f"model {self.name}")
            score = partial(score, columns={name: np.repeat(own, counts) for name, own in given.items()})
        if all(count == 1 for count in counts):
            scores = score(hypotheses, [several[0] for several in references])
        elif self.columns:
            scores = self._over_references(lambda _: score, hypotheses, references)
        else:
            scores = self.several_references(hypotheses, references)
        self._note_call(number_by_segment(references))
        return scores

    def score_systems(
        self, outputs: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
    ) -> list[Float]:
        """Return `score_segments` of the outputs of several systems; where it makes no difference, of all at once."""
        if self.is_independent and len(outputs) > 1:
            with suppress(PfsmError):  # a line at fault is told by its place among those of its own system
                scores = self.score_segments([*chain.from_iterable(outputs)], [*references] * len(outputs))
                return np.split(scores, len(outputs))
        return [self.score_segments(lines, references) for lines in outputs]

    def _note_call(self, nrefs: NumberOfReferences) -> None:
        """Note how many references a call had, where signatures say it."""

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Return `score_segments` where some segment has several references: the best one, or the mean.

        A segment with one reference must get the score that `score_pairs` gives it.
        """
        return self._over_references(lambda metric: metric.score_pairs, hypotheses, references)

    def _over_references(
        self,
        scorer: Callable[["Self"], PairScorer],
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
    ) -> Float:
        """Return the best scores of pairs, or their means, by a metric that has counted over all references."""
        metric = self.counted_over([line for several in references for line in several])
        if metric.is_independent or len({len(several) for several in references}) > 1:
            over = mean_of_references if self.segment_references == "mean" else best_of_references
            return over(scorer(metric), hypotheses, references)
        # Scores that depend on the other pairs: each translation is to be among them once.
        streams = zip(*references, strict=True)
        return np.asarray(np.max([scorer(metric)(hypotheses, stream) for stream in streams], axis=0))

    def judged_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, tolerant: bool
    ) -> Float:
        """`score_segments` where the metric cannot judge all pairs, float64 [n_segments].

        Args:
            hypotheses: One translation a segment.
            references: For each of them its references.
            tolerant: Whether a pair that it cannot judge scores 0; otherwise the references that it can judge count,
                and segments where it can judge none are NaN.
        """
        plain = type(self).understood_scores is SegmentMetric.understood_scores
        if plain and "understood_scores" not in vars(self):
            return self.score_segments(hypotheses, references)
        if tolerant:
            return self._over_references(lambda metric: metric.tolerant_scores, hypotheses, references)
        repeated, flat, starts = flat_pairs(hypotheses, references)
        scores = self.understood_scores(repeated, flat)
        known = np.where(np.isnan(scores), -np.inf, scores)
        best = np.maximum.reduceat(known, starts) if known.size else known
        return np.where(np.isneginf(best), np.nan, best)

    def scores(
        self, pairs: Iterable[tuple[str, str | Sequence[str]]], at_once: int = PAIRS_AT_ONCE
    ) -> Iterator[float]:
        """Scores of endless pairs, one by one, in bounded memory: the next are read when those before are taken.

        Args:
            pairs: (hypothesis, reference) or (hypothesis, its references).
            at_once: How many pairs are read and scored together. The scores do not depend on it.

        Raises:
            PfsmError: If the score of a pair depends on the other pairs.
            TypeError: If a side is not a string; the message names the pair, from 0.
        """
        self.check_independent()
        return self._streamed(iter(pairs), at_once)

    def _streamed(self, pairs: Iterator[tuple[str, str | Sequence[str]]], at_once: int) -> Iterator[float]:
        first = 0
        while block := list(islice(pairs, at_once)):
            sides = [sides_of(pair, first + place) for place, pair in enumerate(block)]
            hypotheses, references = [one for one, _ in sides], [several for _, several in sides]
            yield from self.score_segments(hypotheses, references).tolist()
            first += len(block)

    @property
    def has_named_parts(self) -> bool:
        """Whether `named_parts` is defined."""
        return type(self).named_parts is not SegmentMetric.named_parts

    def sentence_score(
        self, hypothesis: str, references: Sequence[str], columns: Mapping[str, float] | None = None
    ) -> Score:
        """Return the score of one translation, as `score_segments` gives it.

        Args:
            hypothesis: The translation.
            references: Its references.
            columns: Of each of the metric's `columns` the number of this translation.

        Raises:
            ValueError: If ``references`` is a string or empty.
        """
        if isinstance(references, str) or not len(references):
            raise ValueError("references must be a list of strings, the references of this one sentence")
        references = as_texts(references, "references")
        streams = [[reference] for reference in references]
        scores = self.segment_scores([hypothesis], streams, self._of_one(columns))
        return self._as_score(scores, len(references), "segment")

    def _of_one(self, columns: Mapping[str, float] | None) -> Columns:
        """Return the columns of one translation."""
        given = {} if columns is None else columns
        for name in self.columns:
            if name not in given:
                raise missing_column(name, f"model {self.name}", single=True)
        return {name: [value] for name, value in given.items()}

    def _as_score(self, scores: float | Float, nrefs: NumberOfReferences, level: Level) -> Score:
        """The mean of segment scores, or a score from pooled counts, with its signatures."""
        return Score.of(
            scores, self.name, self.get_signature(nrefs, level), self.get_short_signature(nrefs, level)
        )

    # Corpora

    @property
    def averages(self) -> bool:
        """Whether the corpus score is the mean of the segment scores: no statistics are pooled."""
        return type(self).corpus_from_totals is SegmentMetric.corpus_from_totals

    def corpus_score(
        self, hypotheses: Sequence[str], references: Streams, columns: Columns | None = None
    ) -> Score:
        """Return the score of a system's whole output.

        Args:
            hypotheses: One translation a segment.
            references: Streams, as `segment_scores` takes them.
            columns: As in `score_segments`.

        Raises:
            ValueError: If there are no segments, or streams differ in length.
        """
        hypotheses, references = checked_streams(hypotheses, references)
        if not hypotheses:
            raise ValueError("no segments to score")
        nrefs = number_of_references(references)
        value: float | Float
        if self.averages:
            value = self.segment_scores(hypotheses, references, columns)
        else:
            totals = self.segment_statistics(hypotheses, references).sum(axis=0)
            value = float(self.corpus_from_totals(np.asarray(totals)))
        return self._as_score(value, nrefs, "corpus")

    def segment_statistics(self, hypotheses: Sequence[str], references: Streams) -> Float:
        """What a corpus score adds up over segments; with several references those of the best one.

        Args:
            hypotheses: One translation a segment.
            references: Streams, as `segment_scores` takes them.

        Returns:
            float64 [n_segments, k].

        Raises:
            ValueError: If there is no stream, or one differs in length from the hypotheses.
        """
        hypotheses, references = checked_streams(hypotheses, references)
        segments = by_segment(references)
        for lines in (hypotheses, *segments):
            check_words(self.name, self.most_words, lines)
        return self._several_statistics(hypotheses, segments)

    def _several_statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """`segment_statistics` from the references of each segment."""
        repeated, flat, starts = flat_pairs(hypotheses, references)
        statistics = self.pair_statistics(repeated, flat)
        if len(flat) == len(hypotheses):
            return statistics
        values = self.oriented(self.corpus_from_totals(statistics))
        best = [int(np.argmax(part)) for part in np.split(values, starts[1:])]
        return np.asarray(statistics[starts + np.array(best, dtype=np.int64)])

    def oriented(self, corpus_scores: Float) -> Float:
        """Corpus scores with the sign turned if lower is better, so that higher is better."""
        return -corpus_scores if self.lower_is_better else corpus_scores

    # Signatures

    @property
    def signature(self) -> str:
        """The signature of scores of single-reference pairs."""
        return self.get_signature(1)

    def get_signature(self, nrefs: NumberOfReferences = 1, level: Level = "segment") -> str:
        """Everything that can change a score: ``nrefs:1|level:segment|key:value|…|version:X``.

        Args:
            nrefs: Number of references of every segment; ``"var"`` if segments differ.
            level: Whether it is the signature of ``segment`` or ``corpus`` scores.

        Raises:
            PfsmError: If something that the metric needs is not installed.
        """
        pools = level == "corpus" and not self.averages
        used = self.corpus_references if pools else self.segment_references
        entries = {
            "nrefs": str(nrefs),
            **({} if nrefs == 1 else {"refs": used}),
            "level": level,
            **(self.entries() if level == "segment" else self.corpus_entries()),
            "version": __version__,
        }
        return "|".join(f"{key}:{value}" for key, value in entries.items())

    def get_short_signature(self, nrefs: NumberOfReferences = 1, level: Level = "segment") -> str:
        """``pfsm:NAME:DIGEST:VERSION``; with several references ``pfsm:NAME:DIGEST:refs2:VERSION``.

        The digest is that of the long signature without references and version, so equal short signatures mean equal
        long ones. Of a model it is the fingerprint of its settings, weights and scale.

        Raises:
            PfsmError: As `get_signature`.
        """
        entries = [
            entry
            for entry in self.get_signature(nrefs, level).split("|")
            if entry.partition(":")[0] not in {"nrefs", "refs", "level", "version"}
        ]
        return short_signature(self.name, sha256("|".join(entries).encode()).hexdigest()[:8], nrefs)

    def corpus_entries(self) -> Mapping[str, str]:
        """`entries` of the signature of a corpus score.

        ``corpus:mean`` says that it is the mean of segment scores, ``better:lower`` that a lower score is better.
        """
        if self.averages:
            return {"corpus": "mean", **self.entries()}
        entries = {key: value for key, value in self.entries().items() if key != "sign"}
        return {"better": "lower", **entries} if self.lower_is_better else entries
