"""Training options: the keys of a YAML file for ``pfsm train --config``, some of them mappings, and their checks.

What training looks at before it begins: judgments that count, and the language of the data.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.data.judgments import TARGET_LANGUAGE, target_languages
from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.embeddings.encoders import DEFAULT_SOURCE, SHIPPED, check_source
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name
from pfsm.model.file import Model
from pfsm.model.settings import KEYS as SETTINGS_KEYS
from pfsm.model.settings import RELATIVE, Settings
from pfsm.model.shipped import find_model
from pfsm.runtime import names as yaml_keys
from pfsm.runtime.names import SWITCHES, TRAINING, unknown_key
from pfsm.text.language_names import main_code
from pfsm_training.initial import agreed_settings, completed_settings
from pfsm_training.yaml_file import read_yaml_mapping

AUTO: Literal["auto"] = "auto"
WEIGHTS, MINIMAL_PAIRS = "weights", "minimal_pairs"

HEAD, LORA, FULL = TUNED = ("head", "lora", "full")
SINGLE, HALF = PRECISIONS = ("float32", "bfloat16")

LARGEST_NOISE = 1e6

ALL = "all"
REFERENCE, HYPOTHESIS = CHANGED = ("reference", "hypothesis")
# In standard deviations of the scores. Harmless changes should cost nothing.
MARGINS: Mapping[str, float] = dict(zip(SEVERITIES, (0.0, 0.25, 0.5, 1.0), strict=True))
LARGEST_WEIGHT = LARGEST_MARGIN = 1000.0
# One number, several to choose from by cross-validation, or the usual ones.
Values = float | Literal["auto"] | tuple[float, ...]


def number(
    value: object, key: str, where: str, least: float, most: float, *, above: bool = False, others: str = ""
) -> float:
    """A number within bounds, or a `PfsmError` that names the key and other values that may be given.

    ``above``: the least is excluded.
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= most or (above and value == least):  # type: ignore[operator]
        low = f"above {least:g} and at most {most:g}" if above else f"from {least:g} to {most:g}"
        raise PfsmError(f"{where}: {key} is {value!r}, it must be a number {low}{others}")
    return float(value)  # type: ignore[arg-type]


def flag(value: object, key: str, where: str) -> bool:
    """True or false, or a `PfsmError` that names the key."""
    if not isinstance(value, bool):
        raise PfsmError(f"{where}: {key} is {value!r}, it must be true or false")
    return value


