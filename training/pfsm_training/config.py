"""Training options: the keys of a YAML file for ``pfsm train --config``."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import UNSET, Meta, Struct, UnsetType
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.data.judgments import TARGET_LANGUAGE, target_languages
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name
from pfsm.metrics.inputs import COLUMN
from pfsm.model.file import Model
from pfsm.model.settings import KEYS as SETTINGS_KEYS
from pfsm.model.settings import RELATIVE, Settings, settings_from_dict
from pfsm.registry import find_table
from pfsm.runtime.names import SWITCHES, TRAINING, known_names
from pfsm.runtime.typed import checked, needs
from pfsm.text.characters import CLEAN
from pfsm.text.classes import check_lists, default_lists
from pfsm.text.language_names import main_code
from pfsm.text.languages import default_stemmer, default_tokeniser, language_code
from pfsm_training.initial import agreed_settings, completed_settings, completes
from pfsm_training.options import (
    AUTO,
    MINIMAL_PAIRS,
    EncoderOptions,
    MinimalPairsOptions,
    Values,
    encoder_option,
    minimal_pairs_option,
    numbers_of_text,
)
from pfsm_training.yaml_file import read_yaml_mapping

KEYS = TRAINING
GAUSS_NEWTON = "gauss-newton"
BEST, MATCHES, ZERO = "best", "matches", "zero"
HIGHEST, ONE_STANDARD_ERROR = "highest", "one_standard_error"
# Whose settings are the standard for English, and what an edit costs there at least.
KNOWLEDGE, KNOWLEDGE_EDIT_COST = "en-fast", 1.0
# The matcher of equal words; how likely a word of a reference is to be matched with itself, at least and at most.
WORD = "word"
USUAL_SELF_MATCH = 0.95
# Constraints that have a field of their own.
CONSTRAINTS = ("edit_cost", "self_match", "minimal_pairs")

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
        weights: The column that says how much each judgment counts; None: all count the same.
        constraints: Options of constraints that plug-ins add, by name.
        own: Names of the settings that the user gave; all others have defaults, or come from an initial model.
    """

    settings: Settings = field(default_factory=Settings)
    penalty: Values = AUTO
    solver: str = GAUSS_NEWTON
    objective: str = "squared_error"
    mixture: Mixture = 0.5
    start: str = BEST
    lambda_rule: str = HIGHEST
    standardise: bool = True
    edit_cost: float = 0.0
    self_match: float = 0.0
    encoder: EncoderOptions | None = None
    minimal_pairs: MinimalPairsOptions | None = None
    weights: str | None = None
    constraints: Mapping[str, Any] = field(default_factory=dict)
    own: frozenset[str] = frozenset()

    @property
    def names_language(self) -> bool:
        """Whether it says which language the data is in; so does one whose settings were made by hand."""
        return "language" in self.own or not (self.own or self.settings in _USUAL)

    def asked(self) -> dict[str, Any]:
        """Return the options of all constraints that are asked for, by name."""
        named = {name: getattr(self, name) for name in CONSTRAINTS}
        return {name: option for name, option in {**named, **self.constraints}.items() if option}


# Settings where none are given: of `TrainingConfig` made by hand, and of an empty file.
_USUAL = Settings(), Settings(form=RELATIVE, text=CLEAN, normalisation="nfc")

# Of the largest, lambda fixes every weight at its start. Far above, the penalty swamps the errors and the solver cannot
# find alpha.
_Penalty = Annotated[float, Meta(ge=0.0, le=1e12)]


