"""Training data of the labeller: sentences as arrays, with the candidates of their predicates and their features."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from pfsm.analysis.labeller.encoder import Numbers
from pfsm.analysis.labeller.inputs import VERB, SentenceArrays, candidates_of, sentence_arrays
from pfsm.analysis.labeller.weights import KEY_BITS
from pfsm.analysis.sentence import Analysis
from pfsm_training.roles.network import Batch
from pfsm_training.roles.treebank import labelled_spans_of

Int64 = NDArray[np.int64]
MASK = (1 << KEY_BITS) - 1
# A feature that hardly occurs in arguments is worth this share of one that does.
_OF_OTHERS = 0.02
_FEWEST, _FEWEST_OTHERS = 2, 12

Sample = tuple[Analysis, Analysis]
"""A sentence as a parser sees it, and its gold standard with roles."""


@dataclass(eq=False)
class Sentence:
    """A sentence with the candidates of its predicates, one predicate after the other.

    Attributes:
        words: int64 [n_words, 4], as in `Batch`.
        predicates: Its predicates.
        sizes: Number of candidates of each.
        spans: int64 [n, 3], the candidates.
        heads: int64 [n], their head words.
        gold: int64 [n], number of the label; -1 for none.
        rows: int32 [n, N_SLOTS], keys of the features, then their rows; -1 for features that are not kept.
    """

    words: Int64
    predicates: list[int]
    sizes: list[int]
    spans: Int64
    heads: Int64
    gold: Int64
    rows: NDArray[np.int32]


def known_labels(samples: Sequence[Sample], least: int) -> tuple[str, ...]:
    """Labels of spans that occur often enough, the most frequent first."""
    counts = Counter(
        label
        for _, gold in samples
        for frame in gold.frames or ()
        if gold.upos[frame.predicate] == VERB
        for label in labelled_spans_of(frame).values()
    )
    return tuple(
        label for label, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])) if count >= least
    )


def arrays_of(parsed: Analysis, *, given: bool) -> SentenceArrays:
    """The arrays of an analysis of one sentence, whose trees are known to be right or not."""
    tree = parsed.tree
    assert tree is not None
    constituents = parsed.constituents[0] if parsed.constituents else None
    tags = parsed.upos, parsed.xpos
    return sentence_arrays(parsed.tokens, tags, tree.heads, tree.labels, constituents, given=given)


def sentence_of(sample: Sample, labels: Sequence[str], numbers: Numbers) -> Sentence | None:
    """The sentence as arrays, its features as keys; None if it has no predicate with candidates."""
    parsed, gold = sample
    number = {label: k for k, label in enumerate(labels)}
    spans_of = {frame.predicate: labelled_spans_of(frame) for frame in gold.frames or ()}
    # Where a sample is its own gold standard, its trees are right.
    arrays = arrays_of(parsed, given=parsed is gold)
    predicates = [word for word, tag in enumerate(parsed.upos) if tag == VERB]
    offered = [candidates_of(arrays, word) for word in predicates]
    if not any(len(one.spans) for one in offered):
        return None
    chosen = [
        [number.get(spans_of.get(word, {}).get((start, end), ""), -1) for start, end, _ in one.spans.tolist()]
        for word, one in zip(predicates, offered, strict=True)
    ]
    tree = parsed.tree
    assert tree is not None
    return Sentence(
        numbers.of(parsed.tokens, parsed.xpos, tree),
        predicates,
        [len(one.spans) for one in offered],
        np.concatenate([one.spans for one in offered]),
        np.concatenate([one.heads for one in offered]),
        np.array([label for one in chosen for label in one], dtype=np.int64),
        np.concatenate([(one.features & np.uint64(MASK)).astype(np.int32) for one in offered]),
    )


def keep_features(sentences: Sequence[Sentence], most: int) -> NDArray[np.int32]:
    """The keys of the features that are kept, the most useful first; sentences get the rows instead of the keys."""
    in_arguments, in_all = (np.zeros(MASK + 1, dtype=np.int64) for _ in range(2))
    for one in sentences:
        np.add.at(in_all, one.rows.ravel(), 1)
        np.add.at(in_arguments, one.rows[one.gold >= 0].ravel(), 1)
    worth = in_arguments + _OF_OTHERS * in_all
    worth[(in_arguments < _FEWEST) & (in_all < _FEWEST_OTHERS)] = 0.0
    order = np.argsort(-worth, kind="stable")[:most]
    keys = order[worth[order] > 0].astype(np.int32)
    row_of = np.full(MASK + 1, -1, dtype=np.int32)
    row_of[keys] = np.arange(keys.size, dtype=np.int32)
    for one in sentences:
        one.rows = row_of[one.rows]
    return keys


def batch_of(sentences: Sequence[Sentence], n_features: int) -> Batch:
    """Sentences as one batch."""
    lengths = np.array([len(one.words) for one in sentences])
    bases = np.cumsum([0, *lengths[:-1]])
    longest = int(lengths.max())
    steps = np.arange(longest)
    inside = np.minimum(steps, lengths[:, None] - 1)
    reversal = np.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)
    back = np.concatenate([k * longest + np.arange(n) for k, n in enumerate(lengths.tolist())])
    points = [
        np.stack([np.repeat(one.predicates, one.sizes), one.heads, one.spans[:, 0], one.spans[:, 1] - 1], 1)
        + base
        for one, base in zip(sentences, bases.tolist(), strict=True)
    ]
    rows = np.concatenate([one.rows for one in sentences]).astype(np.int64)
    rows[rows < 0] = n_features
    arrays = (
        np.concatenate([one.words for one in sentences]), inside + bases[:, None], reversal, back,
        np.concatenate(points), rows,
    )  # fmt: skip
    return Batch(*(torch.from_numpy(np.ascontiguousarray(one)) for one in arrays))
