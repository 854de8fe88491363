"""Explanation of a pair's score: the best edit sequence, alignment posteriors, and the contribution of each edit.

The log-sum is the expected score of an edit sequence plus the entropy of the distribution over sequences,

    y = sum_e p(e) Q(e) + H(p),     p(e) = exp(Q(e) - y),

and Q is a sum over edits. So every edit contributes its expected count times its weights: the weight of its state and
those of the transitions into it. Divided by m + n and scaled, the contributions, the entropy and the constant add up to
the predicted score. If a model has sentence-level features, each adds its weight times its value. `position_scores`
finds these numbers, `lattices` makes explanations of them.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pfsm.model.explain.contributions import Contribution, Range
from pfsm.model.labels import short_label
from pfsm.runtime.charts import html_table

__all__ = [
    "Agreement",
    "Contribution",
    "Edit",
    "EncoderPoints",
    "Explanation",
    "FeaturePoints",
    "Lost",
    "PieceMatch",
    "Range",
    "TextError",
]


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
