"""Scores that print themselves, in sacrebleu's manner."""

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


class Score(float):
    """A score: a number that prints itself and knows where it came from.

    Attributes:
        name: Name of the metric or model.
        signature: Everything that can change the number, ``key:value|…|version:X``.
        short_signature: ``pfsm:NAME:DIGEST:VERSION``, which is printed; empty where only the long one is known.
        segment_scores: float64 [n_segments], the scores that this one is the unweighted mean of; empty if it is
            computed from pooled counts instead.
    """

    name: str
    signature: str
    short_signature: str
    segment_scores: Float

    @classmethod
    def of(cls, segment_scores: Float, name: str, signature: str, short: str = "") -> "Score":
        """The mean of segment scores: the score of a system, or of one sentence."""
        return cls._made(segment_scores.mean(), segment_scores, name, signature, short)

    @classmethod
    def of_counts(cls, value: float, name: str, signature: str, short: str = "") -> "Score":
        """The score of a system from pooled counts."""
        return cls._made(value, np.zeros(0), name, signature, short)

    @classmethod
    def _made(cls, value: float, segment_scores: Float, name: str, signature: str, short: str) -> "Score":
        score = cls(value)
        score.name, score.signature, score.segment_scores = name, signature, segment_scores
        score.short_signature = short
        return score

    @property
    def score(self) -> float:
        """The number itself, as in sacrebleu."""
        return float(self)

    def __str__(self) -> str:
        return f"{self.short_signature or f'{self.name}|{self.signature}'} = {float(self):.4f}"

    def _repr_html_(self) -> str:
        """The score with its signature, for notebooks."""
        from pfsm.runtime.html_table import html_table  # noqa: PLC0415 - for notebooks alone

        return html_table(["", "score"], [[self.name, f"{float(self):.4f}"]], self.signature)

    def __repr__(self) -> str:
        return f"Score({float(self)!r}, {self.name!r}, {self.signature!r})"
