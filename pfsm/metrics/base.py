"""What a metric is: one class for learned models, classic metrics and your own.

A metric of your own needs a name and ``score_pairs``; settings that change its scores go into ``entries``::

    class SharedLetters(SegmentMetric):
        name = "shared-letters"

        def score_pairs(self, hypotheses, references):
            pairs = zip(hypotheses, references, strict=True)
            return np.array([float(len(set(h) & set(r))) for h, r in pairs])

The score of a corpus is a function of sums over its segments. Unless a metric says otherwise these sums are the segment
scores and the number of segments, and the function is the mean. A metric that pools counts, as BLEU does, defines
``pair_statistics`` and ``corpus_from_totals``; partitions of a corpus add their totals, and a bootstrap resample adds
the statistics of the segments drawn.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from itertools import islice
from typing import Any, Literal, Self

import numpy as np

from pfsm.arrays import Float, Int64
from pfsm.errors import PfsmError
from pfsm.metrics.inputs import (
    NumberOfReferences,
    PairScorer,
    Streams,
    as_texts,
    best_of_references,
    by_segment,
    check_references,
    checked_streams,
    flat_pairs,
    number_of_references,
    of_texts,
    sides_of,
)
from pfsm.metrics.ngram_table import NgramTable
from pfsm.version import __version__

Level = Literal["segment", "corpus"]
UseOfReferences = Literal["best", "mean", "all"]
# Enough for the kernels to be busy, little enough for memory.
PAIRS_AT_ONCE = 2048
# What to do with a metric that cannot score in parts.
ALL_AT_ONCE = "score all at once with `pfsm score`, without --output, or take another metric"


class Score(float):
    """A score: a number that prints itself and knows where it came from.

    Attributes:
        name: Name of the metric or model.
        signature: Everything that can change the number, ``key:value|…|version:X``.
        short_signature: ``pfsm:NAME:DIGEST:VERSION``, which is printed; empty where only the long one is known.
        segment_scores: float64 [n_segments], the scores that this one is the unweighted mean of; empty if it is
            computed from pooled counts instead.
    """

    name: str
    signature: str
    short_signature: str
    segment_scores: Float

    @classmethod
    def of(cls, value: float | Float, name: str, signature: str, short: str = "") -> "Score":
        """The mean of segment scores: the score of a system, or of one sentence; or a system's from pooled counts."""
        score = cls(np.mean(value))
        score.segment_scores = value if isinstance(value, np.ndarray) else np.zeros(0)
        score.name, score.signature, score.short_signature = name, signature, short
        return score

    @property
    def score(self) -> float:
        """The number itself, as in sacrebleu."""
        return float(self)

    def __str__(self) -> str:
        return f"{self.short_signature or f'{self.name}|{self.signature}'} = {float(self):.4f}"

    def _repr_html_(self) -> str:
        """The score with its signature, for notebooks."""
        from pfsm.runtime.charts import html_table  # noqa: PLC0415 - for notebooks alone

        return html_table(["", "score"], [[self.name, f"{float(self):.4f}"]], self.signature)

    def __repr__(self) -> str:
        return f"Score({float(self)!r}, {self.name!r}, {self.signature!r})"


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


