"""Alignments of many pairs at once: the best edit sequences, and what each kind of edit adds to the scores.

An `Explanation` says what every edit at every place adds. That is worked out place by place and takes long. Here the
points are added up by kind of edit, which one pass over the lattices gives: the log-sum is

    y = sum over transitions of (expected number of uses * weight) + H,

with the entropy H of the distribution over edit sequences, so the points of the kinds, the entropy, the constant and
the features add up to the score.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import DELETE, FEATURE_PREFIX, INSERT, JUMP, base_state
from pfsm.model.explain.explanation import Edit
from pfsm.model.explain.lattices import best_edits, perfect_values
from pfsm.model.file import Model
from pfsm.model.settings import RELATIVE

if TYPE_CHECKING:
    from pfsm_kernels.inference import Weights

Float = NDArray[np.float64]

BASE, ENTROPY = "base", "entropy"


@dataclass(frozen=True)
class Alignment:
    """How a hypothesis is made from its reference.

    Attributes:
        reference: Tokens of the reference.
        hypothesis: Tokens of the hypothesis.
        edits: The best edit sequence, in order; empty for a model without edits.
        posteriors: The probability of each of the edits at its place; 1 for jumps, which are not told apart.
    """

    reference: tuple[str, ...]
    hypothesis: tuple[str, ...]
    edits: tuple[Edit, ...] = ()
    posteriors: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Alignments:
    """Alignments of pairs, and their scores in parts.

    Attributes:
        parts: Names of the parts: ``base``, which every pair gets; the states of the model; ``entropy``, if it has any;
            its sentence-level features.
        points: float64 [n_pairs, n_parts]; a row adds up to the score of its pair.
        counts: float64 [n_pairs, n_parts], expected numbers of edits; 0 for parts that are not states.
        pairs: One for every pair.
    """

    parts: tuple[str, ...]
    points: Float
    counts: Float
    pairs: tuple[Alignment, ...]


def part_names(batch: LatticeBatch) -> tuple[str, ...]:
    """Names of the parts of a score, as in `Alignments`."""
    features = [name.removeprefix(FEATURE_PREFIX) for name in batch.sentence_features.names]
    return (BASE, *batch.states, *([ENTROPY] if batch.states else []), *features)


def align_lattices(
    batch: LatticeBatch,
    model: Model,
    weights: "Weights | None",
    tokens: Sequence[tuple[list[str], list[str]]],
    threads: int = 1,
) -> Alignments:
    """Alignments of every pair of a batch, in order.

    Args:
        batch: The lattices.
        model: The model, with its weights and scale.
        weights: The kernel's weights for this batch; None where the model has no edits.
        tokens: The tokens of each pair's reference and hypothesis.
        threads: Threads for the expected counts; the result does not depend on them.
    """
    names, n = part_names(batch), len(batch)
    points, counts = np.zeros((n, len(names))), np.zeros((n, len(names)))
    points[:, 0] = model.scale.mean + model.scale.sd * model.alpha
    given = batch.sentence_features
    first = len(names) - len(given.names)
    for place, name in enumerate(given.names):
        points[:, first + place] = model.scale.sd * model.weights.get(name, 0.0) * given.values[:, place]
    highest = points[:, 0].copy()
    points[:, 0] -= model.scale.sd * perfect_values(batch, model, threads)
    if weights is None:
        _limit(points, highest, model)
        return Alignments(names, points, counts, tuple(Alignment(tuple(r), tuple(h)) for r, h in tokens))
    states = slice(1, 1 + len(batch.states))
    used, added, entropy, arcs = _expected(batch, weights, threads)
    scale = model.scale.sd / np.maximum(batch.lattices.lengths, 1)
    counts[:, states] = used
    points[:, states] = added * scale[:, None]
    points[:, states.stop] = entropy * scale
    _limit(points, highest, model)
    ends = batch.lattices.offsets[:, 2].tolist()
    pairs = tuple(
        _alignment(batch, weights, pair, arcs[ends[pair] : ends[pair + 1]], *tokens[pair])
        for pair in range(n)
    )
    return Alignments(names, points, counts, pairs)


def _limit(points: Float, highest: Float, model: Model) -> None:
    """In the relative form, takes from the base what a pair has above the highest score."""
    if model.settings.form == RELATIVE:
        points[:, 0] -= np.maximum(points.sum(axis=1) - highest, 0.0)


def joined(parts: Sequence[Alignments]) -> Alignments:
    """The alignments of several batches of one model, as one."""
    return Alignments(
        parts[0].parts,
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.counts for part in parts]),
        tuple(pair for part in parts for pair in part.pairs),
    )


def _expected(batch: LatticeBatch, weights: "Weights", threads: int) -> tuple[Float, Float, Float, Float]:
    """Expected uses of states and their weights, float64 [n, S] each; entropies, [n]; posteriors of arcs, [n_arcs]."""
    from pfsm_kernels.inference import expectations  # noqa: PLC0415 - brings numba

    expected = expectations(batch.lattices, weights, threads, batch.jumps)
    counts = expected.table
    # An impossible transition has expected count 0; this avoids 0 times minus infinity.
    possible = np.where(np.isfinite(weights.table), weights.table, 0.0)
    added = (counts * possible).sum(axis=1)
    arcs = batch.lattices.arcs
    pair_of = np.repeat(np.arange(len(batch)), np.diff(batch.lattices.offsets[:, 2]))
    for extra, mass in ((weights.arcs, expected.arcs), (weights.links, expected.links)):
        if extra is not None:
            np.add.at(added, (pair_of, arcs[:, 4]), extra * mass)
    return counts.sum(axis=1), added, expected.log_sum - added.sum(axis=1), expected.arcs


def _alignment(
    batch: LatticeBatch,
    weights: "Weights",
    pair: int,
    mass: Float,
    reference: list[str],
    hypothesis: list[str],
) -> Alignment:
    """The best edit sequence of a pair, with the posterior of each edit; ``mass`` has those of the pair's arcs."""
    edits, path = best_edits(batch, weights, pair)
    arcs = batch.lattices.arcs[slice(*batch.lattices.offsets[pair : pair + 2, 2].tolist())]
    deleted = 1.0 - _covered(arcs[:, :2], mass, len(reference))
    inserted = 1.0 - _covered(arcs[:, 2:4], mass, len(hypothesis))
    substituted = iter(mass[path[path >= 0]].tolist())
    found = []
    for edit in edits:
        base = base_state(edit.state)
        if base == DELETE:
            found.append(float(deleted[edit.reference[0]]))
        elif base == INSERT:
            found.append(float(inserted[edit.hypothesis[0]]))
        else:
            found.append(1.0 if base == JUMP else next(substituted))
    # Rounding may leave a probability just outside.
    return Alignment(tuple(reference), tuple(hypothesis), edits, tuple(min(max(p, 0.0), 1.0) for p in found))


def _covered(blocks: NDArray[np.int32], mass: Float, length: int) -> Float:
    """The probability that a token is in a substitution, float64 [length]; rows of ``blocks`` are first and size."""
    steps = np.zeros(length + 1)
    np.add.at(steps, blocks[:, 0], mass)
    np.add.at(steps, blocks[:, 0] + blocks[:, 1], -mass)
    return np.cumsum(steps)[:length]
