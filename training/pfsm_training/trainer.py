"""Training: judgments and settings in, model out."""

import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.embeddings.encoders import pinned
from pfsm.encoder.names import is_encoder_feature
from pfsm.errors import PfsmError
from pfsm.metrics.inputs import columns_of
from pfsm.model.file import Model, Scale
from pfsm.model.references import plugins_of
from pfsm.model.settings import RELATIVE, Settings
from pfsm.model.training_record import cautions
from pfsm.runtime.terminal import Stage
from pfsm.version import __version__
from pfsm_training.config import TrainingConfig
from pfsm_training.constraints import CONSTRAINTS
from pfsm_training.data.training_set import Encoder, TrainingSet, encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.encoder.fitting import material
from pfsm_training.encoder.learning import learn
from pfsm_training.fit.anchor import relative
from pfsm_training.fit.checkpoint import Checkpoint
from pfsm_training.fit.choosing import Validation, validated
from pfsm_training.fit.constraints import Ending, Prepared, TrainedConstraint
from pfsm_training.fit.crossval import FOLD_COLUMNS, CrossValidation
from pfsm_training.fit.fitting import Choice, Fitted, Fitter
from pfsm_training.fit.minimal_pairs import PairsText
from pfsm_training.fit.plan import Plan, resolve
from pfsm_training.fit.training import AREA, PATIENCE, Training, place_of, record
from pfsm_training.initial import added_to
from pfsm_training.options import MINIMAL_PAIRS

_log = logging.getLogger(f"pfsm.{AREA}")

SCALE_NOTE = "In the units of the training scores; higher is better."
PREFERENCE_NOTE = (
    "Log odds: where two translations of a sentence differ by 1, e in 1 + e people prefer the higher one."
)


def train(
    judgments: Judgments | None,
    settings: Settings | None = None,
    *,
    preferences: Preferences | None = None,
    config: TrainingConfig | None = None,
    init: Model | None = None,
    name: str = "pfsm",
    licence: str = "not stated",
    score_column: str = "score",
    folds_by: str | None = None,
    threads: int | None = None,
    processes: int = 1,
    encoder: Encoder = encode_here,
    checkpoint: Checkpoint | None = None,
    after: Callable[[Training], None] | None = None,
) -> Model:
    """Learns a metric from human scores, from preferences between two translations, or from both at once.

    Scores are standardised, then equation (3) of Wang and Manning (2012) is minimised; preferences have a pairwise
    logistic loss. The result depends neither on the order of the data nor on the threads.

    Args:
        judgments: References, hypotheses and their scores; higher is better. None: there are only preferences.
        settings: Settings of the machine; None: those of ``init``, or else of ``config``. Where neither says the
            language, it is that of the column ``target_lang``, else English.
        preferences: Pairs of translations of which one is better.
        config: lambda, solver, objective and more; None: `pfsm_training.config.standard_config`, if neither settings
            nor an initial model are given, else `TrainingConfig`.
        init: Model to start from. The penalty pulls the weights towards its weights instead of zero. Settings may add
            features, matchers, tables and states split by word class to the model's; their weights start at zero.
        name: Name of the new model.
        licence: Terms of its weights.
        score_column: Name of the scores in the data, for the model's record of its training.
        folds_by: What cross-validation holds out together (`pfsm_training.fit.crossval.make_folds`).
        threads: Threads over pairs, or over folds with an encoder; None: as many as the process may use.
        processes: Number of processes that parse what minimal pairs are made of. With more than one, a script needs
            ``if __name__ == "__main__"``, as `multiprocessing` says.
        encoder: Builds the lattices, here or on a cluster (`pfsm_training.data.distributed.ClusterEncoder`).
        checkpoint: Each iteration is saved to it. If it holds one already, training resumes from there.
        after: Receives the training when it has ended, for a report; its lattices are in memory while it is kept.

    Returns:
        The model; ``model.training`` describes the training.

    Raises:
        PfsmError: If there is nothing to learn, or the given settings do not hold those of ``init``.
    """
    plan = resolve(
        judgments,
        preferences,
        config=config,
        settings=settings,
        init=init,
        score_column=score_column,
        folds_by=folds_by,
        threads=threads,
        processes=processes,
    )
    return carry_out(plan, name=name, licence=licence, encoder=encoder, checkpoint=checkpoint, after=after)


def carry_out(
    plan: Plan,
    *,
    name: str = "pfsm",
    licence: str = "not stated",
    encoder: Encoder = encode_here,
    checkpoint: Checkpoint | None = None,
    after: Callable[[Training], None] | None = None,
) -> Model:
    """Train by a plan; arguments, result and errors are those of `train`."""
    config = plan.config
    with Stage(AREA, "features", patience=PATIENCE):
        text = TrainingText(plan.judgments, plan.preferences, plan.settings, plan.weights)
    prepared = _prepared(plan, text)
    if checkpoint is not None:
        checkpoint.begin(_decisive(plan, text.settings, prepared))
    learned = _learned(plan, text, prepared, checkpoint)
    settings = text.settings
    data = encoder(text)
    del text  # before lattices are copied for cross-validation
    with one_torch_thread():
        constraints = {key: one.to_train(encoder, settings) for key, one in prepared.items()}
        fitter = Fitter(
            config, plan.init, plan.threads, checkpoint=checkpoint, constraints=[*constraints.values()]
        )
        chosen, every = validated(fitter, data, plan.folds, plan.judgments, constraints)
        fitted = _fit(fitter, data, chosen.choice)
        training = record(fitter, fitted, data, chosen, every.tried, plan.data, plan.score_column, plan.folds)
    training |= _kept(constraints, fitted, chosen, every) | learned
    if plan.init is not None and (added := added_to(plan.init.settings, settings)):
        training["init"] = {**training["init"], "added": added}
    for line in cautions(training):
        _log.warning(line)
    model = _model(plan, settings, fitted, training, name, licence)
    if after is not None:
        tried = tuple(every.tried)
        after(Training(model, *plan.data, data, plan.folds, chosen, tried, fitter, fitted))
    return model


