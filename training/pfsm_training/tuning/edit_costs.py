"""Tunes the costs of TERp's edits together with the alignments that they lead to (Snover et al. 2009).

The costs determine the best alignment, and the edits of that alignment determine the best costs. So alignments and
costs are found in turn, until neither changes. A match costs 0: one kind of edit that takes a word of the reference may
be free, because the costs of the others can be counted from it. The costs of edits of single words, of shifts and of
phrases are 0 or more. The amounts that a phrase's edits and its probability add to its cost may have any sign, and so
may the weights of further features. The unit is the mean cost of insertion, deletion and substitution.

Of several references the one with the lowest rate of edits and features counts, as in scoring with the tuned model; it
may be another one from round to round.

The costs for given alignments are found by hill climbing with random restarts, as in TERp's optimiser (Kahn, Snover and
Ostendorf 2009, section 6). Changing one weight at a time makes hardly any progress on a ridge, where two features are
nearly the same. So after some moves follows a *pattern move* (Hooke and Jeeves 1961): in the direction of all of them
together, to the highest point on that line.

The target is Pearson's correlation with human scores, weighted by length, with segment means removed. With x the
features of a translation and y its human score, both minus the mean of their segment (minus the mean of all if no
segment has two translations), and u the number of words of the reference (their section 3.3),

    r(w) = w' b / sqrt(w' A w c),    A = sum u x x',  b = sum u x y,  c = sum u y^2
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from pfsm.arrays import Float, Int64
from pfsm.data import Judgments
from pfsm.data.reference_digests import digests
from pfsm.errors import PfsmError
from pfsm.evaluation import mean_removed
from pfsm.evaluation.bootstrap import default_seed
from pfsm.features.values import check_feature, counted_features, feature_values, with_checksum
from pfsm.lattice.names import sentence_feature
from pfsm.metrics.inputs import flat_pairs
from pfsm.metrics.ngram_table import documents_of
from pfsm.metrics.registry import expanded
from pfsm.metrics.terp import KINDS, T, TerpMetric, cost_vector, features
from pfsm.model.file import Model, Scale
from pfsm.model.settings import BEST, Settings
from pfsm.runtime.choice import NOISE, simplest_within_noise
from pfsm.text.plain import tokenise
from pfsm.version import __version__
from pfsm_training.loss.objective import PairsOfItems

SEGMENT, LANGUAGE = "segment_id", "source_lang"
# Sum of squares that rounding leaves of a constant after its mean is removed, relative to that of its values.
_NOISE = 1e-20
# Its square is still finite.
LARGEST_SCORE = 1e100
# Steps in units of a feature's standard deviation.
FIRST_STEP, LAST_STEP = 1.0, 1e-6
_SMALLEST_GAIN = 1e-10
# Of a correlation.
_ROUNDING = 1e-11
# Another start must be better by this much, so that costs do not jump without need.
_WORTH_A_JUMP = 1e-6
_MOST_MOVES = 20_000
# Moves per weight before a pattern move.
_MOVES_OF_A_PATTERN = 2


@dataclass(frozen=True, eq=False)
class Moments:
    """Second moments of k features and the human scores.

    Attributes:
        features: float64 [k, k], A in the formula above.
        products: float64 [k], b.
        human: c.
    """

    features: Float
    products: Float
    human: float

    def correlation(self, weights: Float) -> float:
        """Pearson's r of the weighted sum with the human scores; 0 if the sum is constant."""
        square = float(weights @ self.features @ weights) * self.human
        return float(weights @ self.products) / square**0.5 if square > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class Target:
    """Human scores, their segments and their weights.

    Attributes:
        scores: float64 [n], higher is better.
        segments: int64 [n], numbers of the segments whose means are removed; if all are 0, the mean of all is.
        weights: float64 [n], number of words of each reference.
    """

    scores: Float
    segments: Int64
    weights: Float

    @staticmethod
    def of(judgments: Judgments) -> "Target":
        """The target of judgments; a segment is identified by source language, ``segment_id`` and reference.

        Raises:
            PfsmError: If the scores differ in no segment, or if one is larger than 1e100 in absolute value.
        """
        if not np.abs(judgments.scores).max(initial=0.0) <= LARGEST_SCORE:
            raise PfsmError(
                f"tuning needs scores of at most {LARGEST_SCORE:g} in absolute value; one is larger"
            )
        n = len(judgments)
        languages = judgments.columns.get(LANGUAGE, ("",) * n)
        names = zip(languages, judgments.columns.get(SEGMENT, ("",) * n), judgments.references, strict=True)
        place: dict[tuple[str, str, str], int] = {}
        segments = np.array([place.setdefault(name, len(place)) for name in names], dtype=np.int64)
        if len(place) == n:
            segments = np.zeros(n, dtype=np.int64)
        known = {reference: float(len(tokenise(reference))) for reference in set(judgments.references)}
        weights = np.array([known[reference] for reference in judgments.references])
        target = Target(judgments.scores, segments, weights)
        if not target.moments(np.zeros((n, 0))).human > 0.0:
            raise PfsmError(
                "all translations of a segment have the same human score, so there is nothing to tune for"
            )
        return target

    @property
    def by_segment(self) -> bool:
        """Whether the means of segments are removed, and not the mean of all."""
        return bool(self.segments.any())

    def moments(self, features: Float) -> Moments:
        """Second moments of features, float64 [n, k]; those of a feature that varies in no segment are 0."""
        centred = np.empty_like(features)
        for k in range(features.shape[1]):
            column = mean_removed(features[:, k], self.segments, self.weights)
            flat = column @ column <= _NOISE * max(1.0, float(features[:, k] @ features[:, k]))
            centred[:, k] = 0.0 if flat else column
        human = mean_removed(self.scores, self.segments, self.weights)
        weighted = self.weights[:, np.newaxis] * centred
        return Moments(weighted.T @ centred, weighted.T @ human, float(self.weights @ human**2))


