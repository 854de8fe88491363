"""Learning over an encoder: how long, by cross-validation; values that no head has seen; and the head for the model.

Every fold is predicted by a head that was learned from the other folds. How many passes over the data are best is read
off these predictions. They are also what the edit weights are then fitted beside: weights that were fitted beside a
head's predictions of its own training data would trust it too much.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pfsm.embeddings import encoders
from pfsm.encoder.head import Head, head_from_bytes
from pfsm.encoder.heads import feature_name, remember
from pfsm.errors import PfsmError
from pfsm.evaluation import pearson, preference_counts
from pfsm.runtime.progress import Stage
from pfsm_training.config import AUTO, HEAD, SINGLE, EncoderOptions, TrainingConfig
from pfsm_training.data.training_text import TrainingText
from pfsm_training.encoder.fitting import (
    TUNING_BATCH,
    TUNING_PIECES,
    Lesson,
    Network,
    Part,
    fit_head,
    predictions,
)
from pfsm_training.encoder.network import HeadNetwork
from pfsm_training.encoder.pieces import encode_pairs, uniform_mix
from pfsm_training.encoder.sequences import SequenceLines
from pfsm_training.encoder.transformer import LayersNetwork
from pfsm_training.encoder.tuned import TunedNetwork
from pfsm_training.fit.checkpoint import Checkpoint
from pfsm_training.fit.crossval import FEWEST_HELD_OUT, NEVER_HELD_OUT, Folds

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]

MOST_PASSES = 8
# Where layers are tuned, which takes ten times as long.
MOST_TUNING_PASSES, MOST_TUNING_FOLDS = 3, 3
USUAL_SHARE = 0.5
AREA = "training"


@dataclass(frozen=True, eq=False)
class Learned:
    """What was learned over an encoder.

    Attributes:
        feature: Its name as a feature of the model.
        values: float64 [n_pairs], of the training pairs, each by a head that has not seen it.
        record: For the model's record of its training.
    """

    feature: str
    values: Float
    record: Mapping[str, Any]


def learn(
    given: TrainingText,
    folds: Folds,
    options: EncoderOptions,
    config: TrainingConfig,
    checkpoint: Checkpoint | None = None,
) -> Learned:
    """Learns a head.

    Args:
        given: Judged translations.
        folds: Their division for cross-validation.
        options: The encoder, and what to learn.
        config: How scores and preferences are mixed.
        checkpoint: Every fit that has ended is saved to it, and taken from it where it is there.

    Raises:
        PfsmError: If the encoder is not there, or there are too few judgments to hold some of them out.
    """
    if len(folds.names) < 2:
        raise PfsmError("encoder: needs judgments of two segments at least, so that some can be held out")
    source = encoders.pinned(options.source)
    share = USUAL_SHARE if config.mixture == AUTO else float(config.mixture)
    lesson, mix = _lesson(given, options, source, share)
    passes = MOST_PASSES if options.tune == HEAD else MOST_TUNING_PASSES
    folds = _numbered(folds) if options.tune == HEAD else _joined(_numbered(folds), MOST_TUNING_FOLDS)
    runs = _Runs(lesson, folds, checkpoint, mix, passes)
    by_pass = np.zeros((passes, len(lesson.lines)))
    with Stage(AREA, "encoder", len(folds.names) * passes, "passes") as stage:
        for fold, name in enumerate(folds.names):
            stage.place = f"without {name}"
            pairs, found = runs.held_out(fold, stage)
            by_pass[:, pairs] = found
    results = [
        [_agreement(given, values, runs.part(fold)) for fold in range(len(folds.names))] for values in by_pass
    ]
    means = [_mean(row) for row in results]
    # Among equal ones, the fewest.
    passes = 1 + max(range(passes), key=lambda place: (means[place], -place))
    with Stage(AREA, "encoder, all data", passes, "passes") as stage:
        head = runs.on_all(passes, stage)
    record = {
        "tune": options.tune,
        "source": source,
        **({} if options.layers is None else {"layers": options.layers}),
        **({} if options.precision == SINGLE else {"precision": options.precision}),
        "passes": passes,
        "held_out": {str(place): _finite(mean) for place, mean in enumerate(means, 1)},
        "folds": dict(zip(folds.names, map(_finite, results[passes - 1]), strict=True)),
    }
    return Learned(feature_name(remember(head), source), by_pass[passes - 1], record)


def _lesson(
    given: TrainingText, options: EncoderOptions, source: str, share: float
) -> tuple[Lesson, NDArray[np.float32]]:
    """What is learned from, and the share of each layer."""
    # As scoring reads them.
    sides = tuple(map(given.reader.normalised, (given.references, given.hypotheses)))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if options.tune == HEAD:
        encoder = encoders.load_encoder(source)
        mix = uniform_mix(encoder.layers + 1, _used(options, encoder.layers))
        lines = encode_pairs(encoder, mix, *sides)
        return Lesson(given, lines, share, device, partial(HeadNetwork, encoder.dimension)), mix
    tunable = encoders.tunable_encoder(source)
    used = _used(options, tunable.layers)
    mix = uniform_mix(tunable.layers + 1, used)
    weights = tunable.weights(used - 1)

    def network() -> TunedNetwork:
        layers = LayersNetwork(weights, tunable.shape, mix, options.tune, options.precision)
        return TunedNetwork(layers, weights.words.shape[1], options.tune)

    return Lesson(
        given, SequenceLines(tunable, weights, *sides), share, device, network, TUNING_BATCH, TUNING_PIECES
    ), mix


def _used(options: EncoderOptions, layers: int) -> int:
    """How many layers have a share, the embeddings included.

    Raises:
        PfsmError: If the encoder has fewer.
    """
    if options.layers is not None and options.layers > layers:
        raise PfsmError(f"encoder: layers is {options.layers}, but {options.source} has {layers}")
    return 1 + (layers if options.layers is None else options.layers)


def _joined(folds: Folds, most: int) -> Folds:
    """So many folds at most, each of every so many of the given ones: tuning an encoder takes its time."""
    if len(folds.names) <= most:
        return folds
    names = tuple("+".join(folds.names[first::most]) for first in range(most))
    return Folds(folds.by, names, folds.member % most, folds.preference_member % most)


def _numbered(folds: Folds) -> Folds:
    """The folds, with a place in one of them for preferences that are in none: each is held out once."""
    member = folds.preference_member.copy()
    others = np.flatnonzero(member == NEVER_HELD_OUT)
    member[others] = np.arange(others.size) % len(folds.names)
    return Folds(folds.by, folds.names, folds.member, member)


class _Runs:
    """Fits, one for each fold and one for all data."""

    def __init__(
        self,
        lesson: Lesson,
        folds: Folds,
        checkpoint: Checkpoint | None,
        mix: NDArray[np.float32],
        passes: int,
    ) -> None:
        self._lesson, self._folds, self._checkpoint = lesson, folds, checkpoint
        self._mix, self._passes = mix, passes

    def part(self, fold: int) -> Part:
        """What is held out in a fold."""
        folds = self._folds
        return Part(np.flatnonzero(folds.member == fold), np.flatnonzero(folds.preference_member == fold))

    def held_out(self, fold: int, stage: Stage) -> tuple[Int64, Float]:
        """The pairs of a fold, and what heads say of them after each pass: float64 [n_passes, n_pairs]."""
        given, test, folds = self._lesson.given, self.part(fold), self._folds
        judged = np.concatenate([test.scored, given.better[test.preferences], given.worse[test.preferences]])
        _, pairs = given.items.select(np.unique(judged))
        saved = None if self._checkpoint is None else self._checkpoint.learned(f"fold {fold}")
        if saved is not None:
            stage.advance(self._passes)
            return pairs, np.frombuffer(saved, dtype="<f8").reshape(self._passes, pairs.size)
        found = np.zeros((self._passes, pairs.size))

        def after(number: int, network: Network) -> None:
            found[number - 1] = predictions(network, self._lesson, pairs)
            stage.advance()

        rest = Part(np.flatnonzero(folds.member != fold), np.flatnonzero(folds.preference_member != fold))
        fit_head(self._lesson, rest, self._passes, fold + 1, after)
        if self._checkpoint is not None:
            self._checkpoint.keep_learned(f"fold {fold}", found.astype("<f8").tobytes())
        return pairs, found

    def on_all(self, passes: int, stage: Stage) -> Head:
        """The head that is learned from everything."""
        saved = None if self._checkpoint is None else self._checkpoint.learned("all")
        if saved is not None:
            return head_from_bytes(saved, "checkpoint")
        given = self._lesson.given
        everything = Part(np.arange(given.scores.size), np.arange(given.votes.size))
        network = fit_head(self._lesson, everything, passes, 0, lambda *_: stage.advance())
        # As it is read back: large matrices are rounded when they are stored.
        head = head_from_bytes(network.head(self._mix).content, "the head")
        if self._checkpoint is not None:
            self._checkpoint.keep_learned("all", head.content)
        return head


def _agreement(given: TrainingText, values: Float, part: Part) -> float:
    """Pearson's r of held-out scores; without scores, Kendall's tau (WMT12) of held-out preferences."""
    predicted = given.items.predictions(values)
    if given.scores.size:
        few = part.scored.size < FEWEST_HELD_OUT
        return math.nan if few else float(pearson(predicted[part.scored], given.scores[part.scored]))
    better, worse = (predicted[side[part.preferences]] for side in (given.better, given.worse))
    if not part.preferences.size:
        return math.nan
    return float(preference_counts(better, worse, given.votes[part.preferences]).kendall_tau("wmt12"))


def _mean(values: list[float]) -> float:
    """Over the folds in which it is defined; below all others where it is in none."""
    known = [value for value in values if math.isfinite(value)]
    return math.fsum(known) / len(known) if known else -1.0


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
