"""Learning over an encoder: how long, by cross-validation; values that no head has seen; and the head for the model.

Every fold is predicted by a head that was learned from the other folds. How many passes over the data are best is read
off these predictions. They are also what the edit weights are then fitted beside: weights that were fitted beside a
head's predictions of its own training data would trust it too much.

The fits of learning over an encoder: one for each fold, whose predictions of it are kept, and one for everything.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pfsm.arrays import Float, Int64
from pfsm.embeddings import encoders
from pfsm.encoder.feature import PieceReader
from pfsm.encoder.heads import Head, head_from_bytes, remember
from pfsm.encoder.names import feature_name
from pfsm.errors import PfsmError
from pfsm.evaluation import preference_counts
from pfsm.model.builder import TextReader
from pfsm.runtime.choice import simplest_within_noise
from pfsm.runtime.terminal import Stage
from pfsm_training.config import TrainingConfig
from pfsm_training.data.moments import correlation, finite
from pfsm_training.encoder.fitting import (
    PROCESSOR,
    TUNING_BATCH,
    TUNING_PIECES,
    Check,
    Lesson,
    Material,
    Network,
    Part,
    fit_head,
    predictions,
    side_by_side,
)
from pfsm_training.encoder.network import HeadNetwork
from pfsm_training.encoder.pieces import SequenceLines, encode_pairs, uniform_mix
from pfsm_training.encoder.transformer import LayersNetwork, TunedNetwork
from pfsm_training.fit.checkpoint import Checkpoint
from pfsm_training.fit.crossval import FEWEST_HELD_OUT, NEVER_HELD_OUT, Folds
from pfsm_training.options import AUTO, HEAD, EncoderOptions


class Runs:
    """Fits, one for each fold and one for all data.

    Args:
        lesson: What is learned from.
        folds: The division of the judged translations.
        most: So many folds at most, each of every so many of the given ones: tuning an encoder takes its time.
        checkpoint: What has ended is saved to it, and taken from it.
        mix: Share of each layer, float32 [n_layers].
        passes: Over the data, at most.

    Attributes:
        names: One a fold.
    """

    def __init__(
        self,
        lesson: Lesson,
        folds: Folds,
        most: int,
        checkpoint: Checkpoint | None,
        mix: NDArray[np.float32],
        passes: int,
    ) -> None:
        self._lesson, self._checkpoint, self._mix, self._passes = lesson, checkpoint, mix, passes
        whole = np.eye(len(folds.names), dtype=np.bool_)
        most = min(most, len(folds.names))
        parts = [slice(first, None, most) for first in range(most)]
        self.names = tuple("+".join(folds.names[part]) for part in parts)
        # bool [n_scored, n_folds]; bool [n_preferences, n_folds], with minimal pairs, which may be in several or none.
        self._judgments, self._preferences = (
            np.stack([held[:, part].any(axis=1) for part in parts], axis=1)
            for held in (
                whole[folds.member],
                np.concatenate([whole[_numbered(folds)], lesson.given.held_out]),
            )
        )

    def part(self, fold: int) -> Part:
        """What a fold holds out."""
        return Part(np.flatnonzero(self._judgments[:, fold]), np.flatnonzero(self._preferences[:, fold]))

    def held_out_part(self, fold: int) -> Part:
        """What people said that a fold holds out."""
        part = self.part(fold)
        return Part(part.scored, part.preferences[part.preferences < self._lesson.given.n_compared])

    def pairs(self, fold: int) -> Int64:
        """The sentence pairs that the judgments and preferences of a fold are about, ascending."""
        given, part = self._lesson.given, self.part(fold)
        items = [part.scored, given.better[part.preferences], given.worse[part.preferences]]
        return given.items.select(np.unique(np.concatenate(items)))[1]

    def never_held_out(self) -> Int64:
        """The sentence pairs that no fold holds out, ascending."""
        held = np.concatenate([self.pairs(fold) for fold in range(len(self.names))])
        return np.setdiff1d(np.arange(len(self._lesson.lines)), held)

    def held_out(self, threads: int, stage: Stage) -> Float:
        """What heads that have not seen them say of all pairs after each pass.

        Args:
            threads: How many folds are computed at once; the result does not depend on it.
            stage: Told of every pass.

        Returns:
            float64 [n_passes, n_pairs]; 0 for pairs that no fold holds out.
        """
        pairs = [self.pairs(fold) for fold in range(len(self.names))]
        found: dict[int, Float] = {}
        for fold, own in enumerate(pairs):
            saved = self._saved(f"fold {fold}")
            if saved is not None and len(saved) == 8 * self._passes * own.size:
                found[fold] = np.frombuffer(saved, dtype="<f8").reshape(self._passes, own.size)
        stage.advance(self._passes * len(found))
        missing = [fold for fold in range(len(self.names)) if fold not in found]

        def keep(number: int, values: Float) -> None:
            fold = missing[number]
            found[fold] = values
            if self._checkpoint is not None:
                self._checkpoint.keep_learned(f"fold {fold}", values.astype("<f8").tobytes())

        running, lock = list[str](), Lock()

        def tell(change: Callable[[str], None], name: str) -> None:
            with lock:
                change(name)
                # When none is left, the next one follows at once, or the stage ends where it was.
                stage.place = ", ".join(f"without {one}" for one in running) or stage.place

        def fit(fold: int, check: Check) -> Float:
            """What heads say of the pairs of a fold after each pass: float64 [n_passes, n_pairs]."""
            lesson = replace(self._lesson, check=check)
            values = np.zeros((self._passes, pairs[fold].size))
            rest = Part(
                np.flatnonzero(~self._judgments[:, fold]), np.flatnonzero(~self._preferences[:, fold])
            )

            def after(number: int, network: Network) -> None:
                values[number - 1] = predictions(network, lesson, pairs[fold])
                stage.advance()

            tell(running.append, self.names[fold])
            try:
                fit_head(lesson, rest, self._passes, fold + 1, after)
            finally:
                tell(running.remove, self.names[fold])
            return values

        side_by_side([partial(fit, fold) for fold in missing], threads, keep)
        by_pass = np.zeros((self._passes, len(self._lesson.lines)))
        # In the order of the folds: several may hold out the same minimal pair.
        for fold, own in enumerate(pairs):
            by_pass[:, own] = found[fold]
        return by_pass

    def _saved(self, name: str) -> bytes | None:
        return None if self._checkpoint is None else self._checkpoint.learned(name)

    def on_all(self, passes: int, stage: Stage) -> Head:
        """The head that is learned from everything."""
        saved = self._saved("all")
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


def _numbered(folds: Folds) -> Int64:
    """The fold of each preference; those that are in none are shared out, so that each is held out once."""
    member = folds.preference_member.copy()
    others = np.flatnonzero(member == NEVER_HELD_OUT)
    member[others] = np.arange(others.size) % len(folds.names)
    return member


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
        values: float64 [n_judged], of the pairs that people judged, each by a head that has not seen it.
        of_pairs: float64 [n_made], of the sentence pairs of minimal pairs; of those that no fold holds out, what the
            head says that was learned from everything.
        record: For the model's record of its training.
    """

    feature: str
    values: Float
    of_pairs: Float
    record: Mapping[str, Any]


