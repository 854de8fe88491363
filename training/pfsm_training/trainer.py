"""Training: judgments and settings in, model out."""

import hashlib
import logging
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.data.groups import SEGMENT, group_names, shuffled
from pfsm.embeddings.encoders import pinned
from pfsm.encoder.heads import is_encoder_feature
from pfsm.errors import PfsmError
from pfsm.metrics.inputs import columns_of
from pfsm.model.file import Model, Scale
from pfsm.model.plugins import plugins_of
from pfsm.model.settings import RELATIVE, Settings
from pfsm.model.training_record import cautions
from pfsm.runtime.progress import Stage
from pfsm.runtime.threads import default_threads
from pfsm.version import __version__
from pfsm_training.config import (
    TrainingConfig,
    config_from_dict,
    in_language,
    is_given,
    judgment_weights,
    language_of,
    settings_to_train,
    weighing,
    with_knowledge,
)
from pfsm_training.data.minimal_pairs import Data, PairsToLearn, pairs_to_learn
from pfsm_training.data.training_set import Encoder, TrainingSet, encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.encoder.fitting import material
from pfsm_training.encoder.learning import Learned, learn
from pfsm_training.fit.anchor import relative
from pfsm_training.fit.checkpoint import Checkpoint
from pfsm_training.fit.crossval import (
    FIRST_STEPS,
    FOLD_COLUMNS,
    MIXTURES,
    USUAL_MIXTURE,
    CrossValidation,
    FoldFits,
    Folds,
    choose,
    cross_validate,
    make_folds,
    more_penalties,
    penalty_at,
)
from pfsm_training.fit.edit_cost import Copies, copies_to_train, held_out_record
from pfsm_training.fit.fitting import Choice, Fitted, Fitter
from pfsm_training.fit.minimal_pairs import (
    WEIGHTS,
    MinimalPairsPart,
    PairsText,
    choose_with_pairs,
    minimal_pairs_record,
    minimal_pairs_text,
)
from pfsm_training.fit.self_match import self_match_record, self_match_to_train
from pfsm_training.fit.training import AREA, PATIENCE, Training, place_of, record
from pfsm_training.initial import added_to
from pfsm_training.options import AUTO, to_choose_from

