"""The scale of the relative form, 100 for a translation equal to the reference; and heads added to models."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pfsm.embeddings.encoders import pinned
from pfsm.encoder.feature import PieceReader
from pfsm.encoder.heads import Head, remember
from pfsm.encoder.names import feature_name, is_encoder_feature
from pfsm.errors import PfsmError
from pfsm.lattice.names import sentence_feature
from pfsm.model.file import Model, Scale
from pfsm.model.metric import Metric
from pfsm.model.settings import RELATIVE

RELATIVE_NOTE = (
    "100: the translation equals the reference, and no other has more; 0: it is empty or has nothing in common with "
    "the reference, whichever is worse (medians over training references). Worse is possible."
)
MOST_REFERENCES = 500

# Smallest difference of a perfect match and the worst; anything less is rounding.
SMALLEST_DISTANCE = 1e-9
# A Georgian letter: it has no capital, and no language with judgments uses it.
STRANGE_LETTER = "\u10df"


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
    of_edits = float(np.std(Metric(plain).score_pairs(hypotheses, references)))
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
    return relative(both, references)


def strange(line: str) -> str:
    """A line of as many words, each as long, in a letter that no reference is expected to have."""
    return " ".join(STRANGE_LETTER * len(word) for word in line.split())
