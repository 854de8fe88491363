"""Scores of parsing models: from analyses to what `pfsm_kernels.syntax.shift_reduce` takes, and back.

A model is made of the trees of one or more references and, if there is one, of a base: trees that all models have in
common. Words and tags have numbers: first those of the base, then those that the references add, in the order they
come. So sums are taken in the same order whatever else is scored.

Trees become projective, with one root: the roots of a line after the first become dependents of the first. An arc is
projective if every word between its ends descends from its head; one that is not is lifted, its dependent going to the
head of its head, the shortest such arc first, until all are (the projectivisation of Nivre and Nilsson 2005, without
their labels).

The templates of features are those of Huang, Jiang and Liu (2009), and subsets of them. s0, s1, s2 are the topmost
items of the stack, q0, q1 the next words of the queue; w is a word, t its tag, lct and rct the tags of an item's
leftmost and rightmost child.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.analysers import DEFAULT_PARSER
from pfsm.analysis.sentence import Analysis
from pfsm.errors import PfsmError
from pfsm.metrics.names import Option, Options, flag, number, one_of, read_options, text, whole
from pfsm.metrics.syntax.layers import dependency_tree


def projective_heads(heads: Sequence[int]) -> list[int]:
    """Heads of a projective tree with one root.

    Args:
        heads: Number of each word's head, counted from 1; 0 for roots, of which there is at least one.

    Returns:
        As many heads; those of a projective tree with one root as they were.
    """
    lifted = _with_one_root(heads)
    while True:
        crossing = [word for word, head in enumerate(lifted, 1) if not _is_projective(lifted, head, word)]
        if not crossing:
            return lifted
        word = min(crossing, key=lambda word: (abs(word - lifted[word - 1]), word))
        lifted[word - 1] = lifted[lifted[word - 1] - 1]


def _with_one_root(heads: Sequence[int]) -> list[int]:
    root = next((word for word, head in enumerate(heads, 1) if head == 0), 0)
    return [root if head == 0 and word != root else head for word, head in enumerate(heads, 1)]


def _is_projective(heads: Sequence[int], head: int, word: int) -> bool:
    """Whether all words between descend from the head; the root's own arc spans nothing."""
    between = range(min(head, word) + 1, max(head, word)) if head else range(0)
    return all(_descends(heads, other, head) for other in between)


def _descends(heads: Sequence[int], word: int, ancestor: int) -> bool:
    while word not in {0, ancestor}:
        word = heads[word - 1]
    return word == ancestor


WORDS = ("s0w s0t", "s0w", "s1w s1t", "s1w", "q0w q0t", "q0w")
TAGS = ("s0t", "s1t", "q0t")
PAIRS = ("s0w s1w s0t s1t", "s0w s1w s0t", "s0w s1w s1t", "s0w s0t s1t", "s1w s0t s1t", "s0w s1w")
TAG_PAIRS = ("s0t s1t", "s0t q0t", "s0t q0t q1t", "s1t s0t q0t", "s2t s1t s0t")
CHILDREN = ("s1t s1lct s0t", "s1t s1rct s0t", "s1t s0t s0lct", "s1t s0t s0rct")
CONTEXTS = ("s0w q0t q1t", "s0w s1t q0t", "s0w s1t s1lct", "s0w s1t s1rct", "s0w s1t s0lct")

SUBSETS: Mapping[str, tuple[str, ...]] = {
    "all": (*WORDS, *TAGS, *PAIRS, *TAG_PAIRS, *CHILDREN, *CONTEXTS),
    "single": (*WORDS, *TAGS),
    "tags": (*TAGS, *TAG_PAIRS, *CHILDREN),
    "pairs": (*WORDS, *TAGS, *PAIRS, *TAG_PAIRS),
}


def template_table(subset: str) -> NDArray[np.int64]:
    """The templates of a subset as the kernel takes them, int64 [n_templates, 4]."""
    from pfsm_kernels.syntax.shift_reduce import SLOTS  # noqa: PLC0415 - brings numba

    rows = []
    for template in SUBSETS[subset]:
        slots = template.split()
        words = [slot for slot in slots if slot.endswith("w")]
        tags = [slot for slot in slots if not slot.endswith("w")]
        # A third tag takes a word's place, which is wider.
        wide = [*words, *tags[2:], "", ""][:2]
        rows.append([SLOTS.index(slot) for slot in (*wide, *[*tags[:2], "", ""][:2])])
    return np.array(rows, dtype=np.int64)


