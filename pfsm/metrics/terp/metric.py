"""TERp (Snover et al. 2009): edits of each kind over the words of the reference, times what they cost.

    score = -100 sum over kinds of cost * edits / words of the reference

With an empty reference the words of the hypothesis take the place of the reference's. The score of a corpus is the
cost of all edits over all words of the references, in percent: positive, lower is better.

The features of Kahn, Snover and Ostendorf (2009, section 6.1) are sets T, P and B of either TERp, and errors of
dependency pairs, sets E and N. Of a decomposition of both lines into pieces, over the number of pieces of the
reference: the pieces of the hypothesis that are not correct (``extra``), and those of the reference that are not
there (``missing``). E has them of ``dl``, ``lh``, ``dlh`` and ``dh``, expected over the 50 likeliest trees with gamma
= .25; N of ``1g`` and ``2g``.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.metrics.analysed import PrecisionRecallMetric
from pfsm.metrics.inputs import Streams, by_segment, check_pairs, check_streams, score_distinct
from pfsm.metrics.metric_group import MetricGroup, MetricWithComponents, PairFeatures, group_with_parts
from pfsm.metrics.names import parse_name
from pfsm.metrics.sacre_counts import fewest_edits, rates_of_totals
from pfsm.metrics.syntax.tree_metrics import EDPM, pair_metric
from pfsm.metrics.terp.matching import Matches, finder
from pfsm.metrics.terp.options import BASE, KINDS, NO_EDITS, TERP, check_options, cost_vector

Float = NDArray[np.float64]
PAIRS_PER_BATCH, CELLS_PER_BATCH = 4096, 2**22
# Sets T and P, then B: words of the hypothesis beyond the reference's number, and of the reference beyond its.
PARTS = (*KINDS, "longer", "shorter")


class TerpMetric(MetricWithComponents):
    """TERp in percent: of segments negated, 0 is best; of corpora positive. Its parts are `PARTS`.

    Several references: the cheapest edits over the mean length of all references, as TER has it.

    Args:
        name: ``terp``: with METEOR's paraphrases, which the extra ``paraphrases`` brings. ``terp-base``: with
            what ships with pfsm.
        options: As `check_options` takes them.

    Raises:
        PfsmError: If an option is unknown or has no such value; at the first use, if a table is not there.
    """

    lower_is_better = True
    segment_references = "all"
    most_words = 8_000
    corpus_references = "all"

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        self.name = name
        self.options = check_options(name, options)
        others = ",".join(f"{key}={value}" for key, value in options.items() if key not in (*KINDS, "costs"))
        self._bare = f"{name}({others})" if others else name

    @property
    def name_without_costs(self) -> str:
        """The metric with those of its options in parentheses that are not costs, as far as they are given."""
        return self._bare

    def entries(self) -> Mapping[str, str]:
        """Options and tables."""
        resources = self.options.resources
        return {
            "sign": "negative",
            "case": "lc",
            "tok": resources.tokeniser,
            "edits": "+".join(resources.edits) or NO_EDITS,
            **finder(resources).labels,
            "costs": "/".join(f"{self.options.costs[kind]:g}" for kind in KINDS),
        }

    @property
    def resources(self) -> tuple[str, ...]:
        """Tables."""
        labels = finder(self.options.resources).labels
        return tuple(labels[key] for key in ("syn", "para") if key in labels)

    def pair_statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Cost of the edits, and words of the reference: float64 [n_pairs, 2]."""
        check_pairs(hypotheses, references)
        return score_distinct(self._costs, hypotheses, references)

    def segment_statistics(self, hypotheses: Sequence[str], references: Streams) -> Float:
        """Least cost of the edits, and mean length of the references: float64 [n_segments, 2]."""
        check_streams(hypotheses, references)
        return fewest_edits(self.pair_statistics, hypotheses, by_segment(references))

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Scores of segments, float64 [n_segments]; where no reference has a word those of single pairs."""
        costs, words = fewest_edits(self.pair_statistics, hypotheses, references).T
        scores = -100.0 * (costs / np.where(words > 0.0, words, 1.0)) + 0.0
        empty = np.flatnonzero(words <= 0.0).tolist()
        scores[empty] = self.score_pairs([hypotheses[k] for k in empty], [references[k][0] for k in empty])
        return np.asarray(scores)

    def corpus_from_totals(self, totals: Float) -> Float:
        """Cost of all edits over all words of the references, in percent."""
        return rates_of_totals(totals)

    def find(self, hypotheses: Sequence[str], references: Sequence[str]) -> Matches:
        """What joins the words of pairs, to be aligned by various costs."""
        found = finder(self.options.resources)
        with found.lock:
            return found.find(hypotheses, references)

    def _costs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        costs = cost_vector(self.options.costs)
        rows = [
            np.column_stack([matches.count(costs) @ costs, matches.lengths[:, 0]])
            for matches in self._batches(hypotheses, references)
        ]
        return np.concatenate([np.empty((0, 2)), *rows])

    def _batches(self, hypotheses: Sequence[str], references: Sequence[str]) -> Iterator[Matches]:
        """Pairs, in their order, as many at once as the memory for what may join their words allows."""
        if not hypotheses:
            return
        words = np.array([[line.count(" ") + 1 for line in side] for side in (hypotheses, references)])
        batch = np.cumsum(words.prod(axis=0) + CELLS_PER_BATCH // PAIRS_PER_BATCH) // CELLS_PER_BATCH
        first = 0
        for end in [*(np.flatnonzero(np.diff(batch)) + 1).tolist(), len(hypotheses)]:
            yield self.find(hypotheses[first:end], references[first:end])
            first = end

    def _rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        costs = cost_vector(self.options.costs)
        rows = [np.empty((0, 1 + len(PARTS)))]
        for matches in self._batches(hypotheses, references):
            counts = matches.count(costs)
            # Edits are added up before they are divided, as TER has it; + 0.0: no -0.0.
            scores = -100.0 * (counts @ costs / normaliser(matches)) + 0.0
            rows.append(np.column_stack([scores, features(matches, counts)]))
        return np.concatenate(rows)


def normaliser(matches: Matches) -> Float:
    """Words of the references, where there are none those of the hypotheses, and at least 1: float64 [n_pairs]."""
    ours, theirs = matches.lengths.T
    return np.asarray(np.maximum(np.where(ours > 0, ours, theirs), 1.0))


def features(matches: Matches, counts: Float) -> Float:
    """The features `PARTS` of aligned pairs, float64 [n_pairs, n_parts].

    Args:
        matches: The pairs.
        counts: As `Matches.count` gives them.
    """
    ours, theirs = matches.lengths.T
    beyond = np.maximum(np.column_stack([theirs - ours, ours - theirs]), 0.0)
    return np.asarray(np.column_stack([counts, beyond]) / normaliser(matches)[:, np.newaxis])


NAME = "edpm-errors"
SYNTACTIC, SEQUENTIAL = ("dl", "lh", "dlh", "dh"), ("1g", "2g")
SIDES = ("extra", "missing")


def feature_set(decompositions: Sequence[str], options: str = "") -> tuple[str, ...]:
    """Names of the features of some decompositions, with options in parentheses if wanted."""
    return tuple(f"{NAME}.{part}.{side}{options}" for part in decompositions for side in SIDES)


E, N = feature_set(SYNTACTIC), feature_set(SEQUENTIAL)


def prepared_errors(name: str) -> PairFeatures:
    """What computes all features of E and N, float64 [n_pairs] each, with the options of the one that is named.

    It raises `PfsmError` if the parser cannot be loaded, `ValueError` if the lists differ in length.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    metric = error_metric(name)
    _, parenthesis, options = name.partition("(")
    names = feature_set((*SYNTACTIC, *SEQUENTIAL), parenthesis + options)

    def values(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
        shared, ours, theirs = np.moveaxis(metric.counts(hypotheses, references), 2, 0)
        pieces = np.maximum(theirs, 1.0)
        rates = np.stack([(ours - shared) / pieces, (theirs - shared) / pieces], axis=2)
        return dict(zip(names, rates.reshape(len(rates), -1).T, strict=True))

    return values


def error_label(name: str) -> str:
    """The feature with what decides its values: the trees it is expected over, and the parser."""
    return f"{name}({','.join(error_metric(name).signature.split('|')[1:-1])})"


def error_metric(name: str) -> PrecisionRecallMetric:
    """The metric whose counts the features come from, with the options in the name of one of them.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    options = parse_name(name).options
    if "parts" in options:
        raise PfsmError(f"feature {name}: its name says which part it is; leave out the option parts")
    return pair_metric(EDPM, {"parts": "+".join((*SYNTACTIC, *SEQUENTIAL)), **options})


GROUPS = (
    group_with_parts(
        TERP,
        "TERp: TER with stems, synonyms, paraphrases and costs (English; needs the extra paraphrases)",
        TerpMetric,
        PARTS,
    ),
    group_with_parts(BASE, "TERp with what ships: few paraphrases (English)", TerpMetric, PARTS),
    MetricGroup(
        parts={NAME: (*E, *N)},
        prepared=prepared_errors,
        check_part=error_metric,
        label=error_label,
        about={NAME: "dependencies and words that are wrong or missing"},
    ),
)
