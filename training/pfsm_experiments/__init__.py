"""Experiments: a YAML file describes a table of results; running it gives the table, its plots and its models."""

from pfsm_experiments.reading import read_experiment
from pfsm_experiments.run import run_experiment
from pfsm_experiments.spec import Experiment

__all__ = ["Experiment", "read_experiment", "run_experiment"]