LEGAL, ALL = "legal", "all"
REFERENCE, REFERENCES, SET = "reference", "references", "set"
TRAINING = (REFERENCE, REFERENCES, SET)


@dataclass(frozen=True)
class ParsingOptions:
    """Options of the parsing model, checked.

    Attributes:
        parser: Who analyses both sides.
        beam: Derivations that go on from each step.
        penalty: Of the squared weights.
        features: Which templates, a key of `SUBSETS`.
        actions: Probabilities are over the ``legal`` actions, or over ``all`` three.
        lowercase: Whether words are compared in lower case.
        training: What the model is made of: one ``reference`` (of several the best one counts), all ``references`` of
            the segment together, or the ``set`` of all references that are scored together.
        background: A file of parses that the model is made of too; empty for none.
        weight: How often the segment's own references count where others are there too.
    """

    parser: str = DEFAULT_PARSER
    beam: int = 8
    penalty: float = 1.0
    features: str = "all"
    actions: str = LEGAL
    lowercase: bool = True
    training: str = REFERENCE
    background: str = ""
    weight: float = 10.0

    @property
    def has_base(self) -> bool:
        """Whether models are made of more than the segment's own references."""
        return bool(self.background) or self.training == SET

    @property
    def entries(self) -> dict[str, str]:
        """What a signature says of them; the parser says more of itself."""
        return {
            "beam": str(self.beam),
            "penalty": f"{self.penalty:g}",
            "features": self.features,
            "actions": self.actions,
            "case": "lc" if self.lowercase else "mixed",
            "training": self.training,
            **({"weight": f"{float(self.weight)!r}"} if self.has_base else {}),
        }


_KNOWN: Mapping[str, Option] = {
    "parser": text(DEFAULT_PARSER, "the name of a parser"),
    "beam": whole(8, 1000),
    "penalty": number(1.0, 1e-6, 1e6, "a number from 1e-6 to 1e6"),
    "features": one_of(*SUBSETS),
    "actions": one_of(LEGAL, ALL),
    "lowercase": flag(True),
    "training": one_of(*TRAINING),
    "background": text("", "the path of a file of parses"),
    "weight": number(10.0, 1.0, 1e6, "a number from 1 to 1e6"),
}


def check_options(name: str, options: Options) -> ParsingOptions:
    """Options with their defaults.

    Raises:
        PfsmError: If one is unknown or has no such value.
    """
    checked = ParsingOptions(**read_options(name, options, _KNOWN))
    if "weight" in options and not checked.has_base:
        raise PfsmError(f"metric {name}: weight goes with background, or with training=set")
    return checked


Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
# What the kernel calls a word or tag that a model's trees lack.
_UNKNOWN = 1
Tables = tuple[Int64, Float, Int64, Int64, Int64]


@dataclass(frozen=True, eq=False)
class Base:
    """Trees that all models have in common.

    Attributes:
        words: Numbers of words.
        tags: Numbers of tags.
        tables: What the kernel takes.
    """

    words: dict[str, int]
    tags: dict[str, int]
    tables: Tables


def make_base(analyses: Sequence[Analysis], options: ParsingOptions) -> Base:
    """The base of analysed lines.

    Args:
        analyses: With trees and tags; an empty line adds nothing.
        options: Of the models.

    Raises:
        PfsmError: If an analysis lacks tags or a tree, or there are too many words or tags.
    """
    from pfsm_kernels.syntax import shift_reduce  # noqa: PLC0415 - brings numba

    numbers = _Numbers(analyses, None, options.lowercase)
    tables = shift_reduce.make_base(
        *_together([numbers.tree(one) for one in analyses], 3),
        template_table(options.features),
        options.actions == LEGAL,
        options.penalty,
    )
    return Base(numbers.words, numbers.tags, tables)


def dpm_scores(
    hypotheses: Sequence[Analysis],
    references: Sequence[Analysis],
    options: ParsingOptions,
    base: Base | None = None,
) -> Float:
    """DPM of analysed pairs, float64 [n_pairs]; a reference that is the same object in several pairs is learned once.

    Raises:
        PfsmError: If an analysis lacks tags, or that of a reference a tree.
    """
    return scores_together(hypotheses, [(one,) for one in references], options, base)


