"""Scores of parsing models: from analyses to what `pfsm_kernels.syntax.shift_reduce` takes, and back.

A model is made of the trees of one or more references and, if there is one, of a base: trees that all models have in
common. Words and tags have numbers: first those of the base, then those that the references add, in the order they
come. So sums are taken in the same order whatever else is scored.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.sentence import Analysis
from pfsm.errors import PfsmError
from pfsm.metrics.dpmf.options import LEGAL, SET, ParsingOptions
from pfsm.metrics.dpmf.projective import projective_heads
from pfsm.metrics.dpmf.templates import template_table
from pfsm.metrics.syntax.layers import dependency_tree

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
