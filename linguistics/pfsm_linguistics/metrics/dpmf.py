"""DPM (Yu et al. 2015): how probable, per action, a parsing model of the reference finds the hypothesis; and DPMF.

The reference's dependency tree gives one derivation of 2n - 1 actions; a maximum-entropy classifier is trained on it
alone (`pfsm_linguistics.kernels.syntax.shift_reduce`), a beam search finds the hypothesis's likeliest derivation under
it, and

    DPM = exp(sum of its log-probabilities / (2n - 1)),    n words of the hypothesis                               (7)

which is from 0 to 1. An empty hypothesis has 0, but 1 if the reference is empty too.

Trees become projective, with one root: the roots of a line after the first become dependents of the first. An arc is
projective if every word between its ends descends from its head; one that is not is lifted, its dependent going to the
head of its head, the shortest such arc first, until all are (the projectivisation of Nivre and Nilsson 2005, without
their labels).

The templates of features are those of Huang, Jiang and Liu (2009). s0, s1, s2 are the topmost items of the stack, q0,
q1 the next words of the queue; w is a word, t its tag, lct and rct the tags of an item's leftmost and rightmost child.

DPMF: DPM for syntax times a unigram F-score for words, equations (8) to (11). The F-score is METEOR's own: words
matched by its aligner, exact, stem, synonym and paraphrase matches weighted 1, .6, .8 and .6, content and function
words .75 and .25, alpha .85 (the paper's table 5, METEOR's parameters for ranking English). The denominators of (9) and
(10) as printed give content words the weight of function words; a sentence equal to its reference would not have
precision 1. They are taken as METEOR has them: each word with its own weight.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from pfsm.arrays import Float, Int64
from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.meteor.metric import MeteorMetric
from pfsm.metrics.meteor.options import BASE, METEOR, PARTS
from pfsm.metrics.meteor.options import check_options as meteor_options
from pfsm.metrics.metric_group import MetricGroup
from pfsm.metrics.names import read_options
from pfsm.runtime.typed import Option, Options, flag, number, one_of, whole
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.metrics.analysed import AnalysedMetric
from pfsm_linguistics.metrics.syntax.trees import PARSER, has_dependencies, has_tags, tree_of


def projective_heads(heads: Sequence[int]) -> list[int]:
    """Heads of a projective tree with one root.

    Args:
        heads: Number of each word's head, counted from 1; 0 for roots, of which there is at least one.

    Returns:
        As many heads; those of a projective tree with one root as they were.
    """
    root = next((word for word, head in enumerate(heads, 1) if head == 0), 0)
    lifted = [root if head == 0 and word != root else head for word, head in enumerate(heads, 1)]
    while True:
        crossing = [word for word, head in enumerate(lifted, 1) if not _is_projective(lifted, head, word)]
        if not crossing:
            return lifted
        word = min(crossing, key=lambda word: (abs(word - lifted[word - 1]), word))
        lifted[word - 1] = lifted[lifted[word - 1] - 1]


def _is_projective(heads: Sequence[int], head: int, word: int) -> bool:
    """Whether all words between descend from the head; the root's own arc spans nothing."""
    between = range(min(head, word) + 1, max(head, word)) if head else range(0)
    return all(_descends(heads, other, head) for other in between)


def _descends(heads: Sequence[int], word: int, ancestor: int) -> bool:
    while word not in {0, ancestor}:
        word = heads[word - 1]
    return word == ancestor


TEMPLATES = (
    *("s0w s0t", "s0w", "s1w s1t", "s1w", "q0w q0t", "q0w", "s0t", "s1t", "q0t"),
    *("s0w s1w s0t s1t", "s0w s1w s0t", "s0w s1w s1t", "s0w s0t s1t", "s1w s0t s1t", "s0w s1w"),
    *("s0t s1t", "s0t q0t", "s0t q0t q1t", "s1t s0t q0t", "s2t s1t s0t"),
    *("s1t s1lct s0t", "s1t s1rct s0t", "s1t s0t s0lct", "s1t s0t s0rct"),
    *("s0w q0t q1t", "s0w s1t q0t", "s0w s1t s1lct", "s0w s1t s1rct", "s0w s1t s0lct"),
)


def _template_table() -> Int64:
    """The templates as the kernel takes them, int64 [n_templates, 4]."""
    from pfsm_linguistics.kernels.syntax.shift_reduce import SLOTS  # noqa: PLC0415 - brings numba

    rows = []
    for template in TEMPLATES:
        slots = template.split()
        words = [slot for slot in slots if slot.endswith("w")]
        tags = [slot for slot in slots if not slot.endswith("w")]
        # A third tag takes a word's place, which is wider.
        wide = [*words, *tags[2:], "", ""][:2]
        rows.append([SLOTS.index(slot) for slot in (*wide, *[*tags[:2], "", ""][:2])])
    return np.array(rows, dtype=np.int64)


LEGAL, ALL = "legal", "all"
# Probabilities are over the legal actions, or over all three; the penalty is that of the squared weights.
OPTIONS: Mapping[str, Option] = {
    **PARSER,
    "beam": whole(8, 1000),
    "penalty": number(1.0, 1e-6, 1e6, "a number from 1e-6 to 1e6"),
    "actions": one_of(LEGAL, ALL),
    "lowercase": flag(True),
}
# What the kernel calls a word or tag that the reference lacks.
_UNKNOWN = 1