class _Given(Struct, frozen=True, rename={"penalty": "lambda"}):
    """Options of a training as they stand in a file; ``UNSET``: the default depends on others."""

    penalty: Annotated[
        _Penalty | Literal["auto"] | Annotated[tuple[_Penalty, ...], Meta(min_length=1)],
        needs("a number from 0 to 1e+12, a list of them, or auto"),
    ] = AUTO
    solver: Literal["gauss-newton", "lbfgs"] = "gauss-newton"
    objective: Literal["squared_error", "huber"] = "squared_error"
    mixture: Annotated[
        Annotated[float, Meta(ge=0.0, lt=1.0)] | Literal["auto"], needs("a number from 0 to below 1, or auto")
    ] = 0.5
    start: Literal["best", "matches", "zero"] = "best"
    lambda_rule: Literal["highest", "one_standard_error"] = "highest"
    standardise: bool = True
    edit_cost: Annotated[float, Meta(ge=0.0, le=100.0)] = 0.0
    self_match: Annotated[float, Meta(ge=0.0, le=0.999)] | UnsetType = UNSET
    encoder: Any = False
    minimal_pairs: Any = False
    weights: Annotated[
        Literal[False] | Annotated[str, Meta(min_length=1)], needs("false or the name of a column")
    ] = False


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
    known = (*SETTINGS_KEYS, *KEYS, *SWITCHES)
    further = {key: value for key, value in values.items() if key not in known}
    for key in further:
        # Their table lies above this file: constraints are made of what is configured here.
        if key not in (find_table("constraint") or ()):
            raise PfsmError(f"{where}: unknown key {key!r}; {known_names(key, known, '`docs/settings.md`')}")
    settings = _settings(values, where, init)
    apart = {*SETTINGS_KEYS, *further}
    own = {key: value for key, value in values.items() if key not in apart}
    if "lambda" in own:
        own["lambda"] = numbers_of_text(own["lambda"])
    given = checked(own, _Given, where)
    config = TrainingConfig(
        settings,
        tuple(sorted(set(given.penalty))) if isinstance(given.penalty, tuple) else given.penalty,
        given.solver,
        given.objective,
        given.mixture,
        given.start,
        given.lambda_rule,
        given.standardise,
        given.edit_cost,
        _usual_self_match(given, settings) if given.self_match is UNSET else float(given.self_match),
        None if given.encoder is False else encoder_option(given.encoder, where),
        None if given.minimal_pairs is False else minimal_pairs_option(given.minimal_pairs, where),
        given.weights or None,
        further,
        frozenset(values) & frozenset(SETTINGS_KEYS),
    )
    for name in config.asked():
        if config.solver != GAUSS_NEWTON:
            raise PfsmError(f"{where}: {name} needs solver: {GAUSS_NEWTON}")
    if config.minimal_pairs is None and config.encoder is not None and config.encoder.minimal_pairs:
        raise PfsmError(
            f"{where}: encoder: {MINIMAL_PAIRS} needs the option {MINIMAL_PAIRS}, which says what pairs"
        )
    return config


def _settings(values: Mapping[str, Any], where: str, init: Model | None) -> Settings:
    """The settings among some values; unset ones are those of the initial model, or have their defaults."""
    given = {key: values[key] for key in values if key in SETTINGS_KEYS}
    if init is not None and completes(init.settings, given):
        return completed_settings(init, given, where)
    features = given.get("features")
    names = list(features) if isinstance(features, Sequence | Mapping) else []
    # Columns of the data alone have no perfect match.
    of_text = given.get("edits") is not False or not all(str(name).startswith(COLUMN) for name in names)
    usual = {"form": RELATIVE, "text": CLEAN} if of_text and given.get("form", RELATIVE) == RELATIVE else {}
    return settings_from_dict({**usual, **given}, where)


def _usual_self_match(given: _Given, settings: Settings) -> float:
    """What is asked beside an encoder, in the relative form; 0 elsewhere."""
    able = settings.edits and WORD in settings.matchers and given.solver == GAUSS_NEWTON
    return USUAL_SELF_MATCH if settings.form == RELATIVE and able and given.encoder else 0.0