def learn(
    given: Material,
    folds: Folds,
    reader: TextReader,
    config: TrainingConfig,
    checkpoint: Checkpoint | None = None,
    threads: int = 1,
    *,
    relative: bool = False,
) -> Learned:
    """Learns a head.

    Args:
        given: Judged translations, and minimal pairs.
        folds: Their division for cross-validation.
        reader: Reads text as scoring does.
        config: The encoder, what to learn, and how scores, preferences and minimal pairs are mixed.
        checkpoint: Every fit that has ended is saved to it, and taken from it where it is there.
        threads: How many folds are learned from at once; what is learned does not depend on it.
        relative: Whether a value is the difference to that of the reference and itself.

    Raises:
        PfsmError: If the encoder is not there, or there are too few judgments to hold some of them out.
    """
    options = config.encoder or EncoderOptions()
    if len(folds.names) < 2:
        raise PfsmError("encoder: needs judgments of two segments at least, so that some can be held out")
    source = encoders.pinned(options.source)
    share = USUAL_SHARE if config.mixture == AUTO else float(config.mixture)
    lesson, mix = _lesson(given, options, reader, source, share, relative)
    passes = MOST_PASSES if options.tune == HEAD else MOST_TUNING_PASSES
    most = len(folds.names) if options.tune == HEAD else MOST_TUNING_FOLDS
    runs = Runs(lesson, folds, most, checkpoint, mix, passes)
    # A GPU is busy with one fit.
    at_once = min(threads, len(runs.names)) if lesson.device.type == PROCESSOR else 1
    with Stage(AREA, "encoder", len(runs.names) * passes, "passes", at_once) as stage:
        by_pass = runs.held_out(at_once, stage)
    results = [
        [_agreement(given, values, runs.held_out_part(fold)) for fold in range(len(runs.names))]
        for values in by_pass
    ]
    means = [_mean(row) for row in results]
    passes = passes_of(means)
    with Stage(AREA, "encoder, all data", passes, "passes") as stage:
        head = runs.on_all(passes, stage)
    record = {
        **options.record(source),
        "passes": passes,
        "held_out": {str(place): finite(mean) for place, mean in enumerate(means, 1)},
        "folds": dict(zip(runs.names, map(finite, results[passes - 1]), strict=True)),
    }
    values, label = by_pass[passes - 1], remember(head)
    pairs = runs.never_held_out()
    if pairs.size:
        sides = (reader.normalised(side) for side in (given.hypotheses, given.references))
        of_head = PieceReader(label, source).values(
            *([side[one] for one in pairs.tolist()] for side in sides), relative=relative
        )
        values[pairs] = of_head
    return Learned(feature_name(label, source), values[: given.n_judged], values[given.n_judged :], record)


