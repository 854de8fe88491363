"""A score: a number that knows where it came from."""

import numpy as np

from pfsm.arrays import Float


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
    def of(cls, value: float | Float, name: str, signature: str, short: str = "") -> "Score":
        """The mean of segment scores: the score of a system, or of one sentence; or a system's from pooled counts."""
        score = cls(np.mean(value))
        score.segment_scores = value if isinstance(value, np.ndarray) else np.zeros(0)
        score.name, score.signature, score.short_signature = name, signature, short
        return score

    @property
    def score(self) -> float:
        """The number itself, as in sacrebleu."""
        return float(self)

    def __str__(self) -> str:
        return f"{self.short_signature or f'{self.name}|{self.signature}'} = {float(self):.4f}"

    def _repr_html_(self) -> str:
        """The score with its signature, for notebooks."""
        from pfsm.runtime.charts import html_table  # noqa: PLC0415 - for notebooks alone

        return html_table(["", "score"], [[self.name, f"{float(self):.4f}"]], self.signature)

    def __repr__(self) -> str:
        return f"Score({float(self)!r}, {self.name!r}, {self.signature!r})"
