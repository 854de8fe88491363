"""Values of pairs under a head: numbers of `pfsm.encoder`'s equations, each line and pair on its own.

A line's vectors depend on that line alone and a pair's value on its two lines, summed in a fixed order. So a value is
the same to the last bit whatever is scored beside it and on any number of threads.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pfsm.arrays import Float, Float32, Int64
from pfsm.encoder.heads import EPSILON, LARGEST_TOKEN_WEIGHT, N_KNOTS, TYPICAL_LENGTH, Head


@dataclass(frozen=True, eq=False)
class LineVectors:
    """What a head makes of the pieces of a line.

    Attributes:
        units: float64 [n_pieces, D], vectors of length 1.
        edits: float64 [n_pieces, 3], what each piece adds to Insert, Delete and Substitute.
        weights: float64 [n_pieces], weights in the order-free part.
        mean: float64 [D], weighted sum of ``units``.
    """

    units: Float
    edits: Float
    weights: Float
    mean: Float


class HeadScorer:
    """A head at work."""

    def __init__(self, head: Head) -> None:
        self.head = head
        self.layers = np.flatnonzero(head.mix).tolist()
        self._mix = head.mix[self.layers].astype(np.float64)
        self._transposed = np.ascontiguousarray(head.projection.T)
        self._edits, self._token_weight = (
            one.astype(np.float64) for one in (head.token_edits, head.token_weight)
        )
        self._knots, self._unaligned = head.knots.astype(np.float64), head.edits.astype(np.float64)
        self._transitions = head.transitions.astype(np.float64)
        self.linear = head.linear.astype(np.float64)
        self.constant = float(head.constant[0])

    def rows(self, states: Float32) -> Float32:
        """The mixed layers of a line, float32 [n_pieces, D].

        Args:
            states: float32 [n_layers, n_pieces, D], of ``layers``, those that have a share.
        """
        from pfsm_kernels.dense.vectors import mixed_layers  # noqa: PLC0415 - brings numba

        return mixed_layers(np.ascontiguousarray(states), self._mix, EPSILON)

    def line(self, rows: Float32) -> LineVectors:
        """What the head makes of a line's mixed layers, float32 [n_pieces, D]."""
        from pfsm_kernels.dense.vectors import products, projected  # noqa: PLC0415 - brings numba

        z = projected(rows, self._transposed).astype(np.float64)
        # einsum without a contraction path adds in a fixed order on one thread.
        units = z / np.sqrt(np.einsum("nd,nd->n", z, z) + EPSILON)[:, np.newaxis]
        centred = z - (np.einsum("nd->n", z) / z.shape[1])[:, np.newaxis]
        variance = np.einsum("nd,nd->n", centred, centred) / z.shape[1]
        centred /= np.sqrt(variance + EPSILON)[:, np.newaxis]
        logs = np.einsum("nd,d->n", centred, self._token_weight)
        weights = np.exp(np.clip(logs, -LARGEST_TOKEN_WEIGHT, LARGEST_TOKEN_WEIGHT))
        edits = products(centred, np.ascontiguousarray(self._edits.T))
        return LineVectors(units, edits, weights, np.einsum("nd,n->d", units, weights))

    def value(self, reference: LineVectors, hypothesis: LineVectors) -> float:
        """The value of a pair."""
        return float(np.einsum("k,k->", self.parts(reference, hypothesis), self.linear)) + self.constant

    def parts(self, reference: LineVectors, hypothesis: LineVectors) -> Float:
        """What the value is a weighted sum of, float64 [6], as `pfsm.encoder.heads.PARTS`."""
        from pfsm_kernels.dense.machine import log_sums  # noqa: PLC0415 - brings numba

        cosines = self.cosines(reference, hypothesis)
        m, n = cosines.shape
        y = log_sums(*self.machine(cosines, reference, hypothesis))[0]
        lengths = np.log(max(n, 1) / max(m, 1)), np.log(max(m, 1) / TYPICAL_LENGTH)
        return np.array([y / max(m + n, 1), *lengths, *_order_free(cosines, reference, hypothesis)])

    @staticmethod
    def cosines(reference: LineVectors, hypothesis: LineVectors) -> Float:
        """Cosines of all pieces of the reference with all of the hypothesis, float64 [m, n]."""
        from pfsm_kernels.dense.vectors import products  # noqa: PLC0415 - brings numba

        return products(reference.units, hypothesis.units)

    def machine(
        self, cosines: Float, reference: LineVectors, hypothesis: LineVectors
    ) -> tuple[Float, Float, Float, Float, Int64, Int64]:
        """The log weights of the machine for one pair, as `pfsm_kernels.dense.machine` takes them.

        Returns:
            Substitutions, float64 [1, m, n]; deletions, float64 [1, m]; insertions, float64 [1, n]; transitions,
            float64 [3, 3]; m and n, int64 [1] each.
        """
        scaled = np.clip(cosines, 0.0, 1.0) * (N_KNOTS - 1)
        low = np.minimum(scaled.astype(np.int64), N_KNOTS - 2)
        matches = self._knots[low] + (scaled - low) * (self._knots[low + 1] - self._knots[low])
        matches += reference.edits[:, np.newaxis, 2] + hypothesis.edits[np.newaxis, :, 2]
        m, n = cosines.shape
        return (
            matches[np.newaxis],
            self._unaligned[1] + reference.edits[np.newaxis, :, 1],
            self._unaligned[0] + hypothesis.edits[np.newaxis, :, 0],
            self._transitions,
            np.array([m]),
            np.array([n]),
        )


def _order_free(
    cosines: Float, reference: LineVectors, hypothesis: LineVectors
) -> tuple[float, float, float]:
    """Greedy precision and recall, and the cosine of the weighted means."""
    if not cosines.size:
        equal = float(cosines.shape[0] == cosines.shape[1])
        return equal, equal, equal
    precision = _mean(cosines.max(axis=0), hypothesis.weights)
    recall = _mean(cosines.max(axis=1), reference.weights)
    a, b = reference.mean, hypothesis.mean
    squares = np.einsum("d,d->", a, a) * np.einsum("d,d->", b, b)
    return precision, recall, float(np.einsum("d,d->", a, b) / np.sqrt(squares + EPSILON))


def _mean(values: Float, weights: Float) -> float:
    return float(np.einsum("i,i->", values, weights) / max(np.einsum("i->", weights), EPSILON))


def pair_values(
    scorer: HeadScorer,
    lines: Sequence[LineVectors],
    references: Sequence[int],
    hypotheses: Sequence[int],
    *,
    relative: bool = False,
) -> Float:
    """Values of pairs of lines, given by number, float64 [n_pairs].

    Args:
        scorer: The head.
        lines: The lines.
        references: One side of each pair.
        hypotheses: The other.
        relative: Whether to take from each value that of the reference and itself.
    """
    pairs = zip(references, hypotheses, strict=True)
    values = np.array([scorer.value(lines[one], lines[other]) for one, other in pairs], dtype=np.float64)
    if relative:
        own = {one: scorer.value(lines[one], lines[one]) for one in set(references)}
        values -= np.array([own[one] for one in references], dtype=np.float64)
    return values
