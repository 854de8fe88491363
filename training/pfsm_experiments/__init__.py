"""Experiments: from one YAML file to a table of results, its plots, and the models behind it."""

from pfsm_experiments.reading import read_experiment
from pfsm_experiments.run import run_experiment
from pfsm_experiments.spec import Experiment

__all__ = ["Experiment", "read_experiment", "run_experiment"]
