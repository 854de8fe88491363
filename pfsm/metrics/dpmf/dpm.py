"""DPM (Yu et al. 2015): how probable, per action, a parsing model of the reference finds the hypothesis.

The reference's dependency tree gives one derivation of 2n - 1 actions; a maximum-entropy classifier is trained on it
alone (`pfsm_kernels.syntax.shift_reduce`), a beam search finds the hypothesis's likeliest derivation under it, and

    DPM = exp(sum of its log-probabilities / (2n - 1)),    n words of the hypothesis                               (7)

which is from 0 to 1. An empty hypothesis has 0, but 1 if the reference is empty too.

The paper tried two more ways to train (section 3.1): on all reference trees of the test set, and on a background corpus
and the reference's tree; in both that tree has a higher weight. A third is to train on all references of a segment.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.programs import parsed_text
from pfsm.analysis.sentence import Analysis
from pfsm.analysis.service import analyse_lines
from pfsm.analysis.wanted import Wanted
from pfsm.errors import PfsmError
from pfsm.io.files import content_checksum, decode, read_bytes, split_lines
from pfsm.io.named_resources import find, parted
from pfsm.metrics.analysed import BATCH, AnalysedMetric
from pfsm.metrics.base import ALL_AT_ONCE
from pfsm.metrics.dpmf.models import Base, dpm_scores, make_base, scores_together
from pfsm.metrics.dpmf.options import REFERENCES, SET, ParsingOptions, check_options
from pfsm.metrics.references import best_of_references
from pfsm.metrics.syntax.layers import has_tags, has_tree

Float = NDArray[np.float64]
_WANTED = Wanted()


class DpmMetric(AnalysedMetric):
    """DPM.

    Several references: the best one counts. With ``training=references`` one model is trained on all references of the
    segment together; with ``training=set`` each model is trained on all references of all segments, and the best one of
    the segment, which has the higher weight, counts.

    Args:
        name: What scores are reported under.
        options: As `check_options` takes them.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        self._options = check_options(name, options)
        # A hypothesis needs no tree: the model of the reference makes its own.
        super().__init__(
            name,
            self._options.entries,
            self._options.parser,
            _WANTED,
            partial(_scores, self._options, None),
            _is_learnable,
            understood_hypothesis=has_tags,
            together=partial(_scores_together, self._options) if self.uses_references_together else None,
        )
        self.is_additive = self._options.training != SET

    def entries(self) -> Mapping[str, str]:
        """The settings, the background and the parser.

        Raises:
            PfsmError: If the file of the background cannot be read.
        """
        path = self._options.background
        return {**super().entries(), **({"background": _background(path)[0]} if path else {})}

    @property
    def uses_references_together(self) -> bool:
        """Whether the model of a segment is trained on all its references."""
        return self._options.training == REFERENCES

    @property
    def is_independent(self) -> bool:
        """Whether models do not depend on the references of other pairs."""
        return self._options.training != SET

    def check_independent(self) -> None:
        """Refuses models of all references that are scored together.

        Raises:
            PfsmError: If there are such.
        """
        if not self.is_independent:
            raise PfsmError(
                f"{self.name}: with training=set models are trained on all references that are scored together, but "
                f"they are scored in parts here; {ALL_AT_ONCE}"
            )

    def _trained(self, references: Sequence[str], wanted: Wanted) -> Self:
        """The metric with the base that it needs for these references."""
        base = _learned(self._options, references, wanted)
        if base is None:
            return self
        trained = copy(self)
        vars(trained).update(_compute=partial(_scores, self._options, base))
        return trained

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """See `AnalysedMetric`."""
        return super(DpmMetric, self._trained(references, _WANTED)).score_pairs(hypotheses, references)

    def understood_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """See `AnalysedMetric`."""
        trained = self._trained(references, _WANTED.with_gaps())
        return super(DpmMetric, trained).understood_scores(hypotheses, references)

    def tolerant_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """See `AnalysedMetric`."""
        trained = self._trained(references, _WANTED.with_gaps())
        return super(DpmMetric, trained).tolerant_scores(hypotheses, references)

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """As `SegmentMetric.several_references`; a set is that of all references of all segments."""
        if self.is_independent:
            return super().several_references(hypotheses, references)
        return best_of_references(self.score_pairs, hypotheses, references)

    def tolerant_segments(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """As `SegmentMetric.tolerant_segments`."""
        if self.is_independent:
            return super().tolerant_segments(hypotheses, references)
        return best_of_references(self.tolerant_scores, hypotheses, references)


def dpm_metric(name: str, options: Mapping[str, Any]) -> DpmMetric:
    """The metric ``dpm-model``.

    Args:
        name: What scores are reported under.
        options: As `check_options` takes them.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    return DpmMetric(name, options)


def _is_learnable(analysis: Analysis) -> bool:
    return has_tree(analysis) and has_tags(analysis)


def _scores(
    options: ParsingOptions, base: Base | None, hypotheses: Sequence[Analysis], references: Sequence[Analysis]
) -> Float:
    return dpm_scores(hypotheses, references, options, base)[:, np.newaxis]


def _scores_together(
    options: ParsingOptions, hypotheses: Sequence[Analysis], references: Sequence[Sequence[Analysis]]
) -> Float:
    base = _background_base(options) if options.background else None
    return scores_together(hypotheses, references, options, base)[:, np.newaxis]


def _learned(options: ParsingOptions, references: Sequence[str], wanted: Wanted) -> Base | None:
    """The base: the background first, then the references of a set, in the order of their characters; None for none."""
    if not options.has_base:
        return None
    if options.training != SET:
        return _background_base(options)
    analyses = list(_background(options.background)[1]) if options.background else []
    lines = sorted(set(references))
    for first in range(0, len(lines), BATCH):
        analyses += analyse_lines(lines[first : first + BATCH], options.parser, wanted)
    return make_base([one for one in analyses if _is_learnable(one)], options)


def _background_base(options: ParsingOptions) -> Base:
    return _base_of(options, _background(options.background)[0])


@lru_cache(maxsize=4)
def _base_of(options: ParsingOptions, label: str) -> Base:  # noqa: ARG001 - another file under the name is read anew
    return make_base(_background(options.background)[1], options)


def _background(source: str) -> tuple[str, Sequence[Analysis]]:
    """Name and checksum of a file of parses, and its sentences that have trees.

    Args:
        source: The name of a resource, with or without its checksum, or a path.

    Raises:
        PfsmError: If the file cannot be read, has no sentence with a tree and tags, or another checksum.
    """
    name, wanted = parted(source)
    path = find(name) or source
    content = read_bytes(path)
    if wanted and find(name) and content_checksum(content)[:8] != wanted:
        raise PfsmError(f"{path}: has checksum {content_checksum(content)[:8]}, the model needs {wanted}")
    return f"{Path(path).name}@{content_checksum(content)[:8]}", _learnable(content, path)


@lru_cache(maxsize=4)
def _learnable(content: bytes, path: str) -> Sequence[Analysis]:
    analyses = [one for one in parsed_text(split_lines(decode(content, path)), path) if _is_learnable(one)]
    if not analyses:
        raise PfsmError(f"{path}: has no sentence with a tree and tags")
    return analyses
