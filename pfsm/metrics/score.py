"""Scores that print themselves, in sacrebleu's manner."""

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


class Score(float):
    """A score: a number that prints itself and knows where it came from.

    Attributes:
        name: Name of the metric or model.
        signature: Everything that can change the number, ``key:value|…|version:X``.
        segment_scores: float64 [n_segments], the scores that this one is the unweighted mean of; empty if it is
            computed from pooled counts instead.
    """

    name: str
    signature: str
    segment_scores: Float

    @classmethod
    def of(cls, segment_scores: Float, name: str, signature: str) -> "Score":
        """The mean of segment scores: the score of a system, or of one sentence."""
        return cls._made(segment_scores.mean(), segment_scores, name, signature)

    @classmethod
    def of_counts(cls, value: float, name: str, signature: str) -> "Score":
        """The score of a system from pooled counts."""
        return cls._made(value, np.zeros(0), name, signature)

    @classmethod
    def _made(cls, value: float, segment_scores: Float, name: str, signature: str) -> "Score":
        score = cls(value)
        score.name, score.signature, score.segment_scores = name, signature, segment_scores
        return score

    @property
    def score(self) -> float:
        """The number itself, as in sacrebleu."""
        return float(self)

    def __str__(self) -> str:
        return f"{self.name}|{self.signature} = {float(self):.4f}"

    def __repr__(self) -> str:
        return f"Score({float(self)!r}, {self.name!r}, {self.signature!r})"