# Of so many judgments ``auto`` looks for lambda, where there are more: it changes little with their number.
MOST_SEARCHED = 1000

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

    Scores are standardised (unless ``config`` says otherwise), then equation (3) of Wang and Manning (2012) is
    minimised; preferences have a pairwise logistic loss. The result depends neither on the order of the data nor on
    the threads.

    Args:
        judgments: References, hypotheses and their scores; higher is better. None: there are only preferences.
        settings: Settings of the machine; None: those of ``init``, or else of ``config``. Where neither says the
            language, it is that of the column ``target_lang``, if there is one, else English.
        preferences: Pairs of translations of which one is better.
        config: lambda, solver and objective; None: those of `TrainingConfig`, and without settings and an initial model
            `pfsm_training.config.with_knowledge`.
        init: Model to start from. The penalty pulls the weights towards its weights instead of zero. Settings may add
            features, matchers, tables and states split by word class to the model's; their weights start at zero.
        name: Name of the new model.
        licence: Terms of its weights.
        score_column: Name of the scores in the data, for the model's record of its training.
        folds_by: What cross-validation holds out together: ``document``, ``segment``, ``system``, ``language`` or a
            column; None: source languages where there are several, else segments.
        threads: Threads over pairs, and over the folds of learning over an encoder; None: as many as the process may
            use.
        processes: Number of processes that parse what minimal pairs are made of. With more than one, a script needs
            ``if __name__ == "__main__"``, as `multiprocessing` says.
        encoder: Builds the lattices, here or on a cluster (`pfsm_training.data.distributed.ClusterEncoder`).
        checkpoint: Each iteration is saved to it. If it holds one already, training resumes from there.
        after: Receives the training when it has ended, with its data and its folds: what
            `pfsm_training.report.write_report` makes a page of. The lattices stay in memory as long as it is kept.

    Returns:
        The model; ``model.training`` describes the training.

    Raises:
        PfsmError: If there is nothing to train on, all scores are equal, or the given settings do not hold those of
            ``init``.
    """
    standard = config is None and settings is None and init is None
    config = config or (config_from_dict({}, "training") if standard else TrainingConfig())
    judgments = weighing(judgments, preferences, config.weights)
    if settings is None and init is None and not is_given(config):
        language = language_of(judgments, preferences)
        config = config if language is None else in_language(config, language)
        config = with_knowledge(config) if standard else config
    settings = settings_to_train(settings, config, init)
    sources = judgments, preferences = _checked(judgments, preferences, settings)
    folds = make_folds(judgments, preferences, folds_by)
    weights = judgment_weights(judgments, config.weights)
    with Stage(AREA, "features", patience=PATIENCE):
        text = TrainingText(judgments, preferences, settings, weights)
    pairs, made = _pairs(sources, text, config, processes, folds)
    if checkpoint is not None:
        checkpoint.begin(_decisive(sources, text.settings, config, init, pairs, weights, folds))
    threads = threads or default_threads()
    learned = _learn(text, made, folds, config, checkpoint, threads)
    settings = text.settings
    same = self_match_to_train(text, config)
    data = encoder(text)
    del text  # before lattices are copied for cross-validation
    fitter = Fitter(config, init, threads, checkpoint=checkpoint)
    with one_torch_thread():
        copies = copies_to_train(sources, settings, config.edit_cost, folds, encoder)
        minimal = None if made is None else made.to_train(encoder)
        fitter = replace(fitter, constraints=[one for one in (copies, same, minimal) if one is not None])
        validated, every = _validate(fitter, data, folds, _searched(data, folds, judgments), copies, minimal)
        fitted = _fit(fitter, data, validated.choice)
        if fitted is None:
            raise PfsmError("the scores are too close to each other to learn from")
        training = record(fitter, fitted, data, validated, every.tried, sources, score_column, folds)
    training |= held_out_record(copies, every.above[validated.choice]) | self_match_record(same, fitted)
    training |= minimal_pairs_record(
        pairs, minimal, config.minimal_pairs, validated, every.tried, every.lower.get(validated.choice)
    )
    if learned is not None:
        training["encoder"] = dict(learned.record)
    if init is not None and (added := added_to(init.settings, settings)):
        training["init"] = {**training["init"], "added": added}
    for line in cautions(training):
        _log.warning(line)
    model = Model(
        name,
        settings,
        fitted.machine.weights(),
        float(fitted.machine.alpha.detach()),
        Scale(fitted.mean, fitted.sd, SCALE_NOTE if judgments is not None else PREFERENCE_NOTE),
        training,
        licence,
    )
    if settings.form == RELATIVE:
        # What people give a perfect match goes into the record; the scale is that of the form.
        lines = [line for part in sources if part is not None for line in part.references]
        perfect = model.scale.mean + model.scale.sd * model.alpha
        model = relative(replace(model, training={**training, "perfect_match": perfect}), lines, threads)
    if after is not None:
        tried = tuple(every.tried)
        after(Training(model, judgments, preferences, data, folds, validated, tried, fitter, fitted))
    return model


def _pairs(
    data: Data, text: TrainingText, config: TrainingConfig, processes: int, folds: Folds
) -> tuple[PairsToLearn, PairsText] | tuple[None, None]:
    """The minimal pairs, if the configuration asks for them."""
    options, settings = config.minimal_pairs, text.settings
    if options is None:
        return None, None
    with Stage(AREA, "minimal pairs", patience=PATIENCE):
        pairs = pairs_to_learn(data, settings.language, options, processes, text.weights)
    return pairs, minimal_pairs_text(pairs, data, settings, options, folds)


def _learn(
    text: TrainingText,
    made: PairsText | None,
    folds: Folds,
    config: TrainingConfig,
    checkpoint: Checkpoint | None,
    threads: int,
) -> Learned | None:
    """What is learned over an encoder, if the configuration asks for it, and adds it to the features of both texts."""
    if config.encoder is None:
        return None
    if any(map(is_encoder_feature, text.settings.features)):
        raise PfsmError("encoder: the initial model has learned over an encoder already; leave the key out")
    with one_torch_thread():
        given, form = material(text, made, folds), text.settings.form
        learned = learn(given, folds, text.reader, config, checkpoint, threads, relative=form == RELATIVE)
    text.add_feature(learned.feature, learned.values)
    if made is not None:
        made.text.add_feature(learned.feature, learned.of_pairs, text.settings.features[learned.feature])
    return learned


def _decisive(
    data: Data,
    settings: Settings,
    config: TrainingConfig,
    init: Model | None,
    pairs: PairsToLearn | None,
    weights: NDArray[np.float64] | None,
    folds: Folds,
) -> dict[str, Any]:
    """Everything that the course of the training depends on."""
    names = columns_of(tuple(settings.features))
    columns = [np.asarray(part.numbers(name)) for name in names for part in data if part is not None]
    return {
        "data": [
            None
            if part is None
            else [len(part), [[source.name, source.rows, source.checksum] for source in part.sources]]
            for part in data
        ],
        **({"columns": _sha256(*columns)} if names else {}),
        "rows": ["" if part is None else _digest(part) for part in data],
        "settings": settings.to_dict(),
        "config": [
            *(config.penalty, config.solver, config.start),
            *(config.objective, config.mixture, config.lambda_rule),
            *(config.standardise, config.prune_jumps),
            *((config.edit_cost,) if config.edit_cost else ()),
            *(("self_match", config.self_match) if config.self_match else ()),
            *([] if config.encoder is None else config.encoder.decisive(pinned(config.encoder.source))),
            *([] if config.minimal_pairs is None else [config.minimal_pairs.decisive()]),
        ],
        **({"folds": _sha256(folds.member, b"|", folds.preference_member)} if folds.asked else {}),
        **({} if pairs is None else {"minimal_pairs": pairs.digest}),
        **({} if weights is None else {"weights": _sha256(weights)}),
        "init": None if init is None else init.fingerprint,
        "version": __version__,
        **({"plugins": plugins} if (plugins := plugins_of(settings)) else {}),
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


def _checked(judgments: Judgments | None, preferences: Preferences | None, settings: Settings) -> Data:
    """The training data in canonical order; with the columns that are features, or refused in the user's order."""
    for name in columns_of(tuple(settings.features)):
        for data in (judgments, preferences):
            if data is not None and len(data):
                data.numbers(name)
    judgments = judgments.sorted() if judgments is not None and len(judgments) else None
    preferences = preferences.sorted() if preferences is not None and len(preferences) else None
    if preferences is not None and not preferences.votes.any():
        if judgments is None:
            raise PfsmError(f"all {len(preferences)} votes are 0; there is nothing to learn from")
        preferences = None
    if judgments is None and preferences is None:
        raise PfsmError("no judgments to train on")
    if judgments is not None and (judgments.scores == judgments.scores[0]).all():
        raise PfsmError(
            f"all {len(judgments)} scores are {judgments.scores[0]:g}; there is nothing to learn from"
        )
    return judgments, preferences


