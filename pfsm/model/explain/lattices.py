"""Lattices explained: best edit sequences, what each place adds to a score, and what a perfect match would have.

The posteriors and points of the places where an edit is possible a kernel sums up (``pfsm_kernels.machine.places``).
With jumps, every place becomes a state of its own, and expected counts of transitions say the same.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import FEATURE_PREFIX, JUMP
from pfsm.matchers.registry import MATCHERS
from pfsm.model.explain.explanation import (
    Agreement,
    Contributions,
    Edit,
    Explanation,
    FeaturePoints,
    Range,
    points_by_word,
)
from pfsm.model.file import Model
from pfsm.model.settings import RELATIVE

if TYPE_CHECKING:
    from pfsm_kernels.inference import Jumps, Places, Weights
    from pfsm_kernels.lattice.lattices import Lattices

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]


def best_edits(
    batch: LatticeBatch, weights: "Weights", pair: int
) -> tuple[tuple[Edit, ...], NDArray[np.int32]]:
    """The edits of the best sequence of one pair of a batch, in order, and their codes as the kernel has them."""
    from pfsm_kernels.inference import DELETE, INSERT, best_path  # noqa: PLC0415 - brings numba
    from pfsm_kernels.inference import JUMP as JUMPED  # noqa: PLC0415

    path = best_path(batch.lattices, weights, pair, batch.jumps).edits
    codes = path.tolist()
    walk = _Walk()
    (d0, i0, a0), (d1, i1, a1) = batch.lattices.offsets[pair : pair + 2].tolist()
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
        elif code == INSERT:
            edits.append(Edit(batch.states[inserts[walk.j]], *walk.take(0, 1)))
        elif code == DELETE:
            edits.append(Edit(batch.states[deletes[walk.i]], *walk.take(1, 0)))
        else:
            _, p, _, q, state = arcs[code]
            edits.append(Edit(batch.states[state], *walk.take(p, q)))
    return tuple(edits), path


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


def _agreements(batch: LatticeBatch, model: Model, pair: int, length: int) -> tuple[Agreement, ...]:
    """What holds of each substitution of a pair of so many tokens, in the order of the reference, then of features."""
    given = batch.arc_features
    # Matchers without a state annotate the arcs of others.
    stateless = {name for name in model.settings.matchers if name in MATCHERS and not MATCHERS[name].state}
    names = {name for name in given.names if name.partition(":")[0] in stateless}
    if not names:
        return ()
    first, last = batch.lattices.offsets[pair : pair + 2, 2].tolist()
    found = []
    for entry in np.flatnonzero((given.arc >= first) & (given.arc < last)).tolist():
        name, value = given.names[given.feature[entry]], float(given.value[entry])
        if name in names:
            i, p, j, q, state = batch.lattices.arcs[given.arc[entry]].tolist()
            points = model.scale.sd * model.weights.get(name, 0.0) * value / length
            found.append(Agreement(batch.states[state], (i, i + p), (j, j + q), name, value, points))
    return tuple(sorted(found, key=lambda one: (one.reference, one.hypothesis, one.state, one.feature)))


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
    places = None if weights is None else _places_of(batch, weights)
    for pair, (reference, hypothesis) in enumerate(tokens):
        base, length = float(bases[pair]), len(reference) + len(hypothesis)
        features = _feature_points(batch, pair, model)
        plain = tuple(reference), tuple(hypothesis)
        added = sum(part.points for part in features)
        found = None if places is None else next(places)
        if weights is None or found is None or not length:
            base, score = _at_most(highest, base, base + added, model)
            yield Explanation(*plain, score, (), (), 0.0, base, features, edited=found is not None)
            continue
        scale = model.scale.sd / length
        edits, _ = best_edits(batch, weights, pair)
        points = found.sums * scale
        parts = Contributions(batch.states, found.states, found.ranges, found.numbers, points)
        entropy = found.log_sum * scale - math.fsum(points)
        base, score = _at_most(highest, base, base + scale * found.log_sum + added, model)
        agreements = _agreements(batch, model, pair, length)
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
    places = None if weights is None else _places_of(batch, weights)
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


# What is explained is for people to read, and takes memory for every cell, with jumps for every two places.
MOST_PLACES = 6000


@dataclass(frozen=True, eq=False)
class _Places:
    """Places of one pair: Deletes, then Inserts, then arcs, then Jump if there is one.

    Attributes:
        log_sum: y, in the log domain.
        states: int64 [places], ids of states.
        ranges: int64 [places, 4], first and last token of the reference, and of the hypothesis, [first, last).
        numbers: float64 [places], expected number of edits.
        sums: float64 [places], that number times the edit's weights.
    """

    log_sum: float
    states: Int64
    ranges: Int64
    numbers: Float
    sums: Float

    def __post_init__(self) -> None:
        # Each word is in one edit of a sequence. More than rounding adds comes of weights that hide one another.
        of_words = self.numbers[self.ranges.any(axis=1)]
        if not (np.isfinite([self.numbers, self.sums]).all() and (of_words < 1.01).all()):
            raise PfsmError("weights of the model are too far apart to say what each edit adds")


def _places_of(batch: LatticeBatch, weights: "Weights") -> Iterator[_Places]:
    """The places of every pair of a batch, in order.

    Raises:
        PfsmError: If a pair has too many places, such as lines of thousands of words, or weights are so far apart that
            expected numbers of edits are lost in rounding; when its turn comes.
    """
    from pfsm_kernels.inference import place_sums  # noqa: PLC0415 - brings numba

    counts = np.diff(batch.lattices.offsets, axis=0).sum(axis=1) + (batch.jumps is not None)
    if batch.jumps is None and (counts <= MOST_PLACES).all():
        sums = place_sums(batch.lattices, weights)
        for pair in range(len(batch)):
            yield _of_pair(batch, sums, pair)
        return
    for pair, count in enumerate(counts.tolist()):
        if count > MOST_PLACES:
            raise PfsmError(
                f"{count} places where an edit is possible are too many to explain one by one "
                f"(at most {MOST_PLACES}); only score such lines, or split them"
            )
        alone, own = _alone(batch, weights, pair)
        if batch.jumps is None:
            yield _of_pair(alone, place_sums(alone.lattices, own), 0)
        else:
            yield _with_jumps(alone, own)


def _of_pair(batch: LatticeBatch, sums: "Places", pair: int) -> _Places:
    lattices = batch.lattices
    (d0, i0, a0), (d1, i1, a1) = lattices.offsets[pair : pair + 2].tolist()
    found = np.concatenate([sums.deletes[d0:d1], sums.inserts[i0:i1], sums.arcs[a0:a1]])
    arcs = lattices.arcs[a0:a1]
    states = np.concatenate([lattices.delete_states[d0:d1], lattices.insert_states[i0:i1], arcs[:, 4]])
    ranges = _ranges(d1 - d0, i1 - i0, arcs)
    return _Places(float(sums.log_sum[pair]), states.astype(np.int64), ranges, found[:, 0], found[:, 1])


def _ranges(m: int, n: int, arcs: NDArray[np.int32], jumps: int = 0) -> Int64:
    ranges = np.zeros((m + n + arcs.shape[0] + jumps, 4), dtype=np.int64)
    ranges[:m, 0] = np.arange(m)
    ranges[:m, 1] = np.arange(1, m + 1)
    ranges[m : m + n, 2] = np.arange(n)
    ranges[m : m + n, 3] = np.arange(1, n + 1)
    own = ranges[m + n : m + n + arcs.shape[0]]
    own[:, ::2] = arcs[:, :3:2]
    own[:, 1::2] = arcs[:, :3:2] + arcs[:, 1:4:2]
    return ranges


def _alone(batch: LatticeBatch, weights: "Weights", pair: int) -> tuple[LatticeBatch, "Weights"]:
    """One pair of a batch as a batch of its own, and its weights."""
    from pfsm_kernels.inference import Weights, find_jumps  # noqa: PLC0415 - brings numba

    lattices = batch.lattices.select(np.array([pair]))
    jumps = batch.jumps
    if jumps is not None:
        jumps = find_jumps(lattices, jumps.state, jumps.crossings.max_jump)
    own = slice(*batch.lattices.offsets[pair : pair + 2, 2].tolist())
    arcs, links = (None if part is None else part[own] for part in (weights.arcs, weights.links))
    return LatticeBatch(batch.states, lattices, jumps=jumps), Weights(weights.table, arcs, links)


@np.errstate(all="ignore")  # what is not finite is refused
def _with_jumps(batch: LatticeBatch, given: "Weights") -> _Places:
    """The places of the only pair of a batch with jumps."""
    from pfsm_kernels.inference import Weights, expectations  # noqa: PLC0415 - brings numba

    lattices = batch.lattices
    m, n = int(lattices.delete_states.size), int(lattices.insert_states.size)
    jump = np.array([batch.states.index(JUMP)])
    states = np.concatenate([lattices.delete_states, lattices.insert_states, lattices.arcs[:, 4], jump])
    ranges = _ranges(m, n, lattices.arcs, 1)
    if m + n == 0:
        return _Places(0.0, states.astype(np.int64), ranges, np.zeros(1), np.zeros(1))
    split, jumps = _split(batch, states.size)
    table = np.ascontiguousarray(given.table[np.ix_(np.append(states, lattices.n_states), states)])
    expected = expectations(split, Weights(table, given.arcs, given.links), 1, jumps)
    counts = expected.table[0]
    # An impossible transition has expected count 0; this avoids 0 times minus infinity.
    sums = np.where(counts > 0.0, counts * np.where(counts > 0.0, table, 0.0), 0.0).sum(axis=0)
    for extra, mass in ((given.arcs, expected.arcs), (given.links, expected.links)):
        if extra is not None:
            sums[m + n : m + n + extra.size] += extra * mass
    numbers = counts.sum(axis=0)
    return _Places(float(expected.log_sum[0]), states.astype(np.int64), ranges, numbers, sums)


def _split(batch: LatticeBatch, n_states: int) -> tuple["Lattices", "Jumps | None"]:
    """The same lattice with a separate state for every place where an edit is possible, and its jumps."""
    from pfsm_kernels.inference import find_jumps  # noqa: PLC0415 - brings numba
    from pfsm_kernels.lattice.lattices import Lattices  # noqa: PLC0415 - brings numba

    arrays, jumps = batch.lattices, batch.jumps
    m, n = arrays.delete_states.size, arrays.insert_states.size
    arcs = arrays.arcs.copy()
    arcs[:, 4] = np.arange(arcs.shape[0]) + m + n
    places = np.arange(m + n, dtype=np.int32)
    split = Lattices(n_states, places[:m], places[m:], arcs, arrays.offsets)
    return split, None if jumps is None else find_jumps(split, n_states - 1, jumps.crossings.max_jump)
