"""DPM (Yu et al. 2015): how probable, per action, a parsing model of the reference finds the hypothesis.

The reference's dependency tree gives one derivation of 2n - 1 actions; a maximum-entropy classifier is trained on it
alone (`pfsm_kernels.syntax.shift_reduce`), a beam search finds the hypothesis's likeliest derivation under it, and

    DPM = exp(sum of its log-probabilities / (2n - 1)),    n words of the hypothesis                               (7)

which is from 0 to 1. An empty hypothesis has 0, but 1 if the reference is empty too.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.parser.parse import Wanted
from pfsm.analysis.sentence import Analysis
from pfsm.errors import PfsmError
from pfsm.metrics.analysed import AnalysedMetric
from pfsm.metrics.dpmf.options import LEGAL, ParsingOptions, check_options
from pfsm.metrics.dpmf.projective import projective_heads
from pfsm.metrics.dpmf.templates import template_table
from pfsm.metrics.syntax.layers import dependency_tree, has_tags, has_tree

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
DPM = "dpm-model"
# What the kernel calls a word or tag that the reference lacks.
_UNKNOWN = 1


def dpm_metric(name: str, options: Mapping[str, Any]) -> AnalysedMetric:
    """The metric ``dpm-model``. Several references: the best one of each segment counts; the paper has one.

    Args:
        name: What scores are reported under.
        options: As `check_options` takes them.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    checked = check_options(name, options)

    def compute(hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        return dpm_scores(hypotheses, references, checked)[:, np.newaxis]

    # A hypothesis needs no tree: the model of the reference makes its own.
    return AnalysedMetric(
        name,
        checked.entries,
        checked.parser,
        Wanted(),
        compute,
        _is_learnable,
        understood_hypothesis=has_tags,
    )


def _is_learnable(analysis: Analysis) -> bool:
    return has_tree(analysis) and has_tags(analysis)


def dpm_scores(
    hypotheses: Sequence[Analysis], references: Sequence[Analysis], options: ParsingOptions
) -> Float:
    """DPM of analysed pairs, float64 [n_pairs]; a reference that is the same object in several pairs is learned once.

    Raises:
        PfsmError: If an analysis lacks tags, or that of a reference a tree.
    """
    from pfsm_kernels.syntax.shift_reduce import parsing_scores  # noqa: PLC0415 - brings numba

    # The kernel wants all hypotheses of a reference together.
    rank: dict[int, int] = {}
    of_pair = np.array([rank.setdefault(id(one), len(rank)) for one in references], dtype=np.int64)
    order = np.argsort(of_pair, kind="stable")
    distinct = list({id(one): one for one in references}.values())
    known = [_Reference(one, options.lowercase) for one in distinct]
    lines = [known[of_pair[pair]].numbers(hypotheses[pair]) for pair in order.tolist()]
    sums = parsing_scores(
        *_together([one.tree for one in known], 3),
        *_together(lines, 2),
        np.searchsorted(of_pair[order], np.arange(len(distinct) + 1)).astype(np.int64),
        template_table(options.features),
        options.penalty,
        options.beam,
        options.actions == LEGAL,
    )
    scores = np.empty(order.size)
    scores[order] = sums
    n = np.array([len(one.tokens) for one in hypotheses], dtype=np.float64)
    empty = np.array([not one.tokens for one in references], dtype=np.float64)
    return np.where(n > 0, np.exp(scores / np.maximum(2.0 * n - 1.0, 1.0)), empty)


class _Reference:
    """Numbers for the words and tags of a reference, in the order they come, and its tree in these.

    Each reference has its own numbers, so that sums are taken in the same order whatever else is scored.
    """

    def __init__(self, analysis: Analysis, lowercase: bool) -> None:
        self._lowercase = lowercase
        tokens, tags = _words_and_tags(analysis, lowercase)
        if analysis.is_failed:
            raise PfsmError("metric dpm-model: the parser gives no dependency trees; choose one that does")
        self._words, self._tags = _numbered(tokens), _numbered(tags)
        heads = projective_heads(dependency_tree(analysis).heads) if tokens else []
        self.tree: list[list[int]] = [*self.numbers(analysis), heads]

    def numbers(self, analysis: Analysis) -> list[list[int]]:
        """Words and tags of a line, `_UNKNOWN` where the reference lacks them."""
        tokens, tags = _words_and_tags(analysis, self._lowercase)
        return [
            [self._words.get(token, _UNKNOWN) for token in tokens],
            [self._tags.get(tag, _UNKNOWN) for tag in tags],
        ]


def _words_and_tags(analysis: Analysis, lowercase: bool) -> tuple[Sequence[str], Sequence[str]]:
    tags = analysis.xpos or analysis.upos
    if len(tags) != len(analysis.tokens):
        raise PfsmError("metric dpm-model: the parser gives no tags; choose one that does")
    return [token.lower() for token in analysis.tokens] if lowercase else analysis.tokens, tags


def _numbered(strings: Sequence[str]) -> dict[str, int]:
    return {string: number for number, string in enumerate(dict.fromkeys(strings), _UNKNOWN + 1)}


def _together(lines: Sequence[Sequence[Sequence[int]]], n_rows: int) -> tuple[Int64, Int64]:
    """Rows of all lines side by side, int64 [n_rows, words], and where each line begins."""
    arrays = [np.array(line, dtype=np.int64).reshape(n_rows, -1) for line in lines]
    offsets = np.cumsum([0, *(array.shape[1] for array in arrays)]).astype(np.int64)
    return np.concatenate([np.zeros((n_rows, 0), np.int64), *arrays], axis=1), offsets
