"""Experiments: from one YAML file to a table of results, its plots, and the models behind it."""

from pfsm_training.experiment.config import Experiment, read_experiment
from pfsm_training.experiment.run import run_experiment

__all__ = ["Experiment", "read_experiment", "run_experiment"]
