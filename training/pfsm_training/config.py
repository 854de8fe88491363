"""Training options: the keys of a YAML file for ``pfsm train --config``."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pfsm.embeddings.encoders import DEFAULT_SOURCE, check_source
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name
from pfsm.model.file import Model
from pfsm.model.settings import KEYS as SETTINGS_KEYS
from pfsm.model.settings import Settings
from pfsm.runtime.yaml_keys import ENCODER, SWITCHES, TRAINING, unknown_key
from pfsm_training.initial_settings import completed_settings
from pfsm_training.loss.names import OBJECTIVES
from pfsm_training.minimal_pairs_option import KEY as MINIMAL_PAIRS
from pfsm_training.minimal_pairs_option import LARGEST_WEIGHT, MinimalPairsOptions, minimal_pairs_option
from pfsm_training.plain_values import flag, number
from pfsm_training.weights_option import KEY as WEIGHTS
from pfsm_training.weights_option import WeightOptions, weights_option
from pfsm_training.yaml_file import read_yaml_mapping

KEYS = TRAINING
SOLVERS = ("gauss-newton", "lbfgs")
BEST, MATCHES, ZERO = "best", "matches", "zero"
STARTS = (BEST, MATCHES, ZERO)
HIGHEST, ONE_STANDARD_ERROR = "highest", "one_standard_error"
LAMBDA_RULES = (HIGHEST, ONE_STANDARD_ERROR)
AUTO: Literal["auto"] = "auto"
# Fixes every weight at its start. Far above, the penalty swamps the errors and the solver cannot find alpha.
LARGEST_PENALTY = 1e12
LARGEST_EDIT_COST = LARGEST_MATCH_GAIN = 100.0

HEAD, LORA, FULL = "head", "lora", "full"
TUNED = (HEAD, LORA, FULL)
SINGLE, HALF = "float32", "bfloat16"
PRECISIONS = (SINGLE, HALF)
Penalty = float | Literal["auto"] | tuple[float, ...]
Mixture = float | Literal["auto"]


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


@dataclass(frozen=True)
class TrainingConfig:
    """How to train.

    Attributes:
        settings: Settings of the machine.
        penalty: lambda of the objective, at least 0. Cross-validation chooses among several values, or among the
            usual ones with ``auto``.
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
            of ``y`` (`pfsm_training.fit.copies`); 0: nothing is asked.
        match_gain: What matching a word weighs at least beyond deleting and inserting it, in the units of ``y``
            (`pfsm_training.fit.match_gain`); 0: nothing is asked.
        encoder: What to learn over an encoder; None: nothing.
        minimal_pairs: Pairs to learn from beside what people said (`pfsm_training.fit.minimal_pairs`); None: none.
        weights: How much each judgment counts; None: all count the same.
        prune_jumps: Whether features of Jump with few instances are left out, as all others are.
        given: The values that the user gave, without defaults and without values taken from an initial model.
    """

    settings: Settings = field(default_factory=Settings)
    penalty: Penalty = 5.0
    solver: str = SOLVERS[0]
    objective: str = "squared_error"
    mixture: Mixture = 0.5
    class_transitions: bool = False
    start: str = BEST
    lambda_rule: str = HIGHEST
    standardise: bool = True
    prune_jumps: bool = False
    edit_cost: float = 0.0
    match_gain: float = 0.0
    encoder: EncoderOptions | None = None
    minimal_pairs: MinimalPairsOptions | None = None
    weights: WeightOptions | None = None
    given: Mapping[str, Any] = field(default_factory=dict)

    def penalties(self, usual: tuple[float, ...]) -> tuple[float, ...]:
        """The lambdas to choose from; a single one if lambda is a number."""
        if self.penalty == AUTO:
            return usual
        return self.penalty if isinstance(self.penalty, tuple) else (float(self.penalty),)


def read_config(path: StrPath, init: Model | None = None) -> TrainingConfig:
    """Reads a YAML file of settings and training options.

    Args:
        path: The file.
        init: As in `config_from_dict`.

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
        _penalty(values.get("lambda", 5.0), where),
        _choice(values.get("solver", SOLVERS[0]), "solver", SOLVERS, where),
        _choice(values.get("objective", OBJECTIVES[0]), "objective", OBJECTIVES, where),
        _mixture(values.get("mixture", 0.5), where),
        class_transitions,
        _choice(values.get("start", BEST), "start", STARTS, where),
        _choice(values.get("lambda_rule", HIGHEST), "lambda_rule", LAMBDA_RULES, where),
        flag(values.get("standardise", True), "standardise", where),
        flag(values.get("prune_jumps", False), "prune_jumps", where),
        _constraint(values, "edit_cost", LARGEST_EDIT_COST, where),
        _constraint(values, "match_gain", LARGEST_MATCH_GAIN, where),
        _encoder(values.get("encoder", False), where),
        _minimal_pairs(values, where),
        weights_option(values.get(WEIGHTS, False), where),
        dict(values),
    )


