"""A model of edits and a head that was learned apart from it, as one model: a weighted sum of two parts.

Fitted jointly to the judgments that the head has learned from, the weights would trust the head too much. So what each
part counts is said from outside: it was chosen on campaigns that the head has not seen.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pfsm.embeddings.encoders import pinned
from pfsm.encoder.feature import PieceReader
from pfsm.encoder.heads import Head, feature_name, is_encoder_feature, remember
from pfsm.errors import PfsmError
from pfsm.lattice.names import sentence_feature
from pfsm.model.file import Model, Scale
from pfsm.model.metric import Metric
from pfsm.model.settings import RELATIVE
from pfsm_training.fit.anchor import relative


def combined(
    model: Model,
    head: Head,
    source: str,
    share: float,
    hypotheses: Sequence[str],
    references: Sequence[str],
    threads: int = 1,
) -> Model:
    """The model with the head beside its edits, on the scale of the relative form.

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
        PfsmError: If the model is of another form or has an encoder already, the share is out of bounds, one of the
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
