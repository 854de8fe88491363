"""Explanations of the pairs of a batch, from their places and best edit sequences; and perfect matches."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import FEATURE_PREFIX
from pfsm.model.explain.agreement import agreements_of
from pfsm.model.explain.best_edits import best_edits
from pfsm.model.explain.contributions import Contributions, points_by_word
from pfsm.model.explain.explanation import Explanation, FeaturePoints
from pfsm.model.explain.places import places_of
from pfsm.model.file import Model

if TYPE_CHECKING:
    from pfsm_kernels.inference import Weights


@dataclass(frozen=True)
class PerfectMatch:
    """What the points lost are counted from: the parts of the score of a reference with itself.

    Attributes:
        score: The predicted score.
        words: Points of each word of the reference: of its edits, and of its copy's if that is inserted.
        jumps: Points of jumps.
        entropy: As in `Explanation`.
        features: As in `Explanation`.
    """

    score: float
    words: tuple[float, ...]
    jumps: float
    entropy: float
    features: tuple[FeaturePoints, ...]


def explain_lattices(
    batch: LatticeBatch,
    model: Model,
    weights: "Weights | None",
    tokens: Sequence[tuple[list[str], list[str]]],
) -> Iterator[Explanation]:
    """Explains the score of every pair of a batch, in order.

    Args:
        batch: The lattices.
        model: The model, with its weights and scale.
        weights: The kernel's weights for this batch; None where the model has no edits.
        tokens: The tokens of each pair's reference and hypothesis.

    Raises:
        PfsmError: If a pair has too many places for an explanation, such as lines of thousands of words.
    """
    base = model.scale.mean + model.scale.sd * model.alpha
    places = None if weights is None else places_of(batch, weights)
    for pair, (reference, hypothesis) in enumerate(tokens):
        features = _feature_points(batch, pair, model)
        plain = tuple(reference), tuple(hypothesis)
        added = sum(part.points for part in features)
        if places is None or weights is None:
            yield Explanation(*plain, base + added, (), (), 0.0, base, features, edited=False)
            continue
        found = next(places)
        if not reference and not hypothesis:
            yield Explanation((), (), base + added, (), (), 0.0, base, features)
            continue
        scale = model.scale.sd / (len(reference) + len(hypothesis))
        edits = best_edits(batch, weights, pair)
        points = found.sums * scale
        parts = Contributions(batch.states, found.states, found.ranges, found.numbers, points)
        entropy = found.log_sum * scale - math.fsum(points)
        score = base + scale * found.log_sum + added
        agreements = agreements_of(batch, model, pair, len(reference) + len(hypothesis))
        yield Explanation(*plain, score, edits, parts, entropy, base, features, agreements=agreements)


def perfect_matches(
    batch: LatticeBatch, model: Model, weights: "Weights | None", lengths: Sequence[int]
) -> Iterator[PerfectMatch]:
    """The parts of the scores of references with themselves, in order.

    Args:
        batch: The lattices, of each reference with itself.
        model: As in `explain_lattices`.
        weights: As in `explain_lattices`.
        lengths: Number of words of each reference.

    Raises:
        PfsmError: As `explain_lattices`.
    """
    base = model.scale.mean + model.scale.sd * model.alpha
    places = None if weights is None else places_of(batch, weights)
    for pair, length in enumerate(lengths):
        features = _feature_points(batch, pair, model)
        score = base + sum(part.points for part in features)
        if places is None:
            yield PerfectMatch(score, (0.0,) * length, 0.0, 0.0, features)
            continue
        found = next(places)
        scale = model.scale.sd / max(2 * length, 1)
        points = found.sums * scale
        entropy = found.log_sum * scale - math.fsum(points)
        words, copies, jumps = points_by_word(found.ranges, points, (length, length))
        score += scale * found.log_sum
        yield PerfectMatch(score, tuple((words + copies).tolist()), jumps, entropy, features)


def _feature_points(batch: LatticeBatch, pair: int, model: Model) -> tuple[FeaturePoints, ...]:
    given = batch.sentence_features
    values = given.values[pair].tolist() if given.names else []
    return tuple(
        FeaturePoints(
            name.removeprefix(FEATURE_PREFIX), value, model.scale.sd * model.weights.get(name, 0.0) * value
        )
        for name, value in zip(given.names, values, strict=True)
    )
