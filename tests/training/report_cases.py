"""Small trainings of every kind, kept with their data for a report."""

from collections.abc import Sequence

import numpy as np

from pfsm.data import DataSource, Judgments, Preferences
from pfsm.model.file import Model
from pfsm_training.config import TrainingConfig
from pfsm_training.fit.training import Training
from pfsm_training.trainer import train
from tests.training.small_data import invented


def kept(
    judgments: Judgments | None,
    preferences: Preferences | None = None,
    config: TrainingConfig | None = None,
    init: Model | None = None,
    threads: int = 1,
) -> Training:
    """A training with all that it came from."""
    trainings: list[Training] = []
    config = config or TrainingConfig(penalty=5.0, start="matches")
    train(
        judgments, preferences=preferences, config=config, init=init, threads=threads, after=trainings.append
    )
    return trainings[0]


def preferences_of(judgments: Judgments, votes: Sequence[float] = (1.0, 2.0)) -> Preferences:
    """Of every two neighbouring translations of a reference, the one with the higher score is preferred."""
    rows = [
        (first, first + 1) if judgments.scores[first] > judgments.scores[first + 1] else (first + 1, first)
        for first in range(len(judgments) - 1)
        if judgments.references[first] == judgments.references[first + 1]
    ]
    return Preferences(
        tuple(judgments.references[better] for better, _ in rows),
        tuple(judgments.hypotheses[better] for better, _ in rows),
        tuple(judgments.hypotheses[worse] for _, worse in rows),
        np.array([votes[at % len(votes)] for at in range(len(rows))]),
        {},
        (DataSource("pairs.tsv", len(rows), "1" * 64),),
    )


def training_of(kind: str, segments: int = 14) -> Training:
    """A training on scores, on preferences, or on both."""
    judgments, others = invented(3, segments), preferences_of(invented(8, segments))
    config = TrainingConfig(penalty=2.0, start="matches", mixture=0.3)
    return kept(
        None if kind == "preferences" else judgments, None if kind == "scores" else others, config=config
    )
