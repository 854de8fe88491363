"""Tunes the costs of TERp's edits together with the alignments that they lead to (Snover et al. 2009).

The costs determine the best alignment, and the edits of that alignment determine the best costs. So alignments and
costs are found in turn, until neither changes. A match costs 0: one kind of edit that takes a word of the reference may
be free, because the costs of the others can be counted from it. The costs of edits of single words, of shifts and of
phrases are 0 or more. The amounts that a phrase's edits and its probability add to its cost may have any sign, and so
may the weights of further features. The unit is the mean cost of insertion, deletion and substitution.

Of several references the one with the lowest rate of edits and features counts, as in scoring with the tuned model; it
may be another one from round to round.
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
from pfsm.features.values import check_feature, counted_features, feature_values, with_checksum
from pfsm.lattice.names import sentence_feature
from pfsm.metrics.inputs import flat_pairs
from pfsm.metrics.ngram_table import documents_of
from pfsm.metrics.registry import expanded
from pfsm.metrics.terp import KINDS, T, TerpMetric, cost_vector, features
from pfsm.model.file import Model, Scale
from pfsm.model.settings import BEST, Settings
from pfsm.runtime.choice import NOISE
from pfsm.version import __version__
from pfsm_training.loss.references import PairsOfItems
from pfsm_training.tuning.hill_climbing import Target, climb

Float = NDArray[np.float64]
MOST_ROUNDS = 20
RESTARTS = 10
# Largest cost; an edit that hardly ever occurs could otherwise cost anything.
LARGEST = 10.0
# A round that changes the correlation by less counts as no change.
SETTLED = 1e-4
_UNIT = ("insertion", "deletion", "substitution")
_FREE = KINDS[1:]


@dataclass(frozen=True)
class TunedCosts:
    """The result of tuning.

    Attributes:
        metric: ``terp`` or ``terp-base``, with its options other than costs in parentheses.
        costs: Cost of every kind of edit.
        features: Weights of the further features, in the units of the costs.
        correlation: Correlation with human scores on the tuning data.
        before: The same with the initial costs.
        rounds: Number of rounds of aligning and tuning.
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
        """The costs as they are written in the name of the metric."""
        given = [f"{kind}={cost:g}" for kind, cost in self.costs.items()]
        inside = self.metric.partition("(")[2].rstrip(")")
        return f"({','.join([*filter(None, [inside]), *given])})"

    @property
    def name(self) -> str:
        """Name of the metric with these costs, for ``--metric`` and configurations; without the further features."""
        return f"{self.metric.partition('(')[0]}{self.options}"

    def model(self, judgments: Judgments, name: str, licence: str) -> Model:
        """A model of these costs and features, whose scores are minus the tuned edit rate in percent.

        Args:
            judgments: The tuning data, for the model's record.
            name: Name of the model.
            licence: Licence of the model.
        """
        base = self.metric.partition("(")[0]
        weights = {f"{base}.{kind}{self.options}": cost for kind, cost in self.costs.items() if cost}
        weights |= self.features
        return Model(
            name,
            Settings(
                features=dict.fromkeys(weights, (0.0, 1.0)),
                counts=documents_of(weights),
                edits=False,
            ),
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
                "reference_digests": digests(_lines(judgments)),
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
    """Costs, and weights of further features, that agree best with human scores.

    Args:
        metric: Its costs are the start of tuning; its tables and words are kept.
        judgments: Human scores; higher is better.
        further: Sentence-level features of errors or of anything else; ``bleu.*`` stands for all parts of BLEU.
        restarts: Number of climbs from random weights, in addition to the climb from the costs so far.
        seed: Seed of the random weights; None: that of ``PFSM_SEED``.

    Raises:
        PfsmError: If the human scores do not differ, the features do not differ, a table is missing, or a feature is
            unknown.
    """
    judgments = judgments.sorted()
    further = _features(further, _lines(judgments))
    problem = _Problem(metric, judgments, further)
    random = np.random.default_rng(default_seed() if seed is None else seed)
    costs, weights = cost_vector(metric.options.costs), np.zeros(len(further))
    columns = problem.columns(costs, weights)
    if not problem.can_differ(columns):
        raise PfsmError(
            "all translations that are compared have the same edits and features, so there is nothing to tune"
        )
    before = problem.correlation(columns, costs, weights)
    best, reached, rounds, stable = (before, costs, weights), before, 0, False
    while rounds < MOST_ROUNDS and not stable:
        costs, weights = problem.tuned(columns, costs, weights, restarts, random)
        again = problem.columns(costs, weights)
        last, reached = reached, problem.correlation(again, costs, weights)
        stable = bool((again == columns).all()) or abs(reached - last) < SETTLED
        rounds, columns = rounds + 1, again
        if reached > best[0] + NOISE:
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


def _features(names: Sequence[str], references: Sequence[str]) -> tuple[str, ...]:
    """Names of features as in a model, with the checksums of their resources and the labels of their counts."""
    every = [one for name in names for one in expanded(name)]
    for name in every:
        check_feature(name)
    pinned = tuple(counted_features(map(with_checksum, every), references))
    if len(set(pinned)) < len(pinned):
        raise PfsmError("--features names a feature twice")
    return pinned


def _lines(judgments: Judgments) -> list[str]:
    return [line for several in judgments.all_references for line in several]


class _Problem:
    """The judgments, their matches for alignment and their further features."""

    def __init__(self, metric: TerpMetric, judgments: Judgments, further: Sequence[str]) -> None:
        self._target = Target.of(judgments)
        hypotheses, references, starts = flat_pairs(judgments.hypotheses, judgments.all_references)
        self._items = PairsOfItems(np.append(starts, len(references)), BEST)
        self._matches = metric.find(hypotheses, references)
        self._further = feature_values(further, hypotheses, references)
        self.name = metric.name_without_costs
        bounded = [kind in T or kind == "paraphrase" for kind in _FREE]
        self._lowest = np.where([*bounded, *[False] * len(further)], 0.0, -np.inf)

    def columns(self, costs: Float, weights: Float) -> Float:
        """Edits per word in the alignments that are best under these costs, and further features.

        Of several references those of the one with the lowest weighted sum: float64 [n_judgments, n_kinds + n_further].
        """
        edits = features(self._matches, self._matches.count(costs))[:, : len(KINDS)]
        columns = np.concatenate([edits, self._further], axis=1)
        return self._items.over(-(columns @ np.concatenate([costs, weights])), columns)

    def can_differ(self, columns: Float) -> bool:
        """Whether a kind of edit or a feature varies among the translations that are compared."""
        return bool(self._target.moments(columns).features.any())

    def correlation(self, columns: Float, costs: Float, weights: Float) -> float:
        """Correlation of the weighted sum of edits and features with human scores."""
        return self._target.moments(-columns).correlation(np.concatenate([costs, weights]))

    def tuned(
        self, columns: Float, costs: Float, weights: Float, restarts: int, random: np.random.Generator
    ) -> tuple[Float, Float]:
        """The best costs and weights for these alignments."""
        start = np.concatenate([costs[1:], weights])
        found, _ = climb(self._target.moments(-columns[:, 1:]), start, self._lowest, restarts, random)
        unit = found[[_FREE.index(kind) for kind in _UNIT]].mean()
        if unit > 0.0:
            found = found / unit
        # A name shows four digits, which is more than the data determine.
        rounded = np.array([float(f"{value:.4g}") for value in found.tolist()])
        size = len(_FREE)
        return np.concatenate([[0.0], np.clip(rounded[:size], -LARGEST, LARGEST)]), rounded[size:]
