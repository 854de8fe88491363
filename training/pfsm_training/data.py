"""What training sees: scored pairs and pairs that people preferred one of, as the lattices of one batch."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.builder import LatticeBuilder
from pfsm.data import Judgments, Preferences
from pfsm.lattice import LatticeBatch
from pfsm_training.features import select_pairs

Float = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Scored pairs come first in the batch, one a judgment; then the distinct pairs of the preferences.

    Attributes:
        batch: Lattices of all pairs.
        scores: float64 [n_scored], in the units of the data.
        better: int64 [n_preferences], which pair of the batch is the preferred translation.
        worse: int64 [n_preferences], which is the other.
        votes: float64 [n_preferences].
    """

    batch: LatticeBatch
    scores: Float
    better: Rows
    worse: Rows
    votes: Float

    def select(self, scored: Rows, preferences: Rows) -> "TrainingData":
        """Some of the judgments and some of the preferences, in the order given."""
        pairs = np.concatenate([self.better[preferences], self.worse[preferences]])
        kept, places = np.unique(pairs, return_inverse=True)
        places = places.astype(np.int64) + scored.size
        return TrainingData(
            select_pairs(self.batch, np.concatenate([scored, kept])),
            self.scores[scored],
            places[: preferences.size],
            places[preferences.size :],
            self.votes[preferences],
        )

    def without_preferences(self) -> "TrainingData":
        """The scored pairs alone."""
        none = np.zeros(0, dtype=np.int64)
        return self.select(np.arange(self.scores.size), none)


def encode(
    judgments: Judgments | None, preferences: Preferences | None, builder: LatticeBuilder
) -> TrainingData:
    """Lattices of all that is to be trained on, in the order given.

    Raises:
        PfsmError: As ``LatticeBuilder.build``.
    """
    references, hypotheses, place = training_text(judgments, preferences)
    scores = np.zeros(0) if judgments is None else judgments.scores
    better, worse, votes = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
    if preferences is not None:
        better = _places(place, preferences.references, preferences.better)
        worse = _places(place, preferences.references, preferences.worse)
        votes = preferences.votes
    return TrainingData(builder.build(references, hypotheses), scores, better, worse, votes)


def training_text(
    judgments: Judgments | None, preferences: Preferences | None
) -> tuple[list[str], list[str], dict[tuple[str, str], int]]:
    """References and hypotheses in the order of the batch, and where each distinct pair of a preference stands."""
    references = [] if judgments is None else list(judgments.references)
    hypotheses = [] if judgments is None else list(judgments.hypotheses)
    place: dict[tuple[str, str], int] = {}
    if preferences is not None:
        rows = zip(preferences.references, preferences.better, preferences.worse, strict=True)
        for reference, *both in rows:
            for hypothesis in both:
                if (reference, hypothesis) not in place:
                    place[reference, hypothesis] = len(references)
                    references.append(reference)
                    hypotheses.append(hypothesis)
    return references, hypotheses, place


def _places(place: dict[tuple[str, str], int], references: Sequence[str], hypotheses: Sequence[str]) -> Rows:
    return np.array([place[pair] for pair in zip(references, hypotheses, strict=True)], dtype=np.int64)
