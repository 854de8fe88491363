"""Explanation of a pair's score: the best edit sequence, alignment posteriors, and the contribution of each edit.

The log-sum is the expected score of an edit sequence plus the entropy of the distribution over sequences,

    y = sum_e p(e) Q(e) + H(p),     p(e) = exp(Q(e) - y),

and Q is a sum over edits. So every edit contributes its expected count times its weights: the weight of its state and
those of the transitions into it. Divided by m + n and scaled, the contributions, the entropy and the constant add up to
the predicted score. If a model has sentence-level features, each adds its weight times its value.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from pfsm.model.labels import short_label
from pfsm.runtime.charts import html_table

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
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


@dataclass(frozen=True, eq=False)
class Contributions(Sequence[Contribution]):
    """Contributions as arrays; equal to any sequence of the same ones.

    Attributes:
        names: Names of states.
        states: int64 [n], which of them each has.
        ranges: int64 [n, 4], first and last token of the reference, and of the hypothesis.
        posteriors: float64 [n].
        points: float64 [n].
    """

    names: tuple[str, ...]
    states: Int64
    ranges: Int64
    posteriors: Float
    points: Float

    @cached_property
    def _objects(self) -> tuple[Contribution, ...]:
        columns = (self.states, self.ranges, self.posteriors, self.points)
        return tuple(
            Contribution(self.names[state], (r0, r1), (h0, h1), posterior, points)
            for state, (r0, r1, h0, h1), posterior, points in zip(
                *(column.tolist() for column in columns), strict=True
            )
        )

    def __len__(self) -> int:
        """Number of places where an edit is possible."""
        return self.states.size

    @overload
    def __getitem__(self, place: int) -> Contribution: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Contribution, ...]: ...

    def __getitem__(self, place: int | slice) -> Contribution | tuple[Contribution, ...]:
        """One contribution, or some."""
        return self._objects[place]

    def __iter__(self) -> Iterator[Contribution]:
        """The contributions in order."""
        return iter(self._objects)

    def __eq__(self, other: object) -> bool:
        """Whether the other is a sequence of the same contributions."""
        return self._objects == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        """As of the tuple of contributions."""
        return hash(self._objects)


def as_arrays(parts: Sequence[Contribution]) -> Contributions:
    """Any sequence of contributions as arrays."""
    if isinstance(parts, Contributions):
        return parts
    names = tuple(sorted({part.state for part in parts}))
    return Contributions(
        names,
        np.array([names.index(part.state) for part in parts], dtype=np.int64),
        np.array([(*part.reference, *part.hypothesis) for part in parts], dtype=np.int64).reshape(-1, 4),
        np.array([part.posterior for part in parts], dtype=np.float64),
        np.array([part.points for part in parts], dtype=np.float64),
    )


def points_by_word(ranges: Int64, points: Float, lengths: tuple[int, int]) -> tuple[Float, Float, float]:
    """Points by word of the reference, by word that only the hypothesis has, and of jumps; of blocks in equal parts.

    Args:
        ranges: int64 [n, 4], as in `Contributions`.
        points: float64 [n].
        lengths: Numbers of words of the reference and of the hypothesis.
    """
    r0, r1, h0, h1 = ranges.T
    of_reference = r1 > r0
    first, sizes = np.where(of_reference, r0, lengths[0] + h0), np.where(of_reference, r1 - r0, h1 - h0)
    consuming = sizes > 0
    jumps = float(points[~consuming].sum())
    first, sizes, points = first[consuming], sizes[consuming], points[consuming]
    starts = np.cumsum(sizes) - sizes
    words = np.arange(sizes.sum()) + np.repeat(first - starts, sizes)
    shares = np.repeat(points / sizes, sizes)
    sums = np.bincount(words, shares, minlength=sum(lengths)).astype(np.float64)
    return sums[: lengths[0]], sums[lengths[0] :], jumps


@dataclass(frozen=True)
class Agreement:
    """What holds of two substituted words.

    Attributes:
        state: State of the substitution, such as ``S_word``.
        reference: Tokens of the reference, [first, last).
        hypothesis: Tokens of the hypothesis, [first, last).
        feature: Name of the feature, such as ``role:same``.
        value: 1, or the probability that it holds.
        points: What it adds to the score if the substitution is made.
    """

    state: str
    reference: Range
    hypothesis: Range
    feature: str
    value: float
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
        parts: Of each of `pfsm.encoder.heads.PARTS`: its name, its number and its points.
        matches: Pieces that are matched more likely than not, in the order of the reference; their points are part of
            those of ``alignment``.
        pieces: Of the reference and of the hypothesis, each piece with its distance to the nearest of the other side.
    """

    constant: float
    parts: tuple[tuple[str, float, float], ...]
    matches: tuple[PieceMatch, ...]
    pieces: tuple[tuple[tuple[str, float], ...], tuple[tuple[str, float], ...]] = ((), ())


