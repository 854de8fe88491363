"""What a metric defines.

A metric derives from `pfsm.metrics.base.SegmentMetric`. It defines `score_pairs`, and where it has something to say
`entries`, `pair_statistics`, `corpus_from_totals`, `understood_scores` and `named_parts`; all else is derived from
these six::

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

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from pfsm.arrays import Float

UseOfReferences = Literal["best", "mean", "all"]


class MetricContract(ABC):
    """What a metric defines: one method, and where it has something to say five more.

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
        columns: Columns of the data that scores depend on besides the text; `score_segments` takes them.
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

    def entries(self) -> Mapping[str, str]:
        """Settings and resources that can change a score, in the order in which a signature gives them.

        Raises:
            PfsmError: If something that the metric needs is not installed.
        """
        return {}

    def pair_statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """What a corpus score adds up, of single-reference pairs, float64 [n_pairs, k].

        Raises:
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        return np.column_stack([self.score_pairs(hypotheses, references), np.ones(len(hypotheses))])

    def corpus_from_totals(self, totals: Float) -> Float:
        """Corpus scores from sums of statistics: float64 [..., k] to float64 [...]."""
        return np.asarray(totals[..., 0] / totals[..., 1])

    def understood_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """`score_pairs` with NaN for pairs that the metric cannot judge, such as lines without a parse."""
        return self.score_pairs(hypotheses, references)

    def named_parts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Mapping[str, Float]:  # noqa: ARG002
        """What the scores of pairs are made of, by name, float64 [n_pairs] each; `pfsm explain --metric` prints it.

        Optional: a metric without parts has none. Those of metrics that come with pfsm are features of models too, see
        `pfsm.metrics.registry.metric_parts`.
        """
        return {}