def whole(value: object, key: str, where: str, least: int) -> int:
    """A whole number from ``least``, or a `PfsmError` that names the key."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise PfsmError(f"{where}: {key} is {value!r}, it must be a whole number from {least}")
    return value


def choice(value: object, key: str, known: tuple[str, ...], where: str) -> str:
    """One of some names, or a `PfsmError` that names the key."""
    if value not in known:
        raise PfsmError(f"{where}: {key} is {value!r}, it must be one of {', '.join(known)}")
    return str(value)


def one_or_several(value: object, key: str, where: str, most: float) -> Values:
    """A number from 0, a list of numbers, or ``auto``; or a `PfsmError` that names the key."""
    if value == AUTO:
        return AUTO
    if isinstance(value, list | tuple) and value:
        return tuple(sorted({_from_0(one, key, where, most) for one in value}))
    return _from_0(value, key, where, most)


def _from_0(value: object, key: str, where: str, most: float) -> float:
    if isinstance(value, str):
        # YAML 1.1 reads 1e-3, without a decimal point, as text.
        with contextlib.suppress(ValueError):
            value = float(value)
    return number(value, key, where, 0.0, most, others=", a list of them, or auto")


def to_choose_from(values: Values, usual: tuple[float, ...]) -> tuple[float, ...]:
    """The values that cross-validation chooses from; a single one if a number was given."""
    if values == AUTO:
        return usual
    return values if isinstance(values, tuple) else (float(values),)


@dataclass(frozen=True)
class EncoderOptions:
    """What to learn over an encoder.

    Attributes:
        tune: ``head``: a projection of its states, weights of pieces, and a machine over them; the encoder itself stays
            as it is. ``lora``: its layers too, by matrices of low rank that are added to theirs (Hu et al., 2022).
            ``full``: all weights of its layers; the embeddings stay as they are.
        source: The encoder, as `pfsm.embeddings.encoders` names them.
        layers: Number of the last layer that is used; None: all.
        precision: Of the matrix products in training where layers are tuned. ``bfloat16`` is some four times as fast on
            processors with matrix units, and slower on others. Scores are computed in float32 in any case.
        minimal_pairs: What the mean over minimal pairs weighs in terms of the mean over what people said; 0: nothing is
            learned from them over the encoder.
    """

    tune: str = HEAD
    source: str = DEFAULT_SOURCE
    layers: int | None = None
    precision: str = SINGLE
    minimal_pairs: float = 0.0

    def decisive(self, source: str) -> list[Any]:
        """What the course of a training depends on; ``source`` with its checksum."""
        usual = self.layers is None and self.precision == SINGLE
        return [
            *(self.tune, source),
            *([] if usual else [self.layers, self.precision]),
            *([self.minimal_pairs] if self.minimal_pairs else []),
        ]


def encoder_option(value: object, where: str) -> EncoderOptions | None:
    """``false``, a mapping of options, or the name of a shipped encoder, over which a head is learned."""
    if value is False:
        return None
    if isinstance(value, str):
        value = {"tune": HEAD, "source": check_source(f"{SHIPPED}{value}", f"{where}: encoder")}
    if not isinstance(value, Mapping) or "tune" not in value:
        raise PfsmError(
            f"{where}: encoder is {value!r}, it must be false, the name of a shipped encoder, "
            f"or {{tune: {' | '.join(TUNED)}}}"
        )
    _check_options(value, "encoder", yaml_keys.ENCODER, where)
    return EncoderOptions(
        choice(value["tune"], "encoder: tune", TUNED, where),
        check_source(value.get("source", DEFAULT_SOURCE), f"{where}: encoder: source"),
        None if value.get("layers") is None else whole(value["layers"], "encoder: layers", where, 1),
        choice(value.get("precision", SINGLE), "encoder: precision", PRECISIONS, where),
        number(value.get(MINIMAL_PAIRS, 0.0), MINIMAL_PAIRS, f"{where}: encoder", 0.0, LARGEST_WEIGHT),
    )


@dataclass(frozen=True)
class WeightOptions:
    """Where the weights of judgments come from.

    With `rater_noise` k, a mean over n raters counts as ``n / (n + k)`` judgments by very many raters. That is the
    precision of its score: k is the variance of one rater's noise in units of the variance of the errors that a model
    would make if there were no such noise. With k = (1 - r) / r it is the reliability of the mean by the formula of
    Spearman (1910) and Brown (1910), r being that of one rater.

    Attributes:
        column: The column of the judgments that holds a number of raters or a weight.
        rater_noise: k; None: the column holds the weights themselves.
    """

    column: str
    rater_noise: float | None = None

    def of(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights, float64 [n], from the numbers of the column."""
        if self.rater_noise is None:
            return numbers
        nothing = np.zeros(numbers.size)
        return np.divide(numbers, numbers + self.rater_noise, out=nothing, where=numbers > 0.0)

    def to_dict(self) -> dict[str, object]:
        """For the record of a model file."""
        noise = {} if self.rater_noise is None else {"rater_noise": self.rater_noise}
        return {"column": self.column, **noise}


def weights_option(value: object, where: str) -> WeightOptions | None:
    """``false``, the name of a column, or a mapping of options.

    Raises:
        PfsmError: If it is none of these.
    """
    if value is False:
        return None
    if isinstance(value, str) and value:
        return WeightOptions(value)
    if not isinstance(value, Mapping) or not isinstance(value.get("column"), str) or not value["column"]:
        raise PfsmError(
            f"{where}: {WEIGHTS} is {value!r}, it must be false, the name of a column, or "
            "{column: NAME, rater_noise: K}"
        )
    _check_options(value, WEIGHTS, yaml_keys.WEIGHTS, where)
    noise = value.get("rater_noise")
    if noise is not None:
        noise = number(noise, "rater_noise", f"{where}: {WEIGHTS}", 0.0, LARGEST_NOISE)
    return WeightOptions(value["column"], noise)


def _check_options(given: Mapping[str, Any], name: str, known: Sequence[str], where: str) -> None:
    for key in given:
        if key not in known:
            raise PfsmError(f"{where}: {name} has the unknown option {key!r}; known are {', '.join(known)}")