@dataclass(frozen=True)
class TextError:
    """A run of words of the translation, or a place where words are missing, and what it costs.

    Attributes:
        start: First character in the translation as its user wrote it, in code points from 0.
        end: The end; where words are missing the start.
        severity: ``minor`` or ``major``.
        points: Share of the loss, the score of the reference with itself less that of the translation; at least 0.
        text: The words.
        correction: The words of the reference in their place; empty for what should not be there.
    """

    start: int
    end: int
    severity: str
    points: float
    text: str
    correction: str


@dataclass(frozen=True)
class Lost:
    """Points that a pair loses against its reference with itself: see `pfsm.model.explain.explaining`.

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
        base: Points before anything is added: ``mean + sd * alpha``; in the relative form less the points of the
            reference with itself, so that a perfect match scores 100, and minus what exceeds that.
        features: One for every sentence-level feature, in the order of the settings.
        edited: Whether the model has edits. If it has none, edits and contributions are empty.
        perfect: Score of the reference with itself; None where it is not known.
        lost: Where the points between the two scores are lost, largest first; they add up to the difference.
        counted: Which of several references this is, such as ``2 of 3, b.txt``; empty for a single one.
        encoder: What the model's feature ``encoder`` consists of; None where it has none.
        agreements: What ``dep``, ``role`` and their like say of the words that are matched; empty without them.
        errors: Where the loss is in the text, most points first; they add up to it.
        undo: Of each error, what mending it alone gains (`pfsm.Metric.undone`); such gains need not add up to the loss.
    """

    reference: tuple[str, ...]
    hypothesis: tuple[str, ...]
    score: float
    edits: tuple[Edit, ...]
    contributions: Sequence[Contribution]
    entropy: float
    base: float
    features: tuple[FeaturePoints, ...] = ()
    edited: bool = True
    perfect: float | None = None
    lost: tuple[Lost, ...] = ()
    counted: str = ""
    encoder: EncoderPoints | None = None
    agreements: tuple[Agreement, ...] = ()
    errors: tuple[TextError, ...] = ()
    undo: tuple[float, ...] = ()

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
        lost = [[short_label(one.state), _words(one), f"{one.points:+.4f}"] for one in self.lost]
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


def explanation_document(explanation: Explanation, mean: float | None = None) -> dict[str, Any]:
    """What there is to an explanation: without edits nothing that would look like an empty alignment.

    ``score`` is the segment's, as `pfsm score` gives it. Where that is a mean over references, ``score_of_reference``
    is the score against the reference that is explained, to which the contributions add up.

    Args:
        explanation: The explanation.
        mean: The mean over references; None: the score is that of the explanation.
    """
    values = asdict(replace(explanation, contributions=tuple(explanation.contributions)))
    if explanation.encoder is None:
        del values["encoder"]
    else:
        del values["encoder"]["pieces"]
    if not explanation.agreements:
        del values["agreements"]
    if mean is not None:
        values |= {"score": mean, "score_of_reference": explanation.score}
    if explanation.edited:
        return {**values, "alignment": explanation.alignment}
    return {key: value for key, value in values.items() if key not in {"edits", "contributions", "entropy"}}
