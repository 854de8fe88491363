"""Training options: what a YAML file given to ``pfsm train --config`` may say."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import yaml

from pfsm.errors import PfsmError
from pfsm.files import StrPath, display_name, read_lines
from pfsm.settings import KEYS as SETTINGS_KEYS
from pfsm.settings import Settings, settings_from_dict
from pfsm_training.objective import OBJECTIVES

SOLVERS = ("lbfgs",)
KEYS = ("lambda", "solver", "objective")
AUTO: Literal["auto"] = "auto"
# Holds every weight at its start; far above, the penalty drowns the errors and alpha is not found.
LARGEST_PENALTY = 1e12

Penalty = float | Literal["auto"]


@dataclass(frozen=True)
class TrainingConfig:
    """How to train.

    Attributes:
        settings: Settings of the machine.
        penalty: lambda of the objective, at least 0; ``auto`` chooses it by cross-validation.
        solver: ``lbfgs``.
        objective: ``squared_error``.
        given: The keys that were written down, in contrast to those at their defaults.
    """

    settings: Settings = field(default_factory=Settings)
    penalty: Penalty = 5.0
    solver: str = "lbfgs"
    objective: str = "squared_error"
    given: frozenset[str] = frozenset()


def read_config(path: StrPath) -> TrainingConfig:
    """Reads a YAML file of settings and training options.

    Raises:
        PfsmError: If the file is missing, not YAML, has an unknown key or a value that cannot be.
    """
    where = display_name(path)
    try:
        document = yaml.safe_load("\n".join(read_lines(path)))
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise PfsmError(f"{where}{line}: not valid YAML ({error.problem})") from None
    except yaml.YAMLError as error:
        raise PfsmError(f"{where}: not valid YAML ({' '.join(str(error).split())})") from None
    except (AttributeError, LookupError, RecursionError, ValueError):
        # What PyYAML lets through for the 45th of a month, `!!int x`, `!!bool x`, a thousand brackets.
        raise PfsmError(
            f"{where}: not valid YAML (a value is not of its type, or nested too deeply)"
        ) from None
    if document is None:
        document = {}
    if not isinstance(document, dict) or not all(isinstance(key, str) for key in document):
        raise PfsmError(
            f"{where}: must hold lines `key: value`; keys are {', '.join((*SETTINGS_KEYS, *KEYS))}"
        )
    return config_from_dict(document, where)


def config_from_dict(values: Mapping[str, Any], where: str) -> TrainingConfig:
    """A training configuration from plain values.

    Raises:
        PfsmError: If a key is unknown or a value cannot be.
    """
    for key in values:
        if key not in SETTINGS_KEYS and key not in KEYS:
            raise PfsmError(f"{where}: unknown key {key!r}; known are {', '.join((*SETTINGS_KEYS, *KEYS))}")
    settings = settings_from_dict({key: values[key] for key in values if key in SETTINGS_KEYS}, where)
    return TrainingConfig(
        settings,
        _penalty(values.get("lambda", 5.0), where),
        _choice(values.get("solver", SOLVERS[0]), "solver", SOLVERS, where),
        _choice(values.get("objective", OBJECTIVES[0]), "objective", OBJECTIVES, where),
        frozenset(values),
    )


def _penalty(value: object, where: str) -> Penalty:
    if value == AUTO:
        return AUTO
    number = value
    if isinstance(value, str):
        # YAML 1.1 takes 1e-3, without a period, for text.
        with contextlib.suppress(ValueError):
            number = float(value)
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= LARGEST_PENALTY:
        raise PfsmError(
            f"{where}: lambda is {value!r}, it must be a number from 0 to {LARGEST_PENALTY:g}, or auto"
        )
    return float(number)


def _choice(value: object, key: str, known: tuple[str, ...], where: str) -> str:
    if value not in known:
        raise PfsmError(f"{where}: {key} is {value!r}, it must be one of {', '.join(known)}")
    return str(value)