def _searched(data: TrainingSet, folds: Folds, judgments: Judgments | None) -> tuple[TrainingSet, Folds]:
    """What ``auto`` looks for lambda on: all, or of many judgments those of enough segments, whatever their order."""
    if judgments is None or data.votes.size or data.scores.size <= MOST_SEARCHED:
        return data, folds
    names = group_names(judgments, SEGMENT)
    counts = Counter(names)
    taken: set[str] = set()
    left = MOST_SEARCHED
    for name in shuffled(names):
        if left <= 0:
            break
        taken.add(name)
        left -= counts[name]
    rows = np.flatnonzero([name in taken for name in names])
    part = data.select(rows, np.zeros(0, dtype=np.int64))
    return part, replace(folds, member=folds.member[rows])


@dataclass(frozen=True, eq=False)
class _Validation:
    """Cross-validation of choices, one after the other.

    Attributes:
        fits: Fits the folds.
        copies: Edited copies, which are counted where held out.
        minimal: Minimal pairs, likewise.
        tried: What each choice came to.
        above: By choice, the edited copies of held-out references that do not score below them.
        lower: By choice, as `pfsm_training.fit.minimal_pairs.MinimalPairsPart.lower`.
    """

    fits: FoldFits
    copies: Copies | None = None
    minimal: MinimalPairsPart | None = None
    tried: list[CrossValidation] = field(default_factory=list)
    above: Counter[Choice] = field(default_factory=Counter)
    lower: dict[Choice, NDArray[np.int64]] = field(default_factory=dict)

    def validate(self, choices: list[Choice]) -> None:
        """Cross-validates choices."""
        fits, folds, n_folds = self.fits, self.fits.folds, len(self.fits.folds.names)
        with Stage(AREA, "cross-validation", n_folds * len(choices), "fits") as stage:

            def fit(part: TrainingSet, choice: Choice, fold: int) -> Fitted | None:
                stage.place = f"fold {fold + 1} of {n_folds}, {place_of(choice, choices)}"
                stage.reach(fold * len(choices) + choices.index(choice), "")
                fitted = fits(part, choice, fold)
                if self.copies is not None and fitted is not None:
                    self.above[choice] += self.copies.held_out(fold).number_above(fitted.machine)
                if self.minimal is not None and fitted is not None:
                    lower = self.minimal.held_out(fold).lower(fitted.machine)
                    self.lower[choice] = lower + self.lower.get(choice, 0)
                return fitted

            self.tried.extend(cross_validate(fit, fits.data, folds, choices))

    def look(self, first: Choice) -> None:
        """Cross-validates more and more lambdas until the search has ended."""
        penalties = [penalty_at(step) for step in FIRST_STEPS]
        while penalties:
            self.validate([replace(first, penalty=penalty) for penalty in penalties])
            penalties = more_penalties(self.tried)

    def chosen(self) -> CrossValidation:
        """The best choice, by the rule of the configuration."""
        chooser = choose if self.minimal is None else choose_with_pairs
        return chooser(self.tried, len(self.fits.folds.names), self.fits.fitter.config.lambda_rule)