def scores_together(
    hypotheses: Sequence[Analysis],
    references: Sequence[Sequence[Analysis]],
    options: ParsingOptions,
    base: Base | None = None,
) -> Float:
    """DPM of analysed lines, each by the model of all its references together, float64 [n_hypotheses].

    Raises:
        PfsmError: If an analysis lacks tags, or that of a reference a tree.
    """
    from pfsm_kernels.syntax.shift_reduce import parsing_scores  # noqa: PLC0415 - brings numba

    # The kernel wants all hypotheses of a model together.
    keys = [tuple(map(id, several)) for several in references]
    rank: dict[tuple[int, ...], int] = {}
    of_line = np.array([rank.setdefault(key, len(rank)) for key in keys], dtype=np.int64)
    order = np.argsort(of_line, kind="stable")
    distinct = list(dict(zip(keys, references, strict=True)).values())
    numbers = [_Numbers(several, base, options.lowercase) for several in distinct]
    trees = [known.tree(one) for several, known in zip(distinct, numbers, strict=True) for one in several]
    # Those of a set are in the base once already.
    count = 1.0 if base is None else options.weight - (options.training == SET)
    sums = parsing_scores(
        *_together(trees, 3),
        *_together([numbers[of_line[k]].line(hypotheses[k]) for k in order.tolist()], 2),
        np.searchsorted(of_line[order], np.arange(len(distinct) + 1)).astype(np.int64),
        template_table(options.features),
        options.penalty,
        options.beam,
        options.actions == LEGAL,
        np.cumsum([0, *map(len, distinct)]).astype(np.int64),
        np.full(len(trees), count),
        None if base is None else base.tables,
    )
    scores = np.empty(order.size)
    scores[order] = sums
    n = np.array([len(one.tokens) for one in hypotheses], dtype=np.float64)
    empty = np.array([not any(one.tokens for one in several) for several in references], dtype=np.float64)
    return np.where(n > 0, np.exp(scores / np.maximum(2.0 * n - 1.0, 1.0)), empty)


class _Numbers:
    """Numbers for the words and tags of a model's trees."""

    def __init__(self, analyses: Sequence[Analysis], base: Base | None, lowercase: bool) -> None:
        self._lowercase = lowercase
        self.words = {} if base is None else dict(base.words)
        self.tags = {} if base is None else dict(base.tags)
        for analysis in analyses:
            for known, strings in zip(
                (self.words, self.tags), _words_and_tags(analysis, lowercase), strict=True
            ):
                for string in strings:
                    known.setdefault(string, len(known) + _UNKNOWN + 1)
        for what, known, bits in (("words", self.words, 18), ("tags", self.tags, 10)):
            if len(known) + _UNKNOWN >= 1 << bits:
                raise PfsmError(f"metric dpm-model: a model has at most {(1 << bits) - 2} different {what}")

    def line(self, analysis: Analysis) -> list[list[int]]:
        """Words and tags of a line, `_UNKNOWN` where the model's trees lack them."""
        tokens, tags = _words_and_tags(analysis, self._lowercase)
        return [
            [self.words.get(token, _UNKNOWN) for token in tokens],
            [self.tags.get(tag, _UNKNOWN) for tag in tags],
        ]

    def tree(self, analysis: Analysis) -> list[list[int]]:
        """Words, tags and heads of a line of the model."""
        if analysis.is_failed:
            raise PfsmError("metric dpm-model: the parser gives no dependency trees; choose one that does")
        heads = projective_heads(dependency_tree(analysis).heads) if analysis.tokens else []
        return [*self.line(analysis), heads]


def _words_and_tags(analysis: Analysis, lowercase: bool) -> tuple[Sequence[str], Sequence[str]]:
    tags = analysis.xpos or analysis.upos
    if len(tags) != len(analysis.tokens):
        raise PfsmError("metric dpm-model: the parser gives no tags; choose one that does")
    return [token.lower() for token in analysis.tokens] if lowercase else analysis.tokens, tags


def _together(lines: Sequence[Sequence[Sequence[int]]], n_rows: int) -> tuple[Int64, Int64]:
    """Rows of all lines side by side, int64 [n_rows, words], and where each line begins."""
    arrays = [np.array(line, dtype=np.int64).reshape(n_rows, -1) for line in lines]
    offsets = np.cumsum([0, *(array.shape[1] for array in arrays)]).astype(np.int64)
    return np.concatenate([np.zeros((n_rows, 0), np.int64), *arrays], axis=1), offsets