def _encoder(value: object, where: str) -> EncoderOptions | None:
    """``false``, or a mapping of options."""
    if value is False:
        return None
    if not isinstance(value, Mapping) or "tune" not in value:
        raise PfsmError(f"{where}: encoder is {value!r}, it must be false or {{tune: {' | '.join(TUNED)}}}")
    for key in value:
        if key not in ENCODER:
            raise PfsmError(
                f"{where}: encoder has the unknown option {key!r}; known are {', '.join(ENCODER)}"
            )
    return EncoderOptions(
        _choice(value["tune"], "encoder: tune", TUNED, where),
        check_source(value.get("source", DEFAULT_SOURCE), f"{where}: encoder: source"),
        _layers(value.get("layers"), where),
        _choice(value.get("precision", SINGLE), "encoder: precision", PRECISIONS, where),
        number(value.get(MINIMAL_PAIRS, 0.0), MINIMAL_PAIRS, f"{where}: encoder", 0.0, LARGEST_WEIGHT),
    )


def _layers(value: object, where: str) -> int | None:
    if value is None or (type(value) is int and value >= 1):
        return value
    raise PfsmError(f"{where}: encoder: layers is {value!r}, it must be a whole number from 1")


def _penalty(value: object, where: str) -> Penalty:
    if value == AUTO:
        return AUTO
    if isinstance(value, list) and value:
        return tuple(sorted({_one_penalty(number, where) for number in value}))
    return _one_penalty(value, where)


def _one_penalty(value: object, where: str) -> float:
    number = value
    if isinstance(value, str):
        # YAML 1.1 reads 1e-3, without a decimal point, as text.
        with contextlib.suppress(ValueError):
            number = float(value)
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= LARGEST_PENALTY:
        raise PfsmError(
            f"{where}: lambda is {value!r}, it must be a number from 0 to {LARGEST_PENALTY:g}, a list of them, or auto"
        )
    return float(number)


def _mixture(value: object, where: str) -> Mixture:
    if value == AUTO:
        return AUTO
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise PfsmError(f"{where}: mixture is {value!r}, it must be a number from 0 to below 1, or auto")
    return float(value)


def _constraint(values: Mapping[str, Any], key: str, largest: float, where: str) -> float:
    """What is asked of a model beside its agreement with people; 0: nothing."""
    value = values.get(key, 0.0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= largest:
        raise PfsmError(f"{where}: {key} is {value!r}, it must be a number from 0 to {largest:g}")
    if value and values.get("solver", SOLVERS[0]) != SOLVERS[0]:
        raise PfsmError(f"{where}: {key} needs solver: {SOLVERS[0]}")
    return float(value)


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


def _choice(value: object, key: str, known: tuple[str, ...], where: str) -> str:
    if value not in known:
        raise PfsmError(f"{where}: {key} is {value!r}, it must be one of {', '.join(known)}")
    return str(value)