def _prepared(plan: Plan, text: TrainingText) -> dict[str, Prepared]:
    """The constraints that are asked for and apply to the training data, by name."""
    found = {name: CONSTRAINTS[name](asked, plan, text) for name, asked in plan.constraints.items()}
    return {name: one for name, one in found.items() if one is not None}


def _learned(
    plan: Plan, text: TrainingText, prepared: Mapping[str, Prepared], checkpoint: Checkpoint | None
) -> dict[str, Any]:
    """Learn over an encoder, if it is asked for, add what is learned to the features, and return its record."""
    if plan.config.encoder is None:
        return {}
    if any(map(is_encoder_feature, text.settings.features)):
        raise PfsmError("encoder: the initial model has learned over an encoder already; leave the key out")
    pairs, relative_form = prepared.get(MINIMAL_PAIRS), text.settings.form == RELATIVE
    made = pairs if isinstance(pairs, PairsText) else None
    with one_torch_thread():
        given = material(text, made, plan.folds)
        learned = learn(
            given, plan.folds, text.reader, plan.config, checkpoint, plan.threads, relative=relative_form
        )
    text.add_feature(learned.feature, learned.values)
    if made is not None:
        made.text.add_feature(learned.feature, learned.of_pairs, text.settings.features[learned.feature])
    return {"encoder": dict(learned.record)}


def _fit(fitter: Fitter, data: TrainingSet, choice: Choice) -> Fitted:
    """The fit to all data."""
    with Stage(AREA, "training") as stage:
        stage.place = place_of(choice, [choice])
        fitted = fitter.fit(data, choice, "training")
        stage.advance()
    if fitted is None:
        raise PfsmError("the scores are too close to each other to learn from")
    return fitted


def _kept(
    constraints: Mapping[str, TrainedConstraint], fitted: Fitted, chosen: CrossValidation, every: Validation
) -> dict[str, Any]:
    """How well the constraints are kept, for the record of the training."""
    found: dict[str, Any] = {}
    for name, one in constraints.items():
        counted = every.counted.get((chosen.choice, name))
        found |= one.record(Ending(fitted, chosen, every.tried, counted))
    return found


def _model(
    plan: Plan, settings: Settings, fitted: Fitted, training: dict[str, Any], name: str, licence: str
) -> Model:
    note = SCALE_NOTE if plan.judgments is not None else PREFERENCE_NOTE
    scale = Scale(fitted.mean, fitted.sd, note)
    alpha = float(fitted.machine.alpha.detach())
    model = Model(name, settings, fitted.machine.weights(), alpha, scale, training, licence)
    if settings.form != RELATIVE:
        return model
    # What people give a perfect match goes into the record; the scale is that of the form.
    perfect = scale.mean + scale.sd * alpha
    return relative(
        replace(model, training={**training, "perfect_match": perfect}), plan.references, plan.threads
    )


def _decisive(plan: Plan, settings: Settings, prepared: Mapping[str, Prepared]) -> dict[str, Any]:
    """Everything that the course of the training depends on."""
    config, parts = plan.config, plan.data
    names = columns_of(tuple(settings.features))
    columns = [np.asarray(part.numbers(name)) for name in names for part in parts if part is not None]
    return {
        "data": [
            None
            if part is None
            else [len(part), [[source.name, source.rows, source.checksum] for source in part.sources]]
            for part in parts
        ],
        "columns": _sha256(*columns),
        "rows": ["" if part is None else _digest(part) for part in parts],
        "settings": settings.to_dict(),
        "config": repr(replace(config, settings=Settings(), own=frozenset())),
        "encoder": "" if config.encoder is None else pinned(config.encoder.source),
        "folds": _sha256(plan.folds.member, b"|", plan.folds.preference_member),
        "constraints": {name: one.digest for name, one in prepared.items()},
        "weights": "" if plan.weights is None else _sha256(plan.weights),
        "init": None if plan.init is None else plan.init.fingerprint,
        "version": __version__,
        "plugins": plugins_of(settings),
    }


def _sha256(*parts: NDArray[Any] | bytes) -> str:
    return hashlib.sha256(
        b"".join(one if isinstance(one, bytes) else one.tobytes() for one in parts)
    ).hexdigest()


def _digest(part: Judgments | Preferences) -> str:
    """SHA-256 of the rows: texts, numbers, and what folds are made by. Their files may have more rows than these."""
    if isinstance(part, Judgments):
        texts, numbers = [part.references, part.hypotheses], part.scores
    else:
        texts, numbers = [part.references, part.better, part.worse], part.votes
    found = [numbers.tobytes()]
    for column in (*texts, *(part.columns.get(name, ()) for name in FOLD_COLUMNS)):
        for text in column:
            content = text.encode("utf-8", "surrogatepass")
            found += [len(content).to_bytes(8, "little"), content]
        found.append(b"|")
    return _sha256(*found)


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Runs PyTorch on one thread, where its sums always add in the same order; they are short."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