@dataclass(frozen=True)
class MinimalPairsOptions:
    """Where the pairs come from and what they ask for.

    Attributes:
        files: TSV or CSV files as `pfsm data perturb` writes them.
        kinds: Kinds or severities of the pairs that are made from the training data; empty: every kind for the
            language; None: none are made.
        without: Kinds that are left out, of the files too.
        of: What is changed: ``reference``, ``hypothesis`` (those with the best scores, or the preferred ones), or both.
        top: Share of the hypotheses that count as the best.
        number: At most so many pairs of each kind are made.
        seed: Of the changes.
        crossed: Whether a translation with a harmless change should also score above the same with a major or critical
            fault.
        weight: What the mean over the pairs weighs in terms of the mean over what people said. Cross-validation chooses
            among several values, or among the usual ones with ``auto``.
        scale: s of `pfsm_training.loss.objective.PairwiseLogistic`, in standard deviations of the scores.
        margins: By severity, how far the two sides of a pair should be apart, in standard deviations of the scores.
    """

    files: tuple[str, ...] = ()
    kinds: tuple[str, ...] | None = ()
    without: tuple[str, ...] = ()
    of: tuple[str, ...] = CHANGED
    top: float = 0.25
    number: int = 50
    seed: int = 1
    crossed: bool = False
    weight: Values = AUTO
    scale: float = 0.25
    margins: Mapping[str, float] = field(default_factory=lambda: dict(MARGINS))

    def decisive(self) -> list[object]:
        """What the course of a training depends on beside the pairs themselves."""
        return [self.weight, self.scale, [self.margins[name] for name in SEVERITIES]]


def minimal_pairs_option(value: object, where: str) -> MinimalPairsOptions | None:
    """The options from plain values; None for ``false``.

    Args:
        value: ``false``, ``true``, or a mapping of options.
        where: Name of its source in errors.

    Raises:
        PfsmError: If an option is unknown or a value is invalid.
    """
    if value is False or value is None:
        return None
    given = {} if value is True else value
    where = f"{where}: {MINIMAL_PAIRS}"
    if not isinstance(given, Mapping):
        raise PfsmError(f"{where} is {value!r}, it must be false, true or a mapping such as {{weight: 0.3}}")
    for key in given:
        if key not in yaml_keys.MINIMAL_PAIRS:
            known = unknown_key(key, yaml_keys.MINIMAL_PAIRS, "`docs/settings.md`")
            raise PfsmError(f"{where}: unknown option {key!r}; {known}")
    files = _names(given.get("file", []), "file", where)
    kinds = given.get("kinds", ALL if not files else False)
    return MinimalPairsOptions(
        files,
        None if kinds is False else () if kinds == ALL else _names(kinds, "kinds", where),
        _names(given.get("except", []), "except", where),
        _changed(given.get("of", list(CHANGED)), where),
        number(given.get("top", 0.25), "top", where, 0.0, 1.0, above=True),
        whole(given.get("number", 50), "number", where, 1),
        whole(given.get("seed", 1), "seed", where, 0),
        flag(given.get("crossed", False), "crossed", where),
        one_or_several(given.get("weight", AUTO), "weight", where, LARGEST_WEIGHT),
        number(given.get("scale", 0.25), "scale", where, 0.0, LARGEST_MARGIN, above=True),
        _margins(given.get("margins", {}), where),
    )


def _names(value: object, key: str, where: str) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name for name in names):
        raise PfsmError(f"{where}: {key} is {value!r}, it must be a name or a list of names")
    return tuple(dict.fromkeys(names))


def _changed(value: object, where: str) -> tuple[str, ...]:
    names = _names(value, "of", where)
    wrong = [name for name in names if name not in CHANGED]
    if wrong or not names:
        told = f"has {wrong[0]!r}" if wrong else "is empty"
        raise PfsmError(f"{where}: of {told}, it must be one of {', '.join(CHANGED)}, or both in a list")
    return names


def _margins(value: object, where: str) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise PfsmError(f"{where}: margins is {value!r}, it must be a mapping such as {{critical: 1}}")
    for key in value:
        if key not in SEVERITIES[1:]:
            raise PfsmError(f"{where}: margins has {key!r}, the severities are {', '.join(SEVERITIES[1:])}")
    given: Mapping[str, Any] = value
    return {
        name: number(given.get(name, MARGINS[name]), f"margins: {name}", where, 0.0, LARGEST_MARGIN)
        for name in SEVERITIES
    }


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
