"""What is learned from over an encoder: what people said, and minimal pairs beside it.

A preference asks for a difference D of the predictions of its two sides, in standard deviations of the scores, by the
loss ``s log(1 + exp((m - D) / s))``. For people's preferences the margin m is 0 and the scale s is 1; for minimal pairs
they are those of `pfsm_training.fit.minimal_pairs`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.crossval import Folds
from pfsm_training.fit.minimal_pairs import PairsText
from pfsm_training.loss.references import PairsOfItems

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Material:
    """Translations, their scores, and preferences between them.

    Attributes:
        references: One side of each sentence pair, those of the judgments first, then those of people's preferences,
            then those of the minimal pairs.
        hypotheses: The other side.
        items: Which sentence pairs each translation has.
        scores: float64 [n_scored], of the first translations.
        weights: float64 [n_scored], how much each judgment counts; None: all count the same.
        better: int64 [n_preferences], which translation is better, people's preferences first.
        worse: int64 [n_preferences].
        votes: float64 [n_preferences]; 1 for a minimal pair.
        margins: float64 [n_preferences].
        scales: float64 [n_preferences].
        n_judged: Number of sentence pairs that people judged.
        n_compared: Number of people's preferences.
        held_out: bool [n_minimal, n_folds], the folds that hold out a minimal pair.
    """

    references: list[str]
    hypotheses: list[str]
    items: PairsOfItems
    scores: Float
    weights: Float | None
    better: Int64
    worse: Int64
    votes: Float
    margins: Float
    scales: Float
    n_judged: int
    n_compared: int
    held_out: NDArray[np.bool_]


def material(text: TrainingText, minimal: PairsText | None, folds: Folds) -> Material:
    """The training text and the minimal pairs as one.

    Args:
        text: What people said.
        minimal: Minimal pairs; None: there are none.
        folds: The folds of the text.
    """
    ones = np.ones(text.votes.size)
    alone = Material(
        text.references,
        text.hypotheses,
        text.items,
        text.scores,
        text.weights,
        text.better,
        text.worse,
        text.votes,
        0.0 * ones,
        ones,
        len(text),
        text.votes.size,
        np.zeros((0, len(folds.names)), dtype=np.bool_),
    )
    return alone if minimal is None else _joined(alone, minimal)


def _joined(people: Material, minimal: PairsText) -> Material:
    made, n_items = minimal.text, len(people.items)
    offsets = np.concatenate([people.items.offsets, people.items.offsets[-1] + made.items.offsets[1:]])
    return Material(
        [*people.references, *made.references],
        [*people.hypotheses, *made.hypotheses],
        PairsOfItems(offsets, people.items.use),
        people.scores,
        people.weights,
        np.concatenate([people.better, n_items + made.better]),
        np.concatenate([people.worse, n_items + made.worse]),
        np.concatenate([people.votes, made.votes]),
        np.concatenate([people.margins, minimal.margins]),
        np.concatenate([people.scales, np.full(len(minimal), minimal.scale)]),
        people.n_judged,
        people.n_compared,
        minimal.in_fold,
    )
