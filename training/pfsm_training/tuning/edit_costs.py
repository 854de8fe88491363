"""Costs of edits, tuned with the alignments that they lead to, until neither changes (Snover et al. 2009).

Costs decide which alignment is the best one, and the edits that this counts decide which costs are the best ones. So
the two are found in turn. A match costs nothing: of all kinds of edits that take a word of the reference one may be
free, for the others can be counted from there. No edit of a single word, no shift and no phrase costs less than
nothing; what a phrase's edits and probability add to its cost may have any sign, and so may the weights of further
features. Costs are in units of the mean of insertion, deletion and substitution.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments
from pfsm.data.reference_digests import digests
from pfsm.errors import PfsmError
from pfsm.evaluation.bootstrap import default_seed
from pfsm.features.values import check_feature, feature_values, with_checksum
from pfsm.lattice.names import sentence_feature
from pfsm.metrics.registry import expanded
from pfsm.metrics.terp.costs import KINDS, T, cost_vector
from pfsm.metrics.terp.metric import TerpMetric, features
from pfsm.model.file import Model, Scale
from pfsm.model.settings import Settings
from pfsm.version import __version__
from pfsm_training.tuning.hill_climbing import climb
from pfsm_training.tuning.target import Target

Float = NDArray[np.float64]
MOST_ROUNDS = 20
RESTARTS = 10
# In units of the costs: what hardly occurs could cost anything.
LARGEST = 10.0
# A round that moves the correlation by less has changed nothing.
SETTLED = 1e-4
_UNIT = ("insertion", "deletion", "substitution")
_FREE = KINDS[1:]


@dataclass(frozen=True)
class TunedCosts:
    """What tuning came to.

    Attributes:
        metric: ``terp`` or ``terp-base``, with options that are no costs in parentheses.
        costs: Cost of every kind of edit.
        features: Weights of the further features, in the units of the costs.
        correlation: With people, on the data that it was tuned on.
        before: The same with the costs that it began with.
        rounds: How often alignments and costs were found in turn.
        stable: Whether the last round changed no alignment, or the correlation by less than `SETTLED`.
    """

    metric: str
    costs: Mapping[str, float]
    features: Mapping[str, float]
    correlation: float
    before: float
    rounds: int
    stable: bool

    @property
    def options(self) -> str:
        """The costs as they stand in the name of the metric."""
        given = [f"{kind}={cost:g}" for kind, cost in self.costs.items()]
        inside = self.metric.partition("(")[2].rstrip(")")
        return f"({','.join([*filter(None, [inside]), *given])})"

    @property
    def name(self) -> str:
        """The metric with these costs, as ``--metric`` and configurations take it; without the further features."""
        return f"{self.metric.partition('(')[0]}{self.options}"

    def model(self, judgments: Judgments, name: str, licence: str) -> Model:
        """A model of these costs and features, whose scores are minus the tuned edit rate in percent.

        Args:
            judgments: What it was tuned on, for its record.
            name: What scores are reported under.
            licence: Terms of the model.
        """
        base = self.metric.partition("(")[0]
        weights = {f"{base}.{kind}{self.options}": cost for kind, cost in self.costs.items() if cost}
        weights |= self.features
        return Model(
            name,
            Settings(features=dict.fromkeys(weights, (0.0, 1.0)), edits=False),
            {sentence_feature(feature): -weight for feature, weight in weights.items()},
            scale=Scale(
                0.0, 100.0, "Minus the tuned edit rate in percent of the reference's words; 0 is best."
            ),
            training={
                "data": [
                    {"name": source.name, "rows": source.rows, "sha256": source.checksum}
                    for source in judgments.sources
                ],
                "judgments": len(judgments),
                "reference_digests": digests(judgments.references),
                "objective": "length-weighted, mean-removed Pearson",
                "solver": "hill climbing",
                "converged": self.stable,
                "pearson": self.correlation,
                "versions": {"pfsm": __version__, "numpy": version("numpy")},
            },
            licence=licence,
        )


def tune_costs(
    metric: TerpMetric,
    judgments: Judgments,
    further: Sequence[str] = (),
    *,
    restarts: int = RESTARTS,
    seed: int | None = None,
) -> TunedCosts:
    """Costs, and weights of further features, that agree best with people.

    Args:
        metric: Its costs are where tuning begins; its tables and words stay.
        judgments: Higher scores are better.
        further: Sentence-level features of errors or of anything else; ``bleu.*`` stands for all parts of BLEU.
        restarts: Climbs from weights at random, beside those from the costs so far.
        seed: Of these; that of ``PFSM_SEED`` where it is None.

    Raises:
        PfsmError: If there is nothing to tune for, or nothing to tune; a table is not there, or a feature unknown.
    """
    judgments, further = judgments.sorted(), _features(further)
    problem = _Problem(metric, judgments, further)
    random = np.random.default_rng(default_seed() if seed is None else seed)
    costs, weights = cost_vector(metric.options.costs), np.zeros(len(further))
    counts = problem.count(costs)
    if not problem.can_differ(counts):
        raise PfsmError(
            "the translations that are compared all have the same edits and features, there is nothing to tune"
        )
    before = problem.correlation(counts, costs, weights)
    best, reached, rounds, stable = (before, costs, weights), before, 0, False
    while rounds < MOST_ROUNDS and not stable:
        costs, weights = problem.tuned(counts, costs, weights, restarts, random)
        again = problem.count(costs)
        last, reached = reached, problem.correlation(again, costs, weights)
        stable = bool((again == counts).all()) or abs(reached - last) < SETTLED
        rounds, counts = rounds + 1, again
        if reached > best[0]:
            best = reached, costs, weights
    correlation, costs, weights = best
    return TunedCosts(
        problem.name,
        dict(zip(KINDS, costs.tolist(), strict=True)),
        dict(zip(further, weights.tolist(), strict=True)),
        correlation,
        before,
        rounds,
        stable,
    )


def _features(names: Sequence[str]) -> tuple[str, ...]:
    """Names as a model keeps them."""
    every = [one for name in names for one in expanded(name)]
    for name in every:
        check_feature(name)
    pinned = tuple(map(with_checksum, every))
    if len(set(pinned)) < len(pinned):
        raise PfsmError("--features names one of them twice")
    return pinned


class _Problem:
    """Judgments with what is needed to align and to tune."""

    def __init__(self, metric: TerpMetric, judgments: Judgments, further: Sequence[str]) -> None:
        self._target = Target.of(judgments)
        self._matches = metric.find(judgments.hypotheses, judgments.references)
        self._further = feature_values(further, judgments.hypotheses, judgments.references)
        self.name = metric.name_without_costs
        bounded = [kind in T or kind == "paraphrase" for kind in _FREE]
        self._lowest = np.where([*bounded, *[False] * len(further)], 0.0, -np.inf)

    def count(self, costs: Float) -> Float:
        """Edits of the alignments that are best by these costs, float64 [n_pairs, n_kinds]."""
        return self._matches.count(costs)

    def can_differ(self, counts: Float) -> bool:
        """Whether any kind of edit, or feature, tells translations apart that people could tell apart."""
        return bool(self._target.moments(self._columns(counts)).features.any())

    def correlation(self, counts: Float, costs: Float, weights: Float) -> float:
        """With people, of the sum of both."""
        moments = self._target.moments(-self._columns(counts))
        return moments.correlation(np.concatenate([costs, weights]))

    def _columns(self, counts: Float) -> Float:
        return np.concatenate([self._edits(counts), self._further], axis=1)

    def tuned(
        self, counts: Float, costs: Float, weights: Float, restarts: int, random: np.random.Generator
    ) -> tuple[Float, Float]:
        """The best costs and weights for these alignments."""
        columns = np.concatenate([self._edits(counts)[:, 1:], self._further], axis=1)
        start = np.concatenate([costs[1:], weights])
        found, _ = climb(self._target.moments(-columns), start, self._lowest, restarts, random)
        unit = found[[_FREE.index(kind) for kind in _UNIT]].mean()
        if unit > 0.0:
            found = found / unit
        # Four digits are what a name shows, and more than the data tell.
        rounded = np.array([float(f"{value:.4g}") for value in found.tolist()])
        size = len(_FREE)
        return np.concatenate([[0.0], np.clip(rounded[:size], -LARGEST, LARGEST)]), rounded[size:]

    def _edits(self, counts: Float) -> Float:
        return features(self._matches, counts)[:, : len(KINDS)]
