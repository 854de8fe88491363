"""Pairs of lines as words, NIST (Doddington 2002) of segments and of corpora, and what metrics like it have in common.

With r and h the numbers of words of reference and hypothesis:

    sum over n = 1..5 of information of n-grams in common / number of n-grams of the hypothesis
    times exp(beta log(min(h / r, 1))^2),    beta = log(.5) / log(1.5)^2

The information of an n-gram comes from a table of counts (`pfsm.metrics.ngram_table`), by default of all references
that are scored together, each distinct line once; if those of a segment alone were counted, every word that occurs once
would be worth ``log2(r)``. For a corpus sums are taken over the segments before anything is divided, as in the program
``mteval``: with several references an n-gram counts as often as in the one that has it most often, and r is the mean of
their lengths.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import Lock
from typing import Self

import numpy as np

from pfsm.arrays import Float, Int32, Int64
from pfsm.errors import PfsmError
from pfsm.metrics.base import ALL_AT_ONCE, SegmentMetric
from pfsm.metrics.inputs import quotient
from pfsm.metrics.names import parse_name, written_name
from pfsm.metrics.ngram_table import INFO, ORDERS, SET, NgramTable, remember
from pfsm.runtime.typed import Options
from pfsm.text.characters import composed
from pfsm.text.stemming import NO_STEMMER
from pfsm.text.vocabulary import Vocabulary

Sides = tuple[Int32, Int64, Int32, Int64]

# Types after which a vocabulary starts afresh.
LARGEST_VOCABULARY = 1_000_000


@dataclass(frozen=True, eq=False)
class WordPairs:
    """Pairs of sequences of words, as ids.

    Attributes:
        sides: Ids of all references and where each begins, int32 [n_words] and int64 [n_pairs + 1]; the same of the
            hypotheses.
        labels: The word of each id.
    """

    sides: Sides
    labels: Sequence[str]

    @cached_property
    def r(self) -> Float:
        """float64 [n_pairs], numbers of words of the references."""
        return np.diff(self.sides[1]).astype(np.float64)

    @cached_property
    def h(self) -> Float:
        """Those of the hypotheses."""
        return np.diff(self.sides[3]).astype(np.float64)

    @property
    def distinct(self) -> "WordPairs":
        """The same with every word of a line once."""
        references, firsts, hypotheses, others = self.sides
        one, other = _distinct(references, firsts), _distinct(hypotheses, others)
        return WordPairs((*one, *other), self.labels)


def _distinct(ids: Int32, offsets: Int64) -> tuple[Int32, Int64]:
    """The distinct ids of lines, and where each line begins."""
    size = np.int64(ids.max(initial=0)) + 1
    line = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    lines, words = np.divmod(np.unique(line * size + ids), size)
    counts = np.bincount(lines, minlength=offsets.size - 1)
    return words.astype(np.int32), np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


class PairEncoder:
    """Turns lines into word ids; remembers what it has met."""

    def __init__(self, tokeniser: str, lowercase: bool) -> None:
        self._tokeniser = tokeniser
        self._lowercase = lowercase
        self._lock = Lock()
        self._vocabulary = self._new()

    def _new(self) -> Vocabulary:
        return Vocabulary(self._tokeniser, NO_STEMMER, self._lowercase)

    def encode(self, hypotheses: Sequence[str], references: Sequence[str]) -> WordPairs:
        """The pairs as word ids."""
        with self._lock:
            if len(self._vocabulary) > LARGEST_VOCABULARY:
                self._vocabulary = self._new()
            one, other = (
                self._vocabulary.encode(list(map(composed, side))) for side in (references, hypotheses)
            )
            words, labels = self._vocabulary.word_ids, self._vocabulary.words
        return WordPairs((words[one.ids], one.offsets, words[other.ids], other.offsets), labels)

    def words(self, lines: Sequence[str]) -> tuple[Int32, Int64, Sequence[str]]:
        """Word ids of lines, int32 [n_words], where each line begins, int64 [n_lines + 1], and the word of each id."""
        pairs = self.encode((), lines)
        ids, offsets, *_ = pairs.sides
        return ids, offsets, pairs.labels


encoder = lru_cache(maxsize=4)(PairEncoder)

NIST_BETA = np.log(0.5) / np.log(1.5) ** 2
NIST_PARTS = (*(f"nist.{order}" for order in range(1, ORDERS + 1)), "nist.penalty")


def nist_scores(pairs: WordPairs, table: NgramTable) -> Float:
    """NIST, float64 [n_pairs]."""
    parts = nist_parts(pairs, table)
    return np.asarray(parts[:, :ORDERS].sum(axis=1) * parts[:, ORDERS])


def nist_parts(pairs: WordPairs, table: NgramTable) -> Float:
    """Information per n-gram by order, and the penalty for short lines: float64 [n_pairs, 6]."""
    sums = corpus_statistics(pairs, np.arange(pairs.r.size), table)
    worth = quotient(sums[:, :ORDERS], sums[:, ORDERS : 2 * ORDERS])
    return np.column_stack([worth, nist_penalty(pairs.h, pairs.r)])


def nist_penalty(h: Float, r: Float) -> Float:
    """NIST's penalty for short lines, from their numbers of words and those of the references: float64 [...]."""
    ratio = np.minimum(quotient(h, r), 1.0)
    logarithm = np.log(ratio, out=np.full(ratio.shape, -np.inf), where=ratio > 0)
    return np.asarray(np.exp(NIST_BETA * logarithm**2))


