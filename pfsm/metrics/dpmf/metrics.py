"""DPM (Yu et al. 2015): how probable, per action, a parsing model of the reference finds the hypothesis.

The reference's dependency tree gives one derivation of 2n - 1 actions; a maximum-entropy classifier is trained on it
alone (`pfsm_kernels.syntax.shift_reduce`), a beam search finds the hypothesis's likeliest derivation under it, and

    DPM = exp(sum of its log-probabilities / (2n - 1)),    n words of the hypothesis                               (7)

which is from 0 to 1. An empty hypothesis has 0, but 1 if the reference is empty too.

The paper tried two more ways to train (section 3.1): on all reference trees of the test set, and on a background corpus
and the reference's tree; in both that tree has a higher weight. A third is to train on all references of a segment.

DPMF (Yu et al. 2015): DPM for syntax times a unigram F-score for words, equations (8) to (11).

The F-score is METEOR's own: words matched by its aligner, exact, stem, synonym and paraphrase matches weighted 1, .6,
.8 and .6, content and function words .75 and .25, alpha .85 (the paper's table 5, METEOR's parameters for ranking
English). The denominators of (9) and (10) as printed give content words the weight of function words; a sentence equal
to its reference would not have precision 1. They are taken as METEOR has them: each word with its own weight.
"""

from collections.abc import Callable, Mapping, Sequence
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
from pfsm.metrics.base import ALL_AT_ONCE, SegmentMetric
from pfsm.metrics.dpmf.models import (
    REFERENCES,
    SET,
    Base,
    ParsingOptions,
    check_options,
    dpm_scores,
    make_base,
    scores_together,
)
from pfsm.metrics.inputs import PairScorer, best_of_references
from pfsm.metrics.meteor.metric import MeteorMetric
from pfsm.metrics.meteor.options import BASE, METEOR, PARTS
from pfsm.metrics.meteor.options import check_options as meteor_options
from pfsm.metrics.metric_group import MetricGroup, with_options
from pfsm.metrics.syntax.layers import has_tags, has_tree

DPM = "dpm-model"
# With METEOR's paraphrases and word lists; with what ships.
DPMF, DPMF_BASE = "dpmf", "dpmf-base"

Float = NDArray[np.float64]
_WANTED = Wanted()


class DpmMetric(AnalysedMetric):
    """DPM: the metric ``dpm-model``.

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
        """The settings, the background and the parser."""
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
        """Refuses models of all references that are scored together."""
        if not self.is_independent:
            raise PfsmError(
                f"{self.name}: with training=set models are trained on all references that are scored together, but "
                f"they are scored in parts here; {ALL_AT_ONCE}"
            )

    def ready_for(self, references: Sequence[str], wanted: Wanted) -> Self:
        """The metric with the base that it needs for these references."""
        base = _learned(self._options, references, wanted)
        if base is None:
            return self
        trained = copy(self)
        vars(trained).update(_compute=partial(_scores, self._options, base))
        return trained

    def _best_of(
        self,
        scorer: Callable[[Any], PairScorer],
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
    ) -> Float:
        # A set is that of all references of all segments.
        return best_of_references(scorer(self), hypotheses, references)


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


_METEORS = {DPMF: METEOR, DPMF_BASE: BASE}
_F = 1 + PARTS.index("f")


class DpmfMetric(SegmentMetric):
    """DPMF. Several references: the best one of each segment counts; the paper has one.

    Several references: the best one counts. With ``training=references`` DPM is by one model of all references of the
    segment, and F that of the best reference.

    Args:
        name: ``dpmf``: with METEOR's paraphrases and word lists, which the extra ``paraphrases`` brings.
            ``dpmf-base``: with what ships with pfsm.
        options: As of ``dpm-model``.

    Raises:
        PfsmError: If an option is unknown or has no such value; at the first use, if something that is needed is not
            installed.
    """

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        self.name = name
        self._parsing = DpmMetric(name, options)
        self.is_additive = self._parsing.is_additive
        self.segment_references = self._parsing.segment_references
        self._words = MeteorMetric(_METEORS[name], meteor_options(_METEORS[name], {"language": "en"}))

    def entries(self) -> Mapping[str, str]:
        """Those of both factors."""
        return {**self._parsing.entries(), **self._words.entries()}

    @property
    def is_independent(self) -> bool:
        """That of DPM."""
        return self._parsing.is_independent

    def check_independent(self) -> None:
        """As DPM does."""
        self._parsing.check_independent()

    @property
    def resources(self) -> tuple[str, ...]:
        """The parser, and METEOR's tables."""
        return (*self._parsing.resources, *self._words.resources)

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs], from 0 to 1."""
        return self._parsing.score_pairs(hypotheses, references) * self._f(hypotheses, references)

    def understood_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs]; NaN where the parser had nothing to say about one of the lines."""
        return self._parsing.understood_scores(hypotheses, references) * self._f(hypotheses, references)

    def tolerant_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs]; 0 where the parse of a line failed."""
        return self._parsing.tolerant_scores(hypotheses, references) * self._f(hypotheses, references)

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """As `SegmentMetric.several_references`."""
        if not self._parsing.uses_references_together:
            return best_of_references(self.score_pairs, hypotheses, references)
        syntax = self._parsing.several_references(hypotheses, references)
        return syntax * best_of_references(self._f, hypotheses, references)

    def judged_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, tolerant: bool
    ) -> Float:
        """As `SegmentMetric.judged_segments`."""
        if self._parsing.uses_references_together:
            syntax = self._parsing.judged_segments(hypotheses, references, tolerant=tolerant)
            return syntax * best_of_references(self._f, hypotheses, references)
        if tolerant:
            return best_of_references(self.tolerant_scores, hypotheses, references)
        return super().judged_segments(hypotheses, references, tolerant=False)

    def _f(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return self._words.parts(hypotheses, references)[:, _F]


GROUPS = (
    MetricGroup(
        {
            DPM: "DPM: a parsing model of the reference alone derives the hypothesis (English)",
            DPMF: "DPMF: DPM times METEOR's F (English; needs the extra paraphrases)",
            DPMF_BASE: "DPMF with what ships: no paraphrases, own function words (English)",
        },
        with_options(lambda name, options: (DpmMetric if name == DPM else DpmfMetric)(name, options)),
    ),
)
