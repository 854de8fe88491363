"""Training of pfsm metrics with PyTorch: autograd around the kernels, the log-linear model, objectives and solvers.

Importing this package does not import PyTorch. Using one of its public names does.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pfsm_training.config import TrainingConfig as TrainingConfig
    from pfsm_training.config import read_config as read_config
    from pfsm_training.loss.module import LogLinearMachine as LogLinearMachine
    from pfsm_training.loss.module import log_sum as log_sum
    from pfsm_training.trainer import train as train

_HOMES = {
    "LogLinearMachine": "pfsm_training.loss.module",
    "TrainingConfig": "pfsm_training.config",
    "log_sum": "pfsm_training.loss.module",
    "read_config": "pfsm_training.config",
    "train": "pfsm_training.trainer",
}

__all__ = ["LogLinearMachine", "TrainingConfig", "log_sum", "read_config", "train"]


def __getattr__(name: str) -> Any:
    """Imports a public name on first use, so that training options can be read without PyTorch."""
    if name not in _HOMES:
        raise AttributeError(f"module 'pfsm_training' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return __all__