def corpus_statistics(pairs: WordPairs, starts: Int64, table: NgramTable) -> Float:
    """What NIST of a corpus adds up.

    Args:
        pairs: Every segment's hypothesis with each of its references, those of a segment together.
        starts: int64 [n_segments], where the pairs of each segment begin.
        table: Where the information of n-grams comes from.

    Returns:
        float64 [n_segments, 12]: by order the information in common, by order the n-grams of the hypothesis, words of
        the reference, words of the hypothesis.
    """
    if not starts.size:
        return np.zeros((0, 2 * ORDERS + 2))
    n_references = np.diff(starts, append=pairs.r.size)
    h = pairs.h[starts]
    return np.column_stack(
        [
            _information_in_common(pairs, starts, np.repeat(np.arange(starts.size), n_references), table),
            np.maximum(h[:, np.newaxis] - np.arange(ORDERS), 0.0),
            np.add.reduceat(pairs.r, starts) / n_references,
            h,
        ]
    )


def corpus_scores(totals: Float) -> Float:
    """NIST from sums of `corpus_statistics`: float64 [..., 12] to float64 [...]."""
    information = quotient(totals[..., :ORDERS], totals[..., ORDERS : 2 * ORDERS]).sum(axis=-1)
    return np.asarray(information * nist_penalty(totals[..., -1], totals[..., -2]))