def _validate(
    fitter: Fitter,
    data: TrainingSet,
    folds: Folds,
    searched: tuple[TrainingSet, Folds],
    copies: Copies | None,
    minimal: MinimalPairsPart | None,
) -> tuple[CrossValidation, _Validation]:
    """Cross-validation at the given lambda, mixture and weight of minimal pairs, or at those to choose from."""
    config = fitter.config
    others = _others(config, both=bool(data.scores.size and data.votes.size))
    search, in_part = config.penalty == AUTO, searched[0] is not data
    # Many judgments: lambdas differ by more than the last steps of a fit bring.
    compared = fitter.rough() if search and in_part else fitter.quick()
    fits = FoldFits(compared, data, folds, lambda one: f"cross-validation, {_named(one, others)}", search)
    every = _Validation(fits, copies, minimal)
    if search:
        others.sort(key=lambda one: (one.weight, abs(one.mixture - USUAL_MIXTURE)))
        first = others[0]
        if in_part:
            # On all are compared: the best lambda on a part, a tenth of it, as more data bear less, and the paper's.
            constraints = [one.sampled() for one in fitter.constraints]
            rough = replace(fitter.rough(), constraints=constraints)
            part = _Validation(
                FoldFits(rough, *searched, lambda one: f"{fits.named(one)}, a part of the data", path=True)
            )
            part.look(first)
            best = part.chosen().choice.penalty
            tried = sorted({best, best / 10.0, penalty_at(0)}, reverse=True)
            every.validate([replace(first, penalty=one) for one in tried])
        else:
            every.look(first)
        if not any(math.isfinite(one.mean) for one in every.tried) and config.mixture != AUTO:
            del every.tried[1:]
            return every.tried[0], every  # too few judgments to choose by
        best = choose(every.tried, len(folds.names), config.lambda_rule).choice.penalty
        more = [replace(one, penalty=best) for one in others[1:]]
    else:
        given = to_choose_from(config.penalty, ())
        more = [replace(one, penalty=penalty) for one in others for penalty in given]
    if more:
        every.validate(more)
    return every.chosen(), every


def _others(config: TrainingConfig, *, both: bool) -> list[Choice]:
    """All mixtures (with scores and preferences together) and weights of pairs to choose from, whatever lambda is."""
    mixtures: tuple[float, ...] = (0.0,)
    if both:
        mixtures = MIXTURES if config.mixture == AUTO else (float(config.mixture),)
    weights = (0.0,) if config.minimal_pairs is None else to_choose_from(config.minimal_pairs.weight, WEIGHTS)
    return [Choice(0.0, mixture, weight) for weight, mixture in product(weights, mixtures)]


def _fit(fitter: Fitter, data: TrainingSet, choice: Choice) -> Fitted | None:
    """The fit to all data."""
    with Stage(AREA, "training") as stage:
        stage.place = place_of(choice, [choice])
        fitted = fitter.fit(data, choice, "training")
        stage.advance()
    return fitted


def _named(choice: Choice, among: Sequence[Choice]) -> str:
    parts = [f"lambda {choice.penalty:g}"]
    if len({one.mixture for one in among}) > 1:
        parts.append(f"mixture {choice.mixture:g}")
    if len({one.weight for one in among}) > 1:
        parts.append(f"weight {choice.weight:g}")
    return ", ".join(parts)


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Runs PyTorch on one thread, where its sums always add in the same order; they are short."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
