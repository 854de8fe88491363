"""Scales: 100 for a translation equal to the reference, 0 for one with nothing in common; and heads added to models."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pfsm.embeddings.encoders import pinned
from pfsm.encoder.feature import PieceReader
from pfsm.encoder.heads import Head, feature_name, is_encoder_feature, remember
from pfsm.errors import PfsmError
from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import DELETE, INSERT, sentence_feature
from pfsm.matchers.registry import matcher_state
from pfsm.model.builder import LatticeBuilder
from pfsm.model.file import Model, Scale
from pfsm.model.metric import Metric
from pfsm.model.settings import RELATIVE
from pfsm_kernels.lattice.lattices import Lattices
from pfsm_training.lattices.features import select_pairs

NOTE = (
    "100: the translation equals the reference; 0: it has nothing in common with a reference of its length "
    "(medians over the training references). Better than the first or worse than the second is possible."
)

RELATIVE_NOTE = (
    "100: the translation equals the reference, and no other has more; 0: it is empty or has nothing in common with "
    "the reference, whichever is worse (medians over training references). Worse is possible."
)
MOST_REFERENCES = 500

# Smallest difference of ``y / (m + n)`` between equal and nothing in common; anything less is rounding.
SMALLEST_DISTANCE = 1e-9
# A Georgian letter: it has no capital, and no language with judgments uses it.
STRANGE_LETTER = "\u10df"
_NO_TOKEN = "no reference has a token, so there is nothing to anchor the scale to"


def anchored(model: Model, references: Sequence[str], threads: int = 1) -> Model:
    """The same model on the anchored scale; the order of any two translations is unchanged.

    A model with sentence-level features, or with blocks of several tokens, keeps its weights; only its scale is
    shifted and stretched. The median score of a reference against itself becomes 100. The median score of a line with
    as many words, each as long, in letters that no reference has becomes 0.

    Any other model is anchored in two steps. Every edit sequence consumes every token exactly once. So no prediction
    changes if a constant per consumed token is added to the weights and subtracted from alpha. The constant is chosen
    such that ``y / (m + n)`` is 0 for a translation with nothing in common. An empty pair then scores like such a
    translation, since its ``y / (m + n)`` is 0 by definition. Mean and sd are set so that the anchors score 0 and 100.

    Args:
        model: A trained model.
        references: The training references; duplicates count once.
        threads: Threads over pairs.

    Raises:
        PfsmError: If no reference has a token, or if an equal translation does not score above one with nothing in
            common.
    """
    if model.settings.form == RELATIVE:
        return relative(model, references, threads)
    distinct = sorted(set(references))
    # A block is one visit to its state, whatever its size, so no weight can carry a constant for each token.
    if model.settings.features or any(size > 1 for size in model.settings.max_block.values()):
        return _rescaled(model, distinct, threads)
    same = LatticeBuilder(model.settings).build(distinct, distinct)
    same = select_pairs(same, np.flatnonzero(same.lattices.lengths))
    if not len(same):
        raise PfsmError(_NO_TOKEN)
    nothing = _median(without_arcs(same), model.weights, threads)
    weights = {
        **model.weights,
        INSERT: model.weights.get(INSERT, 0.0) - nothing,
        DELETE: model.weights.get(DELETE, 0.0) - nothing,
    }
    for state in map(matcher_state, model.settings.matchers):
        weights[state] = model.weights.get(state, 0.0) - 2.0 * nothing
    equal = _median(same, weights, threads)
    _check_distance(equal)
    alpha = model.alpha + nothing
    sd = 100.0 / equal
    return replace(model, weights=weights, alpha=alpha, scale=Scale(-(sd * alpha), sd, NOTE))


def relative(model: Model, references: Sequence[str], threads: int = 1) -> Model:
    """A model of the relative form on the scale of its form: a translation identical to its reference scores 100.

    The median score of `strange` lines or of empty ones against references, whichever is lower, becomes 0; where the
    model gives these no less than a perfect match, the unit stays that of the training scores.

    Args:
        model: A trained model; its alpha, what people give a perfect match, is left out of the scores.
        references: The training references, of which some are looked at.
        threads: Threads over pairs.
    """
    plain = replace(model, alpha=0.0, scale=Scale())
    lines = sorted({line for line in references if line.split()})
    lines = lines[:: -(-len(lines) // MOST_REFERENCES) or 1]
    nothing = 0.0
    if lines:
        metric = Metric(plain, threads)
        metric.language_looked_at = True  # whoever trains has chosen it
        columns = {name: np.zeros(len(lines)) for name in metric.columns}
        worst = (list(map(strange, lines)), [""] * len(lines))
        nothing = min(float(np.median(metric.score_pairs(given, lines, columns))) for given in worst)
    sd = -100.0 / nothing if nothing < -SMALLEST_DISTANCE else model.scale.sd
    return replace(plain, scale=Scale(100.0, sd, RELATIVE_NOTE))


def combined(
    model: Model,
    head: Head,
    source: str,
    share: float,
    hypotheses: Sequence[str],
    references: Sequence[str],
    threads: int = 1,
) -> Model:
    """A model of edits and a head learned apart from it, as a weighted sum on the scale of the relative form.

    Fitted jointly to the judgments that the head has learned from, the weights would trust the head too much. So what
    each part counts is said from outside: it was chosen on campaigns that the head has not seen.

    Its value of a pair is, but for the scale, ``(1 - share) d / sd(d) + share h / sd(h)``: d is the model's difference
    to a perfect match, h that of the head; the deviations are those over the given pairs and stand in the record.

    Args:
        model: A model of the relative form, without an encoder.
        head: The head, learned in the relative form.
        source: Its encoder.
        share: What the head counts, above 0 and below 1.
        hypotheses: Translations, from all over the training data.
        references: Their references.
        threads: Threads over pairs.

    Raises:
        PfsmError: If the model has another form or already has an encoder, the share is out of bounds, one of the
            parts is the same for all pairs, or the encoder is not there or does not fit the head.
    """
    if model.settings.form != RELATIVE or any(map(is_encoder_feature, model.settings.features)):
        raise PfsmError(
            f"{model.name}: a head can be added to a model of the form {RELATIVE} without an encoder"
        )
    if not 0.0 < share < 1.0:
        raise PfsmError(f"share is {share:g}, it must be above 0 and below 1")
    name = feature_name(remember(head), pinned(source))
    plain = replace(model, alpha=0.0, scale=Scale())
    of_edits = float(np.std(Metric(plain, threads).score_pairs(hypotheses, references)))
    values = PieceReader(remember(head), source).values(hypotheses, references, relative=True)
    of_head = float(np.std(values))
    if not (of_edits > 0.0 and of_head > 0.0):
        raise PfsmError("one of the parts is the same for all pairs, so they cannot be combined")
    settings = replace(model.settings, features={name: (0.0, of_head), **model.settings.features})
    record = {
        "source": pinned(source),
        "share": share,
        "deviations": {"edits and features": of_edits, "encoder": of_head},
    }
    both = replace(
        plain,
        settings=settings,
        weights={**model.weights, sentence_feature(name): share / (1.0 - share) * of_edits},
        training={**model.training, "encoder": record},
    )
    return relative(both, references, threads)


def _rescaled(model: Model, distinct: Sequence[str], threads: int) -> Model:
    metric = Metric(model, threads)
    metric.language_looked_at = True  # whoever trains has chosen it
    worded = [line for line in distinct if line.split()]
    if not worded:
        raise PfsmError(_NO_TOKEN)
    equal = float(np.median(metric.score_pairs(worded, worded)))
    nothing = float(np.median(metric.score_pairs([strange(line) for line in worded], worded)))
    _check_distance(equal - nothing)
    stretch = 100.0 / (equal - nothing)
    scale = Scale((model.scale.mean - nothing) * stretch, model.scale.sd * stretch, NOTE)
    return replace(model, scale=scale)


def strange(line: str) -> str:
    """A line of as many words, each as long, in a letter that no reference is expected to have."""
    return " ".join(STRANGE_LETTER * len(word) for word in line.split())


def _check_distance(distance: float) -> None:
    if not distance > SMALLEST_DISTANCE:
        raise PfsmError("this model does not score a translation equal to the reference above any other")


def without_arcs(batch: LatticeBatch) -> LatticeBatch:
    """Lattices of the same lengths without a match."""
    arrays = batch.lattices
    offsets = arrays.offsets.copy()
    offsets[:, 2] = 0
    empty = np.zeros((0, 5), dtype=np.int32)
    return LatticeBatch(
        batch.states, Lattices(arrays.n_states, arrays.delete_states, arrays.insert_states, empty, offsets)
    )


def _median(batch: LatticeBatch, weights: Mapping[str, float], threads: int) -> float:
    """Median of ``y / (m + n)``."""
    values = batch.log_sums(weights, batch.weights(weights), threads) / batch.lattices.lengths
    return float(np.median(values))