def dpm_scores(
    hypotheses: Sequence[Analysis],
    references: Sequence[Analysis],
    *,
    beam: int = 8,
    penalty: float = 1.0,
    actions: str = LEGAL,
    lowercase: bool = True,
) -> Float:
    """DPM of analysed pairs, float64 [n_pairs]; a reference that is the same object in several pairs is learned once.

    Raises:
        PfsmError: If an analysis lacks tags, or that of a reference a tree.
    """
    from pfsm_linguistics.kernels.syntax.shift_reduce import parsing_scores  # noqa: PLC0415 - brings numba

    # The kernel wants all hypotheses of a model together.
    rank: dict[int, int] = {}
    of_line = np.array([rank.setdefault(id(one), len(rank)) for one in references], dtype=np.int64)
    order = np.argsort(of_line, kind="stable")
    distinct = list({id(one): one for one in references}.values())
    numbers = [_Numbers(one, lowercase) for one in distinct]
    sums = parsing_scores(
        *_together([known.tree(one) for one, known in zip(distinct, numbers, strict=True)], 3),
        *_together([numbers[of_line[k]].line(hypotheses[k]) for k in order.tolist()], 2),
        np.searchsorted(of_line[order], np.arange(len(distinct) + 1)).astype(np.int64),
        _template_table(),
        penalty,
        beam,
        actions == LEGAL,
    )
    scores = np.empty(order.size)
    scores[order] = sums
    n = np.array([len(one.tokens) for one in hypotheses], dtype=np.float64)
    empty = np.array([not one.tokens for one in references], dtype=np.float64)
    return np.where(n > 0, np.exp(scores / np.maximum(2.0 * n - 1.0, 1.0)), empty)


class _Numbers:
    """Numbers for the words and tags of a reference, in the order in which they come."""

    def __init__(self, reference: Analysis, lowercase: bool) -> None:
        self._lowercase = lowercase
        self._known: list[dict[str, int]] = []
        columns = _words_and_tags(reference, lowercase)
        for strings, what, bits in zip(columns, ("words", "tags"), (18, 10), strict=True):
            known = {string: k + _UNKNOWN + 1 for k, string in enumerate(dict.fromkeys(strings))}
            if len(known) + _UNKNOWN >= 1 << bits:
                raise PfsmError(f"metric dpm-model: a model has at most {(1 << bits) - 2} different {what}")
            self._known.append(known)

    def line(self, analysis: Analysis) -> list[list[int]]:
        """Words and tags of a line, `_UNKNOWN` where the reference lacks them."""
        columns = zip(self._known, _words_and_tags(analysis, self._lowercase), strict=True)
        return [[known.get(string, _UNKNOWN) for string in strings] for known, strings in columns]

    def tree(self, analysis: Analysis) -> list[list[int]]:
        """Words, tags and heads of the reference."""
        if analysis.is_failed:
            raise PfsmError("metric dpm-model: the parser gives no dependency trees; choose one that does")
        heads = projective_heads(tree_of(analysis).heads) if analysis.tokens else []
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


DPM = "dpm-model"
# With METEOR's paraphrases and word lists; with what ships.
DPMF, DPMF_BASE = "dpmf", "dpmf-base"
_METEORS = {DPMF: METEOR, DPMF_BASE: BASE}
_F = 1 + PARTS.index("f")


def _dpm_metric(name: str, options: Options) -> AnalysedMetric:
    """DPM: the metric ``dpm-model``. Several references: the best one counts."""
    chosen = read_options(name, options, OPTIONS)
    parser = chosen.pop("parser")

    def compute(hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        return dpm_scores(hypotheses, references, **chosen)[:, np.newaxis]

    entries = {
        "beam": str(chosen["beam"]),
        "penalty": f"{chosen['penalty']:g}",
        "features": "all",
        "actions": chosen["actions"],
        "case": "lc" if chosen["lowercase"] else "mixed",
        "training": "reference",
    }
    # A hypothesis needs no tree: the model of the reference makes its own.
    return AnalysedMetric(
        name,
        entries,
        parser,
        Wanted(),
        compute,
        lambda analysis: has_dependencies(analysis) and has_tags(analysis),
        understood_hypothesis=has_tags,
    )


class _DpmfMetric(SegmentMetric):
    """DPMF, with METEOR's paraphrases and word lists or with what ships; the best reference of each segment counts."""

    def __init__(self, name: str, options: Options) -> None:
        self.name = name
        self._parsing = _dpm_metric(name, options)
        self._words = MeteorMetric(_METEORS[name], meteor_options(_METEORS[name], {"language": "en"}))

    def entries(self) -> Mapping[str, str]:
        """Those of both factors."""
        return {**self._parsing.entries(), **self._words.entries()}

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

    def _f(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return self._words.parts(hypotheses, references)[:, _F]


GROUPS = (
    MetricGroup(
        {
            DPM: "DPM: a parsing model of the reference alone derives the hypothesis (English)",
            DPMF: "DPMF: DPM times METEOR's F (English; needs the extra paraphrases)",
            DPMF_BASE: "DPMF with what ships: no paraphrases, own function words (English)",
        },
        lambda name, options: (_dpm_metric if name == DPM else _DpmfMetric)(name, options),
    ),
)
