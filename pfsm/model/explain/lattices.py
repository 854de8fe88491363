"""Lattices explained: best edit sequences, what each place adds to a score, and what a perfect match would have."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import FEATURE_PREFIX, JUMP
from pfsm.matchers.registry import MATCHERS, matcher_state
from pfsm.model.explain.contributions import Contributions, points_by_word
from pfsm.model.explain.explanation import Agreement, Edit, Explanation, FeaturePoints, Range
from pfsm.model.explain.position_scores import places_of
from pfsm.model.file import Model
from pfsm.model.settings import RELATIVE

if TYPE_CHECKING:
    from pfsm_kernels.inference import Weights


Float = NDArray[np.float64]


def best_edits(batch: LatticeBatch, weights: "Weights", pair: int) -> tuple[Edit, ...]:
    """The edits of the best sequence of one pair of a batch, in order."""
    from pfsm_kernels.inference import best_path  # noqa: PLC0415 - brings numba

    path = best_path(batch.lattices, weights, pair, batch.jumps).edits
    return edits_of_path(batch, path.tolist(), pair)


def edits_of_path(batch: LatticeBatch, path: list[int], pair: int) -> tuple[Edit, ...]:
    """The edits of a path of one pair, as `pfsm_kernels.inference.best_path` gives it, in order."""
    return _edits(batch, path, batch.lattices.offsets[pair : pair + 2].tolist())


@dataclass
class _Walk:
    """The state of the machine while a path is replayed: its positions, and the memory of the current swap."""

    i: int = 0
    j: int = 0
    jumps: int = 0
    on_hypothesis: bool = True
    start: int = 0
    end: int = 0

    def jump(self, next_i: int, next_j: int) -> None:
        """One of the three jumps of a swap; the first goes to the place of the next edit."""
        step = self.jumps % 3
        self.jumps += 1
        if step == 0:
            self.on_hypothesis = next_j != self.j
            self.start = self.j if self.on_hypothesis else self.i
            self.i, self.j = next_i, next_j
            return
        here = self.j if self.on_hypothesis else self.i
        target = self.start if step == 1 else self.end
        if step == 1:
            self.end = here
        if self.on_hypothesis:
            self.j = target
        else:
            self.i = target

    def take(self, p: int, q: int) -> tuple[Range, Range]:
        """Consumes tokens; returns their ranges."""
        ranges = (self.i, self.i + p), (self.j, self.j + q)
        self.i += p
        self.j += q
        return ranges


def _edits(batch: LatticeBatch, codes: list[int], offsets: list[list[int]]) -> tuple[Edit, ...]:
    """The edits of a path; ``offsets`` says where the pair begins and ends in the arrays of the batch."""
    from pfsm_kernels.inference import DELETE as DELETED  # noqa: PLC0415 - brings numba
    from pfsm_kernels.inference import INSERT as INSERTED  # noqa: PLC0415
    from pfsm_kernels.inference import JUMP as JUMPED  # noqa: PLC0415

    walk = _Walk()
    (d0, i0, a0), (d1, i1, a1) = offsets
    arcs = batch.lattices.arcs[a0:a1].tolist()
    deletes = batch.lattices.delete_states[d0:d1].tolist()
    inserts = batch.lattices.insert_states[i0:i1].tolist()
    edits = []
    for place, code in enumerate(codes):
        if code == JUMPED:
            # The edit after a first jump is a substitution; its start is the landing.
            following = codes[place + 1] if place + 1 < len(codes) else -1
            landing = (arcs[following][0], arcs[following][2]) if following >= 0 else (walk.i, walk.j)
            walk.jump(*landing)
            edits.append(Edit(JUMP, (walk.i, walk.i), (walk.j, walk.j), walk.jumps))
        elif code == INSERTED:
            edits.append(Edit(batch.states[inserts[walk.j]], *walk.take(0, 1)))
        elif code == DELETED:
            edits.append(Edit(batch.states[deletes[walk.i]], *walk.take(1, 0)))
        else:
            _, p, _, q, state = arcs[code]
            edits.append(Edit(batch.states[state], *walk.take(p, q)))
    return tuple(edits)


def agreements_of(batch: LatticeBatch, model: Model, pair: int, length: int) -> tuple[Agreement, ...]:
    """What holds of each substitution of a pair, in the order of the reference, then of features.

    Args:
        batch: The lattices.
        model: The model.
        pair: The pair.
        length: Tokens of the two lines together, at least 1.
    """
    given = batch.arc_features
    names = _annotated(given.names, model.settings.matchers)
    first, last = batch.lattices.offsets[pair : pair + 2, 2].tolist()
    own = np.flatnonzero((given.arc >= first) & (given.arc < last)) if names else np.zeros(0, dtype=np.int64)
    found = []
    for entry in own.tolist():
        name, value = given.names[given.feature[entry]], float(given.value[entry])
        if name in names:
            i, p, j, q, state = batch.lattices.arcs[given.arc[entry]].tolist()
            points = model.scale.sd * model.weights.get(name, 0.0) * value / length
            found.append(Agreement(batch.states[state], (i, i + p), (j, j + q), name, value, points))
    return tuple(sorted(found, key=lambda one: (one.reference, one.hypothesis, one.state, one.feature)))


def _annotated(names: Sequence[str], matchers: Sequence[str]) -> frozenset[str]:
    """Those of the names that belong to matchers without a state."""
    stateless = {name for name in matchers if name in MATCHERS and not matcher_state(name)}
    return frozenset(name for name in names if name.partition(":")[0] in stateless)


@dataclass(frozen=True)
class PerfectMatch:
    """What the points lost are counted from: the parts of the score of a reference with itself.

    Attributes:
        score: The predicted score.
        base: As in `Explanation`.
        words: Points of each word of the reference: of its edits, and of its copy's if that is inserted.
        jumps: Points of jumps.
        entropy: As in `Explanation`.
        features: As in `Explanation`.
    """

    score: float
    base: float
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
    highest = model.scale.mean + model.scale.sd * model.alpha
    bases = highest - model.scale.sd * perfect_values(batch, model)
    places = None if weights is None else places_of(batch, weights)
    for pair, (reference, hypothesis) in enumerate(tokens):
        base = float(bases[pair])
        features = _feature_points(batch, pair, model)
        plain = tuple(reference), tuple(hypothesis)
        added = sum(part.points for part in features)
        if places is None or weights is None:
            base, score = _at_most(highest, base, base + added, model)
            yield Explanation(*plain, score, (), (), 0.0, base, features, edited=False)
            continue
        found = next(places)
        if not reference and not hypothesis:
            base, score = _at_most(highest, base, base + added, model)
            yield Explanation((), (), score, (), (), 0.0, base, features)
            continue
        scale = model.scale.sd / (len(reference) + len(hypothesis))
        edits = best_edits(batch, weights, pair)
        points = found.sums * scale
        parts = Contributions(batch.states, found.states, found.ranges, found.numbers, points)
        entropy = found.log_sum * scale - math.fsum(points)
        base, score = _at_most(highest, base, base + scale * found.log_sum + added, model)
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
    bases = model.scale.mean + model.scale.sd * (model.alpha - perfect_values(batch, model))
    places = None if weights is None else places_of(batch, weights)
    for pair, length in enumerate(lengths):
        features = _feature_points(batch, pair, model)
        base = float(bases[pair])
        score = base + sum(part.points for part in features)
        if places is None:
            yield PerfectMatch(score, base, (0.0,) * length, 0.0, 0.0, features)
            continue
        found = next(places)
        scale = model.scale.sd / max(2 * length, 1)
        points = found.sums * scale
        entropy = found.log_sum * scale - math.fsum(points)
        words, copies, jumps = points_by_word(found.ranges, points, (length, length))
        score += scale * found.log_sum
        yield PerfectMatch(score, base, tuple((words + copies).tolist()), jumps, entropy, features)


def perfect_values(batch: LatticeBatch, model: Model, threads: int = 1) -> Float:
    """What each pair of a relative model is counted from, float64 [n_pairs]: the value of its reference with itself."""
    if batch.perfect is None:
        return np.zeros(len(batch))
    same = batch.perfect.batch
    return same.values(model.weights, same.weights(model.weights), threads)[batch.perfect.of]


def _at_most(highest: float, base: float, score: float, model: Model) -> tuple[float, float]:
    """The base and the score, both less by what is above the highest score of the relative form."""
    above = max(score - highest, 0.0) if model.settings.form == RELATIVE else 0.0
    return base - above, score - above


def _feature_points(batch: LatticeBatch, pair: int, model: Model) -> tuple[FeaturePoints, ...]:
    given = batch.sentence_features
    values = given.values[pair].tolist() if given.names else []
    return tuple(
        FeaturePoints(
            name.removeprefix(FEATURE_PREFIX), value, model.scale.sd * model.weights.get(name, 0.0) * value
        )
        for name, value in zip(given.names, values, strict=True)
    )
