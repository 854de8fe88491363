"""Sentences as the labeller learns from them: PropBank's roles, numbers, and features of candidate spans."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from pfsm.arrays import Int32, Int64
from pfsm.io.files import StrPath, display_name, read_lines
from pfsm_linguistics.analysis.conllu import analysis_of
from pfsm_linguistics.analysis.role_files import read_propbank
from pfsm_linguistics.analysis.roles import CONTINUATION, NOUN, VERB, Frame, Span
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.kernels.roles.features import N_SLOTS
from pfsm_linguistics.labeller.inputs import Numbers, SentenceArrays, candidates_of, sentence_arrays
from pfsm_linguistics.labeller.label import noun_keys, nouns_of
from pfsm_linguistics.labeller.weights import KEY_BITS
from pfsm_linguistics.training.parsing.treebank import Example
from pfsm_linguistics.training.roles.network import Batch

_IDENTIFIER = "sent_id"


@dataclass(frozen=True)
class RoleExample:
    """A sentence of the treebank with roles.

    Attributes:
        place: Its place among the examples of the treebank.
        example: The sentence.
        gold: Its gold tags, trees and roles.
    """

    place: int
    example: Example
    gold: Analysis


def read_roles(path: StrPath, examples: Sequence[Example]) -> list[RoleExample]:
    """The sentences of the treebank that have roles; sentences with other words are left out.

    Raises:
        PfsmError: If the file cannot be read or does not follow its format.
    """
    lines = read_lines(path)
    names = [
        line.partition("=")[2].strip() for line in lines if line.startswith("#") and _key(line) == _IDENTIFIER
    ]
    by_name = dict(zip(names, read_propbank(lines, display_name(path)), strict=True))
    found = []
    for place, example in enumerate(examples):
        roles = by_name.get(example.dependencies.comment(_IDENTIFIER) or "")
        if roles is None or roles.tokens != example.dependencies.forms:
            continue
        trees = () if example.constituents is None else (example.constituents,)
        gold = replace(analysis_of(example.dependencies), constituents=trees, frames=roles.frames)
        found.append(RoleExample(place, example, gold))
    return found


def _key(line: str) -> str:
    return line[1:].partition("=")[0].strip()


def labelled_spans_of(frame: Frame) -> dict[Span, str]:
    """Label of every span of a frame; parts of an argument after the first are continuations."""
    return {
        span: argument.label if k == 0 else CONTINUATION + argument.label
        for argument in frame.arguments
        for k, span in enumerate(argument.spans)
    }


MASK = (1 << KEY_BITS) - 1
# A feature that hardly occurs in arguments is worth this share of one that does.
_OF_OTHERS = 0.02
_FEWEST, _FEWEST_OTHERS = 2, 12
# Hardly any noun has more features; training leaves out those that no slot is there for.
NOUN_SLOTS = 40
NO_SPANS, NO_HEADS = np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.int64)
NO_ROWS = np.zeros((0, N_SLOTS), dtype=np.int32)

Sample = tuple[Analysis, Analysis]
"""A sentence as a parser sees it, and its gold standard with roles."""


@dataclass(eq=False)
class Sentence:
    """A sentence with the candidates of its predicates, one predicate after the other, and with its nouns.

    Attributes:
        words: int64 [n_words, 4], as in `Batch`.
        predicates: Its predicates.
        sizes: Number of candidates of each.
        spans: int64 [n, 3], the candidates.
        heads: int64 [n], their head words.
        gold: int64 [n], number of the label; -1 for none.
        rows: int32 [n, N_SLOTS], keys of the features, then their rows; -1 for features that are not kept.
        nouns: int64 [n_nouns], its nouns.
        are_predicates: float32 [n_nouns], 1 for nouns that are predicates, else 0; with teachers, probabilities.
        noun_rows: int32 [n_nouns, NOUN_SLOTS], keys of their features, then their rows; -1 for none.
        target: float16 [n, n_labels], probability of each labelled span to learn; None for `gold`.
    """

    words: Int64
    predicates: list[int]
    sizes: list[int]
    spans: Int64
    heads: Int64
    gold: Int64
    rows: Int32
    nouns: Int64
    are_predicates: NDArray[np.float32]
    noun_rows: Int32
    target: NDArray[np.float16] | None = None

    @property
    def of_nouns(self) -> NDArray[np.bool_]:
        """Whether a candidate is one of a noun, bool [n]."""
        found: NDArray[np.bool_] = np.repeat(np.isin(self.predicates, self.nouns), self.sizes)
        return found


def known_labels(samples: Sequence[Sample], least: int, tag: str = VERB) -> tuple[str, ...]:
    """Labels of spans that occur often enough, the most frequent first.

    Args:
        samples: Sentences.
        least: How often.
        tag: Universal tag of the predicates that count.
    """
    counts = Counter(
        label
        for _, gold in samples
        for frame in gold.frames or ()
        if gold.upos[frame.predicate] == tag
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


def sentence_of(
    sample: Sample, labels: Sequence[str], numbers: Numbers, of_nouns: Sequence[str] = ()
) -> Sentence | None:
    """The sentence as arrays, its features as keys; None if it has neither nouns nor predicates with candidates.

    Args:
        sample: The sentence.
        labels: Labels of spans.
        numbers: Numbers of words, tags and relations.
        of_nouns: Further labels, of spans of nouns alone.
    """
    parsed, gold = sample
    number = {label: k for k, label in enumerate(labels)}
    by_tag = {VERB: number, NOUN: number | {label: k for k, label in enumerate(of_nouns, len(labels))}}
    spans_of = {frame.predicate: labelled_spans_of(frame) for frame in gold.frames or ()}
    # Where a sample is its own gold standard, its trees are right.
    arrays = arrays_of(parsed, given=parsed is gold)
    nouns = nouns_of(parsed.upos)
    predicates = [
        word for word, tag in enumerate(parsed.upos) if tag == VERB or (tag == NOUN and word in spans_of)
    ]
    offered = [candidates_of(arrays, word) for word in predicates]
    if not nouns and not any(len(one.spans) for one in offered):
        return None
    chosen = [
        [
            by_tag[parsed.upos[word]].get(spans_of.get(word, {}).get((start, end), ""), -1)
            for start, end, _ in one.spans.tolist()
        ]
        for word, one in zip(predicates, offered, strict=True)
    ]
    tree = parsed.tree
    assert tree is not None
    return Sentence(
        numbers.of(parsed.tokens, parsed.xpos, tree),
        predicates,
        [len(one.spans) for one in offered],
        np.concatenate([NO_SPANS, *(one.spans for one in offered)]),
        np.concatenate([NO_HEADS, *(one.heads for one in offered)]),
        np.array([label for one in chosen for label in one], dtype=np.int64),
        np.concatenate([NO_ROWS, *((one.features & np.uint64(MASK)).astype(np.int32) for one in offered)]),
        np.array(nouns, dtype=np.int64),
        np.array([word in spans_of for word in nouns], dtype=np.float32),
        _slots(noun_keys(parsed.tokens, parsed.xpos, tree, nouns)),
    )


def _slots(keys: Sequence[Sequence[int]]) -> Int32:
    """Keys of the features of nouns, as many as there are slots; -1 for none."""
    table = np.full((len(keys), NOUN_SLOTS), -1, dtype=np.int32)
    for row, own in zip(table, keys, strict=True):
        row[: len(own)] = own[:NOUN_SLOTS]
    return table


def keep_noun_features(sentences: Sequence[Sentence], least: int, others: Sequence[Sentence] = ()) -> Int32:
    """The keys of the features that enough nouns have, ascending; sentences get the rows instead of the keys.

    Args:
        sentences: The sentences.
        least: Number of nouns.
        others: Sentences whose nouns are not counted; they get rows, too.
    """
    counts = np.zeros(MASK + 1, dtype=np.int64)
    for one in sentences:
        np.add.at(counts, one.noun_rows[one.noun_rows >= 0], 1)
    keys = np.flatnonzero(counts >= least).astype(np.int32)
    row_of = np.full(MASK + 2, -1, dtype=np.int32)
    row_of[keys] = np.arange(keys.size, dtype=np.int32)
    for one in (*sentences, *others):
        one.noun_rows = row_of[one.noun_rows]
    return keys


def keep_features(
    sentences: Sequence[Sentence], most: tuple[int, int, int], others: Sequence[Sentence] = ()
) -> Int32:
    """The keys of the features that are kept; sentences get the rows instead of the keys.

    Args:
        sentences: The sentences.
        most: Number of features that are the most useful for verbs, of further ones for nouns, and then of further
            ones for verbs again. They are numbered in this order.
        others: Sentences whose features are not counted; they get rows, too.
    """
    of_verbs, of_nouns = (_useful(sentences, of_nouns=own) for own in (False, True))
    keys = of_verbs[: most[0]]
    for useful, number in ((of_nouns, most[1]), (of_verbs, most[2])):
        keys = np.concatenate([keys, useful[~np.isin(useful, keys)][:number]])
    row_of = np.full(MASK + 1, -1, dtype=np.int32)
    row_of[keys] = np.arange(keys.size, dtype=np.int32)
    for one in (*sentences, *others):
        one.rows = row_of[one.rows]
    return keys


def _useful(sentences: Sequence[Sentence], *, of_nouns: bool) -> Int32:
    """Keys of the features that occur often enough in candidates of verbs, or else of nouns, the most useful first."""
    in_arguments, in_all = (np.zeros(MASK + 1, dtype=np.int64) for _ in range(2))
    for one in sentences:
        counted = one.of_nouns == of_nouns
        np.add.at(in_all, one.rows[counted].ravel(), 1)
        np.add.at(in_arguments, one.rows[counted & (one.gold >= 0)].ravel(), 1)
    worth = in_arguments + _OF_OTHERS * in_all
    worth[(in_arguments < _FEWEST) & (in_all < _FEWEST_OTHERS)] = 0.0
    order = np.argsort(-worth, kind="stable")
    return order[worth[order] > 0].astype(np.int32)


def batch_of(sentences: Sequence[Sentence], n_features: int, n_noun_features: int) -> Batch:
    """Sentences as one batch, with the first so many features."""
    lengths = np.array([len(one.words) for one in sentences])
    bases = np.cumsum([0, *lengths[:-1]])
    longest = int(lengths.max())
    steps = np.arange(longest)
    inside = np.minimum(steps, lengths[:, None] - 1)
    reversal = np.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)
    back = np.concatenate([k * longest + np.arange(n) for k, n in enumerate(lengths.tolist())])
    points = [
        np.stack(
            [
                np.repeat(np.array(one.predicates, dtype=np.int64), one.sizes),
                one.heads,
                one.spans[:, 0],
                one.spans[:, 1] - 1,
            ],
            1,
        )
        + base
        for one, base in zip(sentences, bases.tolist(), strict=True)
    ]
    rows = np.concatenate([one.rows for one in sentences]).astype(np.int64)
    rows[(rows < 0) | (rows >= n_features)] = n_features
    noun_rows = np.concatenate([one.noun_rows for one in sentences]).astype(np.int64)
    noun_rows[noun_rows < 0] = n_noun_features
    nouns = [one.nouns + base for one, base in zip(sentences, bases.tolist(), strict=True)]
    arrays = (
        np.concatenate([one.words for one in sentences]), inside + bases[:, None], reversal, back,
        np.concatenate(points), rows, np.concatenate(nouns), noun_rows,
        np.concatenate([one.are_predicates for one in sentences]),
    )  # fmt: skip
    return Batch(*(torch.from_numpy(np.ascontiguousarray(one)) for one in arrays))