def _information_in_common(pairs: WordPairs, starts: Int64, segment: Int64, table: NgramTable) -> Float:
    """By order the information of the n-grams that hypotheses share with their references, float64 [n_segments, 5]."""
    references, offsets, hypotheses, hypothesis_offsets = pairs.sides
    kept = np.isin(np.arange(segment.size), starts)
    own = hypotheses[np.repeat(kept, np.diff(hypothesis_offsets))]
    # All references, then each hypothesis once; words, and n-grams below, are numbered anew.
    sizes = np.concatenate([np.diff(offsets), np.diff(hypothesis_offsets)[kept]])
    kinds, words = np.unique(np.concatenate([references, own]), return_inverse=True)
    lines = np.repeat(np.arange(sizes.size), sizes)
    ends = np.cumsum(sizes)[lines]
    segments = np.concatenate([segment, np.arange(starts.size)])
    places, grams = np.arange(words.size), words
    known_words = known = table.word_numbers([pairs.labels[kind] for kind in kinds.tolist()])
    before, often = np.full(kinds.size, max(1.0, table.n_words)), table.often(1, known)
    worth = np.zeros((starts.size, ORDERS))
    for order in range(1, ORDERS + 1):
        of_reference, line = places < references.size, lines[places]
        information = np.log2(before / often)
        keys, counts = np.unique((line * often.size + grams)[of_reference], return_counts=True)
        ours, of_ours = _most(segments[keys // often.size] * often.size + keys % often.size, counts)
        keys = (segments[line] * often.size + grams)[~of_reference]
        theirs, of_theirs = np.unique(keys, return_counts=True)
        both, left, right = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
        shared = information[both % often.size] * np.minimum(of_ours[left], of_theirs[right])
        # In the order of values: n-grams are numbered by what else is scored, which must not change the last digit.
        added = np.lexsort([shared, both // often.size])
        worth[:, order - 1] = np.bincount(both[added] // often.size, shared[added], minlength=starts.size)
        longer = places + order < ends[places]
        places, keys = places[longer], grams[longer] * kinds.size + words[places[longer] + order]
        if order == ORDERS or not places.size:
            break
        found, grams = np.unique(keys, return_inverse=True)
        known = table.longer(order + 1, known[found // kinds.size], known_words[found % kinds.size])
        before, often = often[found // kinds.size], table.often(order + 1, known)
    return worth


def _most(keys: Int64, counts: Int64) -> tuple[Int64, Int64]:
    """The distinct keys, rising, and the largest count of each: in the reference that has an n-gram most often."""
    if not keys.size:
        return keys, counts
    order = np.argsort(keys, kind="stable")
    distinct, first = np.unique(keys[order], return_index=True)
    return distinct, np.maximum.reduceat(counts[order], first)


class ReferenceFittedMetric(SegmentMetric):
    """A metric whose scores depend on a table of n-grams: that of the references of the call, or a given one."""

    _table: NgramTable | None = None

    def set_table(self, table: NgramTable | None) -> None:
        """Takes the counts from a table; None: from the references of each call."""
        self._table = table
        self.is_additive = table is not None

    @abstractmethod
    def count(self, references: Sequence[str]) -> NgramTable:
        """The table of some distinct lines."""

    @property
    def info(self) -> str:
        """The label of the table, for signatures; ``set`` where the references scored together are counted."""
        return SET if self._table is None else self._table.label

    @property
    def is_independent(self) -> bool:
        """Whether the table is given."""
        return self._table is not None

    def check_independent(self) -> None:
        """Refuses a metric without a table."""
        if not self.is_independent:
            raise PfsmError(
                f"{self.name}: the information of n-grams is counted over all references that are scored together, "
                f"but they are scored in parts here; {ALL_AT_ONCE}"
            )

    @property
    def tables(self) -> Mapping[str, NgramTable]:
        """The table that is given."""
        return {} if self._table is None else {self._table.label: self._table}

    def table_for(self, references: Sequence[str]) -> NgramTable:
        """The given table, or else that of these lines; one that occurs twice counts once."""
        return self._table or self.count(list(dict.fromkeys(map(composed, references))))

    def counted_over(self, references: Sequence[str]) -> Self:
        """As `SegmentMetric.counted_over`; a table that is given stays."""
        if self._table is not None:
            return self
        fixed = copy(self)
        fixed.set_table(self.table_for(references))
        fixed.origin = written_name(self.origin, {INFO: fixed.info}) if self.origin else ""
        return fixed


def counted_name(make: Callable[[str, Options], SegmentMetric]) -> Callable[[str, Sequence[str]], str]:
    """`pfsm.metrics.metric_group.MetricGroup.counted` of metrics and their parts.

    Args:
        make: From the name of a metric and options to the metric.
    """

    def counted(name: str, references: Sequence[str]) -> str:
        parsed = parse_name(name)
        metric = make(parsed.base, parsed.options)
        if not isinstance(metric, ReferenceFittedMetric) or metric.is_independent:
            return name
        return written_name(name, {INFO: remember(metric.table_for(references))})

    return counted