class SegmentMetric(ABC):
    """A metric of segments and corpora.

    Attributes:
        name: What scores are reported under.
        origin: The name, with options, that `pfsm.metrics.get_metric` makes this metric from; empty if it does not.
        maker: Of a metric with an origin, the maker of its `recipe`.
        lower_is_better: Whether a lower corpus score is better, as for error rates. Segment scores are always
            negated where that is needed: of them the higher is better.
        is_additive: Whether the statistics of a segment depend on that segment alone, so that a corpus can be
            scored in parts.
        segment_references: What a segment score does with several references: ``best`` takes the score against the
            best one, ``mean`` the mean of the scores against each, ``all`` uses them together.
        corpus_references: The same of a corpus score that pools statistics.
        language: Code of the language of a metric that is made for one; empty for others.
        columns: Columns of the data that scores depend on besides the text; `score_rows` takes them.
        most_words: Of a line; with more of them a score would take minutes, and is refused.
    """

    name: str
    origin: str = ""
    maker: str = ""
    lower_is_better: bool = False
    is_additive: bool = True
    segment_references: UseOfReferences = "best"
    corpus_references: UseOfReferences = "best"
    language: str = ""
    columns: tuple[str, ...] = ()
    most_words: int = 100_000

    def __init_subclass__(cls, **given: Any) -> None:
        """Every metric takes columns of tables, and refuses what is not a string, whoever wrote its ``score_pairs``."""
        super().__init_subclass__(**given)
        for name in ("score_pairs", "pair_statistics"):
            defined = cls.__dict__.get(name)
            if defined is not None:
                setattr(cls, name, of_texts(defined))

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Metrics that can be made by name are pickled and copied by their recipe."""
        if not self.origin:
            return super().__reduce_ex__(protocol)
        recipe = self.recipe()
        return _remade, (recipe.maker, recipe.text)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.origin or self.name!r})"

    def entries(self) -> Mapping[str, str]:
        """Settings and resources that can change a score, in the order in which a signature gives them.

        Raises:
            PfsmError: If something that the metric needs is not installed.
        """
        return {}

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

    @abstractmethod
    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of single-reference pairs.

        Args:
            hypotheses: Translations, one string each.
            references: As many references.

        Returns:
            float64 [n_pairs], finite; higher is better.

        Raises:
            ValueError: If the lists differ in length, or one of them is a single string.
        """

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

    def understood_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """`score_pairs` with NaN for pairs that the metric cannot judge, such as lines without a parse."""
        return self.score_pairs(hypotheses, references)

    def tolerant_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """`score_pairs` with 0 for pairs that the metric cannot judge, whatever it says of them itself."""
        return np.nan_to_num(self.understood_scores(hypotheses, references), nan=0.0)

    def segment_scores(self, hypotheses: Sequence[str], references: Streams) -> Float:
        """Scores of segments, as `score_segments` gives them.

        Args:
            hypotheses: One translation a segment.
            references: Streams, as in sacrebleu: ``references[k][i]`` is the k-th reference of segment i, None where
                it has fewer.

        Returns:
            float64 [n_segments]; higher is better.

        Raises:
            ValueError: If there is no stream, or one differs in length from the hypotheses.
        """
        hypotheses, references = checked_streams(hypotheses, references)
        return self.score_segments(hypotheses, by_segment(references))

    def score_segments(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Scores of segments against all their references; what several mean, `segment_references` says.

        Every command, experiment and training scores by this method.

        Args:
            hypotheses: One translation a segment.
            references: For each of them its references, one at least.

        Returns:
            float64 [n_segments]; higher is better.

        Raises:
            ValueError: If the lists differ in length, or a segment has no reference.
        """
        check_references(hypotheses, references)
        if all(len(several) == 1 for several in references):
            return self.score_pairs(hypotheses, [several[0] for several in references])
        return self.several_references(hypotheses, references)

    def score_rows(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        columns: Mapping[str, Float],  # noqa: ARG002
    ) -> Float:
        """`score_segments` of rows of data that have more than text.

        Args:
            hypotheses: One translation a row.
            references: For each of them its references.
            columns: Of each of the metric's `columns` the numbers, float64 [n_rows]; others do not matter.
        """
        return self.score_segments(hypotheses, references)

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """`score_segments` where some segment has several references: the best one counts, unless this is overridden.

        A segment with one reference must get the score that `score_pairs` gives it.
        """
        return self._best_of(lambda metric: metric.score_pairs, hypotheses, references)

    def _best_of(
        self,
        scorer: Callable[["Self"], PairScorer],
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
    ) -> Float:
        """The best scores of pairs, by a method of the metric that has counted over all references."""
        metric = self.counted_over([line for several in references for line in several])
        if metric.is_independent or len({len(several) for several in references}) > 1:
            return best_of_references(scorer(metric), hypotheses, references)
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
            return self._best_of(lambda metric: metric.tolerant_scores, hypotheses, references)
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

    def named_parts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Mapping[str, Float]:  # noqa: ARG002
        """What the scores of pairs are made of, by name, float64 [n_pairs] each; `pfsm explain --metric` prints it.

        Optional: a metric without parts has none. Those of metrics that come with pfsm are features of models too, see
        `pfsm.metrics.registry.metric_parts`.
        """
        return {}

    @property
    def has_named_parts(self) -> bool:
        """Whether `named_parts` is defined."""
        return type(self).named_parts is not SegmentMetric.named_parts

    def score_lines(self, lines: Sequence[str], hypotheses: Int64, references: Int64) -> Float:
        """Scores of pairs of lines that are given by number, float64 [n_pairs], as `score_pairs` gives them.

        Args:
            lines: The text.
            hypotheses: int64 [n_pairs], which line is the hypothesis of each pair.
            references: int64 [n_pairs], which line is its reference.
        """
        return self.score_pairs(
            [lines[place] for place in hypotheses.tolist()], [lines[place] for place in references.tolist()]
        )

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Score:
        """Score of one translation, as `score_segments` gives it.

        Raises:
            ValueError: If ``references`` is a string or empty.
        """
        if isinstance(references, str) or not len(references):
            raise ValueError("references must be a list of strings, the references of this one sentence")
        references = as_texts(references, "references")
        scores = self.segment_scores([hypothesis], [[reference] for reference in references])
        return self._as_score(scores, len(references), "segment")

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

    def corpus_score(self, hypotheses: Sequence[str], references: Streams) -> Score:
        """Score of a system's whole output.

        Args:
            hypotheses: One translation a segment.
            references: Streams, as `segment_scores` takes them.

        Raises:
            ValueError: If there are no segments, or streams differ in length.
        """
        hypotheses, references = checked_streams(hypotheses, references)
        if not hypotheses:
            raise ValueError("no segments to score")
        nrefs = number_of_references(references)
        value: float | Float
        if self.averages:
            value = self.segment_scores(hypotheses, references)
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
        return self._several_statistics(hypotheses, by_segment(references))

    def _several_statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """`segment_statistics` from the references of each segment."""
        repeated, flat, starts = flat_pairs(hypotheses, references)
        statistics = self.pair_statistics(repeated, flat)
        if len(flat) == len(hypotheses):
            return statistics
        values = self.oriented(self.corpus_from_totals(statistics))
        best = [int(np.argmax(part)) for part in np.split(values, starts[1:])]
        return np.asarray(statistics[starts + np.array(best, dtype=np.int64)])

    def pair_statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """What a corpus score adds up, of single-reference pairs, float64 [n_pairs, k].

        Raises:
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        return np.column_stack([self.score_pairs(hypotheses, references), np.ones(len(hypotheses))])

    def corpus_from_totals(self, totals: Float) -> Float:
        """Corpus scores from sums of statistics: float64 [..., k] to float64 [...]."""
        return np.asarray(totals[..., 0] / totals[..., 1])

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
