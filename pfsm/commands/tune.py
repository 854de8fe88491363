"""``pfsm tune``: tunes edit costs, and weights of additional features, to human scores."""

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict, replace
from importlib.util import find_spec

from pfsm.commands.options import check_output, declare
from pfsm.commands.output import print_columns
from pfsm.data import Judgments, judgments_from_table
from pfsm.data.formats.registry import read_judged
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.metrics.registry import get_metric
from pfsm.metrics.terp import TerpMetric
from pfsm.model.file import check_line, save_model

OPTIONS = """
data DATA.tsv+  files with columns reference, hypothesis and a score; plain or .gz
--metric NAME [terp-base]  terp or terp-base, with options in parentheses; tuning starts from its costs (default:
  terp-base)
--features NAME+ []  sentence-level features whose weights are tuned along with the costs
--output, -o MODEL.json  write the result to this file as a model
@score-column
--negate  lower human scores are better, as with HTER
--restarts N [10]  number of hill climbs from random weights (default: 10)
@name tuned
@format text json
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(parser, OPTIONS)


def run(options: Namespace) -> None:
    """Tunes, reports, writes."""
    if find_spec("torch") is None:
        raise NotInstalledError("tuning needs PyTorch, which is not installed", ["torch"], ["train"])
    check_line(options.name, "--name")
    check_line(options.licence, "--licence")
    check_output(options.output, options.data)
    metric = get_metric(options.metric)
    if not isinstance(metric, TerpMetric):
        raise PfsmError(f"--metric is {options.metric!r}, it must be terp or terp-base")
    column = options.score_column
    judgments = Judgments.join(
        [judgments_from_table(read_judged(path, column), column) for path in options.data]
    )
    if options.negate:
        judgments = replace(judgments, scores=0.0 - judgments.scores)
    from pfsm_training.tuning.edit_costs import tune_costs  # noqa: PLC0415 - brings torch

    tuned = tune_costs(metric, judgments, options.features, restarts=options.restarts)
    if options.output is not None:
        save_model(tuned.model(judgments, options.name, options.licence), options.output)
    if options.format == "json":
        print(json.dumps({"name": tuned.name, **asdict(tuned)}, indent=2, ensure_ascii=False))
        return
    print_columns([(name, f"{weight:8.4g}") for name, weight in {**tuned.costs, **tuned.features}.items()])
    print(f"r = {tuned.correlation:.4f}, before tuning {tuned.before:.4f} (both on the data used for tuning)")
    rounds = f"{tuned.rounds} round{'s' * (tuned.rounds != 1)}"
    print(f"{rounds} of aligning and tuning, {'settled' if tuned.stable else 'not settled'}")
    print(f"--metric '{tuned.name}'")