def _lesson(
    given: Material, options: EncoderOptions, reader: TextReader, source: str, share: float, relative: bool
) -> tuple[Lesson, NDArray[np.float32]]:
    """What is learned from, and the share of each layer."""
    # As scoring reads them.
    sides = tuple(map(reader.normalised, (given.references, given.hypotheses)))
    device = torch.device("cuda" if torch.cuda.is_available() else PROCESSOR)
    if options.tune == HEAD:
        encoder = encoders.load_encoder(source)
        mix = uniform_mix(encoder.layers + 1, _used(options, encoder.layers))
        lines = encode_pairs(encoder, mix, *sides)
        network_of = partial(HeadNetwork, encoder.dimension, relative=relative)
        return Lesson(given, lines, share, options.minimal_pairs, device, network_of), mix
    tunable = encoders.tunable_encoder(source)
    used = _used(options, tunable.layers)
    mix = uniform_mix(tunable.layers + 1, used)
    weights = tunable.weights(used - 1)

    def network() -> TunedNetwork:
        layers = LayersNetwork(weights, tunable.shape, mix, options.tune, options.precision)
        return TunedNetwork(layers, weights.words.shape[1], options.tune, relative=relative)

    rest = (share, options.minimal_pairs, device, network, TUNING_BATCH, TUNING_PIECES)
    return Lesson(given, SequenceLines(tunable, weights, *sides), *rest), mix


def _used(options: EncoderOptions, layers: int) -> int:
    """How many layers have a share, the embeddings included."""
    if options.layers is not None and options.layers > layers:
        raise PfsmError(f"encoder: layers is {options.layers}, but {options.source} has {layers}")
    return 1 + (layers if options.layers is None else options.layers)


def _agreement(given: Material, values: Float, part: Part) -> float:
    """Pearson's r of held-out scores; without scores, Kendall's tau (WMT12) of held-out preferences."""
    predicted = given.items.predictions(values)
    if given.scores.size:
        if part.scored.size < FEWEST_HELD_OUT:
            return math.nan
        weights = None if given.weights is None else given.weights[part.scored]
        return correlation(predicted[part.scored], given.scores[part.scored], weights)
    better, worse = (predicted[side[part.preferences]] for side in (given.better, given.worse))
    if not part.preferences.size:
        return math.nan
    return float(preference_counts(better, worse, given.votes[part.preferences]).kendall_tau("wmt12"))


def passes_of(means: Sequence[float]) -> int:
    """The number of passes with the highest mean agreement, given that after each; of equal ones the fewest."""
    return 1 + simplest_within_noise(means)


def _mean(values: list[float]) -> float:
    """Over the folds in which it is defined; below all others where it is in none."""
    known = [value for value in values if math.isfinite(value)]
    return math.fsum(known) / len(known) if known else -1.0
