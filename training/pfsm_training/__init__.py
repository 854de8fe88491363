"""Training of pfsm metrics with PyTorch: autograd around the kernels, log-linear module, objective, L-BFGS."""

from pfsm_training.config import TrainingConfig, read_config
from pfsm_training.log_sum import log_sum
from pfsm_training.module import LogLinearMachine
from pfsm_training.trainer import train

__all__ = ["LogLinearMachine", "TrainingConfig", "log_sum", "read_config", "train"]
