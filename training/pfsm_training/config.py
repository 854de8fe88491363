"""Training options: the keys of a YAML file for ``pfsm train --config``."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.data.judgments import TARGET_LANGUAGE, target_languages
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name
from pfsm.model.file import Model
from pfsm.model.settings import KEYS as SETTINGS_KEYS
from pfsm.model.settings import RELATIVE, Settings
from pfsm.model.shipped import find_model
from pfsm.runtime.names import SWITCHES, TRAINING, unknown_key
from pfsm.text.language_names import main_code
from pfsm_training.initial import agreed_settings, completed_settings
from pfsm_training.options import (
    AUTO,
    MINIMAL_PAIRS,
    WEIGHTS,
    EncoderOptions,
    MinimalPairsOptions,
    Values,
    WeightOptions,
    choice,
    encoder_option,
    flag,
    minimal_pairs_option,
    number,
    one_or_several,
    weights_option,
)
from pfsm_training.yaml_file import read_yaml_mapping

KEYS = TRAINING
SOLVERS = ("gauss-newton", "lbfgs")
BEST, MATCHES, ZERO = "best", "matches", "zero"
OBJECTIVES = ("squared_error", "huber")
STARTS = (BEST, MATCHES, ZERO)
HIGHEST, ONE_STANDARD_ERROR = "highest", "one_standard_error"
LAMBDA_RULES = (HIGHEST, ONE_STANDARD_ERROR)
# Fixes every weight at its start. Far above, the penalty swamps the errors and the solver cannot find alpha.
LARGEST_PENALTY = 1e12
LARGEST_EDIT_COST = 100.0
# Whose settings are the standard for English, and what an edit costs there at least.
KNOWLEDGE, KNOWLEDGE_EDIT_COST = "en-fast", 1.0
# The matcher of equal words; how likely a word of a reference is to be matched with itself, at least and at most.
WORD = "word"
USUAL_SELF_MATCH, LARGEST_SELF_MATCH = 0.95, 0.999

Mixture = float | Literal["auto"]


@dataclass(frozen=True)
class TrainingConfig:
    """How to train.

    Attributes:
        settings: Settings of the machine.
        penalty: lambda of the objective, at least 0. Cross-validation chooses among several values; with ``auto``, on a
            grid around the paper's 5 that widens itself until the best is inside (`pfsm_training.fit.crossval`).
        solver: ``gauss-newton`` or ``lbfgs``; they find the same minimum.
        objective: Loss of the scores: ``squared_error`` or ``huber``. Preferences have the pairwise logistic loss.
        mixture: Share of the preferences in the objective if there are scores too, at least 0 and below 1;
            ``auto`` chooses it by cross-validation.
        class_transitions: Whether transitions between states split by word class have weights of their own.
        start: Weights to start from: ``zero``, as in the paper; ``matches``, where matches are likely; ``best``: both,
            and the lower minimum is kept. An initial model takes precedence.
        lambda_rule: Which of several lambdas is chosen: the one with the ``highest`` cross-validated agreement, or
            the largest within ``one_standard_error`` of it.
        standardise: Whether scores are standardised before fitting; without it, as in the paper, lambda and the
            threshold of ``huber`` are in the units of the scores.
        edit_cost: What inserting, repeating or deleting one word of a perfect translation costs at least, in the units
            of ``y`` (`pfsm_training.fit.edit_cost`); 0: nothing is asked.
        self_match: The probability that each word of a reference is matched with itself when the reference is its own
            translation (`pfsm_training.fit.self_match`); 0: nothing is asked.
        encoder: What to learn over an encoder; None: nothing.
        minimal_pairs: Pairs to learn from besides human judgments (`pfsm_training.fit.minimal_pairs`); None: none.
        weights: How much each judgment counts; None: all count the same.
        prune_jumps: Whether features of Jump with few instances are left out, as all others are.
        given: The values that the user gave, without defaults and without values taken from an initial model.
    """

    settings: Settings = field(default_factory=Settings)
    penalty: Values = AUTO
    solver: str = SOLVERS[0]
    objective: str = "squared_error"
    mixture: Mixture = 0.5
    class_transitions: bool = False
    start: str = BEST
    lambda_rule: str = HIGHEST
    standardise: bool = True
    prune_jumps: bool = False
    edit_cost: float = 0.0
    self_match: float = 0.0
    encoder: EncoderOptions | None = None
    minimal_pairs: MinimalPairsOptions | None = None
    weights: WeightOptions | None = None
    given: Mapping[str, Any] = field(default_factory=dict)


def read_config(path: StrPath, init: Model | None = None) -> TrainingConfig:
    """Reads a YAML file of settings and training options.

    Args:
        path: The file.
        init: As in `config_from_dict`.

    Returns:
        The configuration, complete with defaults.

    Raises:
        PfsmError: If the file is missing, is not YAML, or has an unknown key or an invalid value.
    """
    document = read_yaml_mapping(path, (*SETTINGS_KEYS, *KEYS, *SWITCHES))
    return config_from_dict(document, display_name(path), init)


def config_from_dict(values: Mapping[str, Any], where: str, init: Model | None = None) -> TrainingConfig:
    """A training configuration from plain values.

    Args:
        values: Settings and training options.
        where: Name of their source in errors.
        init: The initial model; settings that are not given are taken from it. `pfsm_training.trainer.train` checks
            that those that are given agree with it.

    Raises:
        PfsmError: If a key is unknown or a value is invalid.
    """
    for key in values:
        if key not in (*SETTINGS_KEYS, *KEYS, *SWITCHES):
            known = unknown_key(key, (*SETTINGS_KEYS, *KEYS, *SWITCHES), "`docs/settings.md`")
            raise PfsmError(f"{where}: unknown key {key!r}; {known}")
    settings = completed_settings(values, where, init)
    class_transitions = flag(values.get("class_transitions", False), "class_transitions", where)
    if class_transitions and not settings.edits:
        raise PfsmError(f"{where}: class_transitions needs edits, but edits is false; leave out one of them")
    return TrainingConfig(
        settings,
        one_or_several(values.get("lambda", AUTO), "lambda", where, LARGEST_PENALTY),
        choice(values.get("solver", SOLVERS[0]), "solver", SOLVERS, where),
        choice(values.get("objective", OBJECTIVES[0]), "objective", OBJECTIVES, where),
        _mixture(values.get("mixture", 0.5), where),
        class_transitions,
        choice(values.get("start", BEST), "start", STARTS, where),
        choice(values.get("lambda_rule", HIGHEST), "lambda_rule", LAMBDA_RULES, where),
        flag(values.get("standardise", True), "standardise", where),
        flag(values.get("prune_jumps", False), "prune_jumps", where),
        _constraint(values, "edit_cost", LARGEST_EDIT_COST, where),
        _self_match(values, settings, where),
        encoder_option(values.get("encoder", False), where),
        _minimal_pairs(values, where),
        weights_option(values.get(WEIGHTS, False), where),
        dict(values),
    )


def with_knowledge(config: TrainingConfig) -> TrainingConfig:
    """The standard configuration: for English all shipped knowledge (the settings of `en-fast`), and ``edit_cost``.

    Args:
        config: What was said of the language, at most. Other languages have words and stems.
    """
    if main_code(config.settings.language) != "en":
        return config
    settings = find_model(KNOWLEDGE).settings
    standard = {**settings.to_dict(), "features": list(settings.features), "edit_cost": KNOWLEDGE_EDIT_COST}
    return config_from_dict({**standard, **config.given}, "standard configuration")


def settings_to_train(settings: Settings | None, config: TrainingConfig, init: Model | None) -> Settings:
    """The settings of the new model: those of the initial model if there is one, and what is added to them.

    Settings that are given in addition must hold all of the initial model: all of ``settings``, or those that
    ``config`` was given. Options unset in ``config`` keep the model's values.

    Raises:
        PfsmError: If a setting does not agree with the initial model.
    """
    if init is None:
        return config.settings if settings is None else settings
    if settings is not None:
        return agreed_settings(init, settings, None)
    return agreed_settings(init, completed_settings(config.given, "config", init), config.given)


def _mixture(value: object, where: str) -> Mixture:
    if value == AUTO:
        return AUTO
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise PfsmError(f"{where}: mixture is {value!r}, it must be a number from 0 to below 1, or auto")
    return float(value)


def _constraint(values: Mapping[str, Any], key: str, largest: float, where: str) -> float:
    """What is asked of a model beside its agreement with people; 0: nothing."""
    value = number(values.get(key, 0.0), key, where, 0.0, largest)
    if value and values.get("solver", SOLVERS[0]) != SOLVERS[0]:
        raise PfsmError(f"{where}: {key} needs solver: {SOLVERS[0]}")
    return value


def _self_match(values: Mapping[str, Any], settings: Settings, where: str) -> float:
    """What is asked; by default beside an encoder alone, in the relative form."""
    able = settings.edits and WORD in settings.matchers and values.get("solver", SOLVERS[0]) == SOLVERS[0]
    usual = USUAL_SELF_MATCH if settings.form == RELATIVE and able and values.get("encoder", False) else 0.0
    return _constraint({"self_match": usual, **values}, "self_match", LARGEST_SELF_MATCH, where)


def _minimal_pairs(values: Mapping[str, Any], where: str) -> MinimalPairsOptions | None:
    options = minimal_pairs_option(values.get(MINIMAL_PAIRS, False), where)
    if options is not None and values.get("solver", SOLVERS[0]) != SOLVERS[0]:
        raise PfsmError(f"{where}: minimal_pairs needs solver: {SOLVERS[0]}")
    encoder = values.get("encoder", False)
    if options is None and isinstance(encoder, Mapping) and encoder.get(MINIMAL_PAIRS):
        raise PfsmError(
            f"{where}: encoder: {MINIMAL_PAIRS} needs the option {MINIMAL_PAIRS}, which says what pairs"
        )
    return options


# Beyond these, sums lose the digits of other judgments. Zero leaves a judgment out.
LIGHTEST, HEAVIEST = 1e-6, 1e6


def weighing(
    judgments: Judgments | None, preferences: Preferences | None, options: WeightOptions | None
) -> Judgments | None:
    """The judgments whose weight is not 0; all without the option.

    Everything else looks at these alone, so that it makes no difference whether a row of weight 0 is there.

    Raises:
        PfsmError: What `judgment_weights` raises; there are preferences alone, or all weights are 0 and there are none.
    """
    if judgments is None and preferences is not None and options is not None:
        raise PfsmError(
            f"{WEIGHTS} is for judgments with scores, but there are only preferences, which have votes; leave it out"
        )
    weights = judgment_weights(judgments, options)
    if weights is None or judgments is None or options is None or weights.all():
        return judgments
    if not weights.any() and preferences is None:
        where = (
            f"{', '.join(dict.fromkeys(judgments.places.files))}: " if judgments.places is not None else ""
        )
        raise PfsmError(
            f"{where}{options.column} is 0 on every row ({len(judgments)}), there is nothing to learn from"
        )
    return judgments.select(np.flatnonzero(weights))


def judgment_weights(
    judgments: Judgments | None, options: WeightOptions | None
) -> NDArray[np.float64] | None:
    """The weights of judgments, float64 [n], 0 for those to leave out; None without the option or without judgments.

    Raises:
        PfsmError: The column is not there, or a field in it is not 0 or a number within bounds.
    """
    if options is None or judgments is None or not len(judgments):
        return None
    numbers = judgments.numbers(options.column)
    what, least = ("weight", LIGHTEST) if options.rater_noise is None else ("number of raters", 1.0)
    wrong = np.flatnonzero((numbers != 0.0) & ((numbers < least) | (numbers > HEAVIEST)))
    if wrong.size:
        row = int(wrong[0])
        where = f"row {row + 1}" if judgments.places is None else judgments.places.of_row(row)
        raise PfsmError(
            f"{where}: {options.column} is {numbers[row]:g}, a {what} must be 0 or from {least:g} to "
            f"{HEAVIEST:,.0f}"
        )
    return options.of(numbers)


def language_of(*parts: Judgments | Preferences | None) -> str | None:
    """The language that the column ``target_lang`` names on every row; None where a row has none.

    Raises:
        PfsmError: If it names several, or what is not a language.
    """
    found = target_languages(*parts)
    if len({main_code(code) for code in found}) > 1:
        names = ", ".join(sorted(found))
        raise PfsmError(
            f"column {TARGET_LANGUAGE} names several languages ({names}); say with --language or `language:` which "
            "one's words and stems to use, or und for those of none"
        )
    return min(found, default=None)


def is_given(config: TrainingConfig) -> bool:
    """Whether a configuration says which language the data is in."""
    usual = (Settings(), config_from_dict({}, "config").settings)
    return "language" in config.given or (not config.given and config.settings not in usual)


def in_language(config: TrainingConfig, language: str) -> TrainingConfig:
    """The configuration with the settings of a language, where it does not give others."""
    given = {**config.given, "language": language}
    return replace(config, settings=config_from_dict(given, "config").settings, given=given)