def climb(
    moments: Moments, start: Float, lowest: Float, restarts: int, random: np.random.Generator
) -> tuple[Float, float]:
    """Weights with the largest correlation found, and that correlation.

    Each move of a climb changes one weight by a step, up or down: the change that raises the correlation most. After
    some moves, or when no move helps, a pattern move changes all weights in the direction of those moves. If that does
    not help either, the step is halved. The result is the best end of all climbs, and the first of equally good ones.

    Args:
        moments: Moments of the features and the human scores.
        start: float64 [k], start of the first climb; features that do not vary keep these weights.
        lowest: float64 [k], smallest weights allowed; minus infinity for no bound.
        restarts: Number of further climbs, from random weights.
        random: Generator of the random weights.
    """
    spread = np.sqrt(np.diag(moments.features))
    varying = spread > 0.0
    if not varying.any():
        return start, 0.0
    own = spread[varying]
    scaled = Moments(
        moments.features[np.ix_(varying, varying)] / np.outer(own, own),
        moments.products[varying] / own,
        moments.human,
    )
    bounds = lowest[varying] * own
    starts = [start[varying] * own, *(_at_random(bounds, random) for _ in range(restarts))]
    best, reached = _climbed(scaled, starts[0], bounds)
    for one in starts[1:]:
        end, value = _climbed(scaled, one, bounds)
        if value > reached + _WORTH_A_JUMP:
            best, reached = end, value
    weights = start.copy()
    weights[varying] = best / own
    return weights, reached


def _at_random(bounds: Float, random: np.random.Generator) -> Float:
    drawn = random.normal(size=bounds.size)
    return np.asarray(np.where(np.isfinite(bounds), np.abs(drawn), drawn))


def _climbed(moments: Moments, start: Float, bounds: Float) -> tuple[Float, float]:
    """The end of a climb and its correlation."""
    weights = np.maximum(start, bounds)
    value, step = moments.correlation(weights), FIRST_STEP
    before, moves = weights, 0
    for _ in range(_MOST_MOVES):
        length = float(np.linalg.norm(weights))
        if length > 0.0:
            # The correlation depends on the direction alone; unit length keeps steps in proportion.
            weights, before = weights / length, before / length
        further, higher = _one_changed(moments, weights, bounds, step)
        moves += 1
        if higher > value + _SMALLEST_GAIN:
            weights, value = further, higher
            if moves < _MOVES_OF_A_PATTERN * weights.size:
                continue
        further, higher = _onward(moments, before, weights, bounds)
        before, moved, moves = weights, moves > 1, 0
        if higher > value + _SMALLEST_GAIN:
            weights, value = further, higher
        elif not moved:
            step /= 2.0
            if step < LAST_STEP:
                break
    return weights, value


def _one_changed(moments: Moments, weights: Float, bounds: Float, step: float) -> tuple[Float, float]:
    """The best weights that differ in one entry by a step, of equal ones the first, and their correlation."""
    changes = np.stack([np.full(weights.size, step), np.maximum(-step, bounds - weights)])
    values = _after(moments, weights, changes)
    row, column = divmod(simplest_within_noise(values.ravel(), _ROUNDING), weights.size)
    changed = weights.copy()
    changed[column] += changes[row, column]
    return changed, float(values[row, column])


def _onward(moments: Moments, before: Float, weights: Float, bounds: Float) -> tuple[Float, float]:
    """The highest point on the line from the weights before to these and beyond, within bounds, and its correlation."""
    direction = weights - before
    turned = moments.features @ direction
    rise, height = float(direction @ moments.products), float(weights @ moments.products)
    above = rise * float(weights @ moments.features @ weights) - height * float(weights @ turned)
    below = height * float(direction @ turned) - rise * float(weights @ turned)
    if not (above > 0.0 and below > 0.0):
        return weights, moments.correlation(weights)
    reached = np.maximum(weights + above / below * direction, bounds)
    return reached, moments.correlation(reached)


def _after(moments: Moments, weights: Float, changes: Float) -> Float:
    """`Moments.correlation` after changing one weight, for each of the ``changes`` [2, k] separately."""
    turned = moments.features @ weights
    squares = weights @ turned + changes * (2.0 * turned + changes * np.diag(moments.features))
    products = weights @ moments.products + changes * moments.products
    below = np.sqrt(np.maximum(squares, 0.0) * moments.human)
    return np.divide(products, below, out=np.zeros(products.shape), where=below > 0.0)


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
        """A model of these costs and features, whose scores are minus the tuned edit rate in percent."""
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
    costs, weights = cost_vector(metric.costs), np.zeros(len(further))
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
