"""Learning over an encoder: how long, by cross-validation; values that no head has seen; and the head for the model.

Every fold is predicted by a head that was learned from the other folds. How many passes over the data are best is read
off these predictions. They are also what the edit weights are then fitted beside: weights that were fitted beside a
head's predictions of its own training data would trust it too much.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pfsm.embeddings import encoders
from pfsm.encoder.feature import PieceReader
from pfsm.encoder.heads import feature_name, remember
from pfsm.errors import PfsmError
from pfsm.evaluation import preference_counts
from pfsm.model.builder import TextReader
from pfsm.runtime.choice import simplest_within_noise
from pfsm.runtime.progress import Stage
from pfsm_training.config import TrainingConfig
from pfsm_training.data.moments import correlation, finite
from pfsm_training.encoder.fitting import PROCESSOR, TUNING_BATCH, TUNING_PIECES, Lesson, Part
from pfsm_training.encoder.material import Material
from pfsm_training.encoder.network import HeadNetwork
from pfsm_training.encoder.pieces import SequenceLines, encode_pairs, uniform_mix
from pfsm_training.encoder.runs import Division, Runs
from pfsm_training.encoder.transformer import LayersNetwork, TunedNetwork
from pfsm_training.fit.checkpoint import Checkpoint
from pfsm_training.fit.crossval import FEWEST_HELD_OUT, Folds
from pfsm_training.options import AUTO, HEAD, SINGLE, EncoderOptions

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
    runs = Runs(lesson, Division.of(folds, given, most), checkpoint, mix, passes)
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
        "tune": options.tune,
        "source": source,
        **({} if options.layers is None else {"layers": options.layers}),
        **({} if options.precision == SINGLE else {"precision": options.precision}),
        **({"minimal_pairs": options.minimal_pairs} if options.minimal_pairs else {}),
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