def standard_config(language: str | None) -> TrainingConfig:
    """Return the standard configuration of a language, by default English.

    English has all shipped knowledge (the settings of `en-fast`) and ``edit_cost``; others have words and stems.
    """
    values: dict[str, Any] = {} if language is None else {"language": language}
    if language is None or main_code(language) == "en":
        model = files("pfsm") / "resources" / "models" / f"{KNOWLEDGE}.json"
        known = json.loads(model.read_text(encoding="utf-8"))["settings"]
        values = {**known, **values, "features": list(known["features"]), "edit_cost": KNOWLEDGE_EDIT_COST}
    return replace(config_from_dict(values, "standard configuration"), own=frozenset())


def in_language(config: TrainingConfig, language: str) -> TrainingConfig:
    """Return the configuration in another language, with its tokeniser, stemmer and classes where none are given.

    Raises:
        PfsmError: If states are split by word class, and the language has no lists of them.
    """
    settings, code = config.settings, language_code(language)
    changed: dict[str, Any] = {"language": code}
    if settings.edits:
        usual = {"tokeniser": default_tokeniser, "stemmer": default_stemmer}
        changed |= {name: default(code) for name, default in usual.items() if name not in config.own}
    if settings.split_by_class and "classes" not in config.own:
        changed["classes"] = check_lists(default_lists(code), "config")
    return replace(config, settings=replace(settings, **changed), own=config.own | {"language"})


def settings_to_train(settings: Settings | None, config: TrainingConfig, init: Model | None) -> Settings:
    """Return the settings of the new model: those of the initial model if there is one, and what is added to them.

    Settings that are given in addition must hold all of the initial model: all of ``settings``, or those that
    ``config`` was given. Options unset in ``config``, which was read for this model, keep the model's values.

    Raises:
        PfsmError: If a setting does not agree with the initial model.
    """
    if init is None:
        return config.settings if settings is None else settings
    if settings is not None:
        return agreed_settings(init, settings, None)
    return agreed_settings(init, config.settings, config.own) if config.own else init.settings


# Beyond these, sums lose the digits of other judgments. Zero leaves a judgment out.
LIGHTEST, HEAVIEST = 1e-6, 1e6


def weighing(
    judgments: Judgments | None, preferences: Preferences | None, column: str | None
) -> Judgments | None:
    """The judgments whose weight is not 0; all without a column of weights.

    Everything else looks at these alone, so that it makes no difference whether a row of weight 0 is there.

    Raises:
        PfsmError: What `judgment_weights` raises; there are preferences alone, or all weights are 0 and there are none.
    """
    if judgments is None and preferences is not None and column is not None:
        raise PfsmError(
            "weights is for judgments with scores, but there are only preferences, which have votes; leave it out"
        )
    weights = judgment_weights(judgments, column)
    if weights is None or judgments is None or weights.all():
        return judgments
    if not weights.any() and preferences is None:
        rows = f"{column} is 0 on every row ({len(judgments)})"
        raise PfsmError(f"{files_of(judgments)}{rows}, there is nothing to learn from")
    return judgments.select(np.flatnonzero(weights))


def files_of(data: Judgments | Preferences) -> str:
    """Return the names of the files of some data, for the beginning of a message; empty where there are none."""
    return "" if data.places is None else f"{', '.join(dict.fromkeys(data.places.files))}: "


def judgment_weights(judgments: Judgments | None, column: str | None) -> NDArray[np.float64] | None:
    """The weights of judgments, float64 [n], 0 for those to leave out; None without a column or without judgments.

    Raises:
        PfsmError: The column is not there, or a field in it is not 0 or a number within bounds.
    """
    if column is None or judgments is None or not len(judgments):
        return None
    numbers = judgments.numbers(column)
    wrong = np.flatnonzero((numbers != 0.0) & ((numbers < LIGHTEST) | (numbers > HEAVIEST)))
    if wrong.size:
        row = int(wrong[0])
        raise PfsmError(
            f"{judgments.place_of(row)}: {column} is {numbers[row]:g}, a weight must be 0 or from {LIGHTEST:g} to "
            f"{HEAVIEST:,.0f}"
        )
    return numbers


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
