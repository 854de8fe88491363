"""Explanation of a pair's score: the best edit sequence, alignment posteriors, and the contribution of each edit.

The log-sum is the expected score of an edit sequence plus the entropy of the distribution over sequences,

    y = sum_e p(e) Q(e) + H(p),     p(e) = exp(Q(e) - y),

and Q is a sum over edits. So every edit contributes its expected count times its weights: the weight of its state and
those of the transitions into it. Divided by m + n and scaled, the contributions, the entropy and the constant add up to
the predicted score. If a model has sentence-level features, each adds its weight times its value.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import FEATURE_PREFIX, JUMP
from pfsm.model.file import Model
from pfsm.runtime.html_table import html_table

if TYPE_CHECKING:
    from pfsm_kernels.inference import Jumps, Weights
    from pfsm_kernels.lattice.lattices import Lattices

# Every place where an edit is possible becomes a state, and there is a table entry for every two states.
MOST_PLACES = 6000

Range = tuple[int, int]


@dataclass(frozen=True)
class Edit:
    """One edit of the best sequence.

    Attributes:
        state: ``Insert``, ``Delete``, ``Jump`` or a substitution such as ``S_word``.
        reference: Tokens of the reference it consumes, [first, last).
        hypothesis: Tokens of the hypothesis it consumes, [first, last).
        jump: Number of a jump along the sequence, from 1; None for other edits.
    """

    state: str
    reference: Range
    hypothesis: Range
    jump: int | None = None


@dataclass(frozen=True)
class Contribution:
    """The contribution to the score of one possible edit at one place.

    Attributes:
        state: As in ``Edit``.
        reference: Tokens of the reference it consumes, [first, last).
        hypothesis: Tokens of the hypothesis it consumes, [first, last).
        posterior: Expected number of times that it is made; a probability, except for ``Jump``, where all jumps are
            counted together.
        points: Expected count times weights, in the units of the score.
    """

    state: str
    reference: Range
    hypothesis: Range
    posterior: float
    points: float


@dataclass(frozen=True)
class FeaturePoints:
    """The contribution of a sentence-level feature to the score.

    Attributes:
        name: Name of the feature, such as ``chrf``.
        value: Its standardised value.
        points: Value times weight, in the units of the score.
    """

    name: str
    value: float
    points: float


@dataclass(frozen=True)
class PieceMatch:
    """Two word pieces that the encoder's part of a model matches.

    Attributes:
        reference: The piece of the reference.
        hypothesis: The piece of the hypothesis.
        cosine: Of their vectors, as the model projects them.
        posterior: Probability of the match.
        points: What it adds to the score.
    """

    reference: str
    hypothesis: str
    cosine: float
    posterior: float
    points: float


@dataclass(frozen=True)
class EncoderPoints:
    """What the encoder's part of a model says; its points add up to those of the feature ``encoder``.

    Attributes:
        constant: Points that every pair gets.
        parts: Of each of `pfsm.encoder.head.PARTS`: its name, its number and its points.
        matches: Pieces that are matched more likely than not, in the order of the reference; their points are part of
            those of ``alignment``.
    """

    constant: float
    parts: tuple[tuple[str, float, float], ...]
    matches: tuple[PieceMatch, ...]


@dataclass(frozen=True)
class Lost:
    """Points that a pair loses against its reference with itself: see `pfsm.model.explain.losses`.

    Attributes:
        state: The edit of the best sequence, ``Jump``, ``entropy``, or the name of a feature; empty for none.
        reference: The word of the reference, where there is one.
        hypothesis: The words of the hypothesis, where there are any.
        points: In the units of the score; negative for points that are won.
    """

    state: str
    reference: tuple[str, ...]
    hypothesis: tuple[str, ...]
    points: float


@dataclass(frozen=True)
class Explanation:
    """The parts of a pair's score: ``score = base + entropy + points of the contributions and of the features``.

    Attributes:
        reference: Tokens of the reference.
        hypothesis: Tokens of the hypothesis.
        score: The predicted score.
        edits: The best edit sequence, in order.
        contributions: One for every possible edit, in order of places: Delete, Insert, substitutions, Jump.
        entropy: Points for the spread over many edit sequences.
        base: Points that every pair gets: ``mean + sd * alpha``.
        features: One for every sentence-level feature, in the order of the settings.
        edited: Whether the model has edits. If it has none, edits and contributions are empty.
        perfect: Score of the reference with itself; None where it is not known.
        lost: Where the points between the two scores are lost, largest first; they add up to the difference.
        counted: Which of several references this is, such as ``2 of 3, b.txt``; empty for a single one.
        encoder: What the model's feature ``encoder`` consists of; None where it has none.
    """

    reference: tuple[str, ...]
    hypothesis: tuple[str, ...]
    score: float
    edits: tuple[Edit, ...]
    contributions: tuple[Contribution, ...]
    entropy: float
    base: float
    features: tuple[FeaturePoints, ...] = ()
    edited: bool = True
    perfect: float | None = None
    lost: tuple[Lost, ...] = ()
    counted: str = ""
    encoder: EncoderPoints | None = None

    @property
    def alignment(self) -> tuple[tuple[int, int], ...]:
        """Aligned tokens (i, j) of the best sequence; in a block of unequal sides, every token with every token."""
        pairs: list[tuple[int, int]] = []
        for edit in self.edits:
            rows, columns = range(*edit.reference), range(*edit.hypothesis)
            if len(rows) == len(columns):
                pairs.extend(zip(rows, columns, strict=True))
            else:
                pairs.extend((i, j) for i in rows for j in columns)
        return tuple(sorted(pairs))

    def _repr_html_(self) -> str:
        """The two sentences with aligned words marked, and what was lost, for notebooks."""
        aligned = set(self.alignment)
        rows = [
            ["reference", *_marked(self.reference, {i for i, _ in aligned})],
            ["hypothesis", *_marked(self.hypothesis, {j for _, j in aligned})],
        ]
        width = max(map(len, rows))
        words = html_table([], [[*row, *[""] * (width - len(row))] for row in rows])
        lost = [[one.state, _words(one), f"{one.points:+.4f}"] for one in self.lost]
        score = f"score {self.score:.4f}"
        if self.perfect is None:
            return html_table([], [[score]]) + words
        caption = (
            f"{score}; {self.perfect - self.score:.4f} points lost of {self.perfect:.4f} for a perfect match"
        )
        return words + html_table(["edit or feature", "words", "points"], lost, caption)


def _words(lost: Lost) -> str:
    return " = ".join(filter(None, (" ".join(lost.reference), " ".join(lost.hypothesis))))


def _marked(words: Sequence[str], aligned: Collection[int]) -> list[str]:
    """The words, those without a partner in brackets."""
    return [word if place in aligned else f"[{word}]" for place, word in enumerate(words)]


@dataclass(frozen=True, eq=False)
class _Places:
    """The lattice with one state per place: Deletes, then Inserts, then arcs, then Jump if there is one."""

    batch: LatticeBatch
    state_of: NDArray[np.int64]
    ranges: tuple[tuple[Range, Range], ...]


def explain_lattices(
    batch: LatticeBatch,
    model: Model,
    weights: "Weights | None",
    tokens: Sequence[tuple[list[str], list[str]]],
    *,
    best: bool = True,
) -> Iterator[Explanation]:
    """Explains the score of every pair of a batch, in order.

    Args:
        batch: The lattices.
        model: The model, with its weights and scale.
        weights: The kernel's weights for this batch; None where the model has no edits.
        tokens: The tokens of each pair's reference and hypothesis.
        best: Whether the best edit sequence is wanted; without it ``edits`` is empty.

    Raises:
        PfsmError: If a pair has too many places for an explanation, such as lines of thousands of words.
    """
    base = model.scale.mean + model.scale.sd * model.alpha
    for pair, (reference, hypothesis) in enumerate(tokens):
        features = _feature_points(batch, pair, model)
        points = sum(part.points for part in features)
        if weights is None:
            plain = tuple(reference), tuple(hypothesis)
            yield Explanation(*plain, base + points, (), (), 0.0, base, features, edited=False)
            continue
        explained = _explain_edits(*_alone(batch, weights, pair), model, reference, hypothesis, best=best)
        yield replace(explained, score=explained.score + points, features=features)


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


def _feature_points(batch: LatticeBatch, pair: int, model: Model) -> tuple[FeaturePoints, ...]:
    given = batch.sentence_features
    values = given.values[pair].tolist() if given.names else []
    return tuple(
        FeaturePoints(
            name.removeprefix(FEATURE_PREFIX), value, model.scale.sd * model.weights.get(name, 0.0) * value
        )
        for name, value in zip(given.names, values, strict=True)
    )


def _explain_edits(
    batch: LatticeBatch,
    given: "Weights",
    model: Model,
    reference: Sequence[str],
    hypothesis: Sequence[str],
    *,
    best: bool,
) -> Explanation:
    """The explanation of the edit score."""
    from pfsm_kernels.inference import Weights, best_path, expectations  # noqa: PLC0415 - brings numba

    lattices = batch.lattices
    m, n = int(lattices.delete_states.size), int(lattices.insert_states.size)
    scale = model.scale.sd / max(m + n, 1)
    base = model.scale.mean + model.scale.sd * model.alpha
    edits = _edits(batch, best_path(lattices, given, 0, batch.jumps).edits) if best else ()
    if m + n == 0:
        return Explanation((), (), base, (), (), 0.0, base)
    places = _split(batch)
    table = _place_table(given.table, places.state_of)
    expected = expectations(
        places.batch.lattices, Weights(table, given.arcs, given.links), 1, places.batch.jumps
    )
    counts = expected.table[0]
    # An impossible transition has expected count 0; this avoids 0 times minus infinity.
    products = np.where(counts > 0.0, counts * np.where(counts > 0.0, table, 0.0), 0.0)
    by_place = products.sum(axis=0)
    first_arc = m + n
    for extra, mass in ((given.arcs, expected.arcs), (given.links, expected.links)):
        if extra is not None:
            by_place[first_arc : first_arc + extra.size] += extra * mass
    y = float(expected.log_sum[0])
    contributions = tuple(
        Contribution(batch.states[state], *ranges, count, value * scale)
        for state, ranges, count, value in zip(
            places.state_of.tolist(),
            places.ranges,
            counts.sum(axis=0).tolist(),
            by_place.tolist(),
            strict=True,
        )
    )
    entropy = y * scale - sum(part.points for part in contributions)
    return Explanation(
        tuple(reference), tuple(hypothesis), base + scale * y, edits, contributions, entropy, base
    )


def _split(batch: LatticeBatch) -> _Places:
    """The same lattice with a separate state for every place where an edit is possible."""
    from pfsm_kernels.lattice.lattices import Lattices  # noqa: PLC0415 - brings numba

    arrays = batch.lattices
    m, n, n_arcs = arrays.delete_states.size, arrays.insert_states.size, arrays.arcs.shape[0]
    jump = [batch.states.index(JUMP)] if batch.jumps is not None else []
    state_of = np.concatenate([arrays.delete_states, arrays.insert_states, arrays.arcs[:, 4], jump]).astype(
        np.int64
    )
    if state_of.size > MOST_PLACES:
        raise PfsmError(
            f"{state_of.size} places where an edit is possible are too many to explain one by one "
            f"(at most {MOST_PLACES}); only score such lines, or split them"
        )
    arcs = arrays.arcs.copy()
    arcs[:, 4] = np.arange(n_arcs) + m + n
    lattices = Lattices(
        state_of.size,
        np.arange(m, dtype=np.int32),
        np.arange(m, m + n, dtype=np.int32),
        arcs,
        arrays.offsets,
    )
    ranges: list[tuple[Range, Range]] = [((i, i + 1), (0, 0)) for i in range(m)]
    ranges += [((0, 0), (j, j + 1)) for j in range(n)]
    ranges += [((i, i + p), (j, j + q)) for i, p, j, q, _ in arrays.arcs.tolist()]
    ranges += [((0, 0), (0, 0))] * len(jump)
    split = LatticeBatch(
        tuple(batch.states[state] for state in state_of), lattices, jumps=_jumps(batch, lattices)
    )
    return _Places(split, state_of, tuple(ranges))


def _jumps(batch: LatticeBatch, lattices: "Lattices") -> "Jumps | None":
    from pfsm_kernels.inference import find_jumps  # noqa: PLC0415 - brings numba

    if batch.jumps is None:
        return None
    return find_jumps(lattices, lattices.n_states - 1, batch.jumps.crossings.max_jump)


def _place_table(table: NDArray[np.float64], state_of: NDArray[np.int64]) -> NDArray[np.float64]:
    """The weight table between places, float64 [P + 1, P], from that between states, float64 [S + 1, S]."""
    rows = np.append(state_of, table.shape[1])
    return np.ascontiguousarray(table[np.ix_(rows, state_of)])


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


def _edits(batch: LatticeBatch, path: NDArray[np.int32]) -> tuple[Edit, ...]:
    """The edits of the best path with the tokens that they consume."""
    from pfsm_kernels.inference import DELETE as DELETED  # noqa: PLC0415 - brings numba
    from pfsm_kernels.inference import INSERT as INSERTED  # noqa: PLC0415
    from pfsm_kernels.inference import JUMP as JUMPED  # noqa: PLC0415

    walk = _Walk()
    arcs = batch.lattices.arcs.tolist()
    codes = path.tolist()
    edits = []
    for place, code in enumerate(codes):
        if code == JUMPED:
            # The edit after a first jump is a substitution; its start is the landing.
            following = codes[place + 1] if place + 1 < len(codes) else -1
            landing = (arcs[following][0], arcs[following][2]) if following >= 0 else (walk.i, walk.j)
            walk.jump(*landing)
            edits.append(Edit(JUMP, (walk.i, walk.i), (walk.j, walk.j), walk.jumps))
        elif code == INSERTED:
            edits.append(Edit(batch.states[batch.lattices.insert_states[walk.j]], *walk.take(0, 1)))
        elif code == DELETED:
            edits.append(Edit(batch.states[batch.lattices.delete_states[walk.i]], *walk.take(1, 0)))
        else:
            _, p, _, q, state = arcs[code]
            edits.append(Edit(batch.states[state], *walk.take(p, q)))
    return tuple(edits)
