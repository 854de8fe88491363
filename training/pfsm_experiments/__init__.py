"""Experiments: a YAML file describes a table of results; running it gives the table, its plots and its models."""

from pfsm_installation import check

check()  # before the imports that need our own module `pfsm`

from pfsm_experiments.reading import read_experiment  # noqa: E402
from pfsm_experiments.run import run_experiment  # noqa: E402
from pfsm_experiments.spec import Experiment  # noqa: E402

__all__ = ["Experiment", "read_experiment", "run_experiment"]
