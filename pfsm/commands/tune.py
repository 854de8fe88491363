"""``pfsm tune``: tunes edit costs, and weights of additional features, to human scores."""

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pfsm.commands.arguments import add_format, check_output, positive
from pfsm.data import Judgments, judgments_from_table
from pfsm.data.formats.registry import read_judged
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.metrics.registry import get_metric
from pfsm.metrics.terp import TerpMetric
from pfsm.model.file import check_line, save_model

if TYPE_CHECKING:
    from pfsm_training.tuning.edit_costs import TunedCosts


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "data", nargs="+", metavar="DATA.tsv",
        help="files with columns reference, hypothesis and a score; plain or .gz",
    )  # fmt: skip
    parser.add_argument(
        "--metric", default="terp-base", metavar="NAME",
        help="terp or terp-base, with options in parentheses; tuning starts from its costs (default: terp-base)",
    )  # fmt: skip
    parser.add_argument(
        "--features", nargs="+", default=[], metavar="NAME",
        help="sentence-level features whose weights are tuned along with the costs",
    )  # fmt: skip
    parser.add_argument(
        "--output", "-o", metavar="MODEL.json", help="write the result to this file as a model"
    )
    parser.add_argument(
        "--score-column", default="score", metavar="NAME", help="column of the scores (default: score)"
    )
    parser.add_argument("--negate", action="store_true", help="lower human scores are better, as with HTER")
    parser.add_argument(
        "--restarts", type=positive, default=10, metavar="N",
        help="number of hill climbs from random weights (default: 10)",
    )  # fmt: skip
    parser.add_argument(
        "--name",
        default="tuned",
        help="name of the model, recorded in its file and shown with scores (default: tuned)",
    )
    parser.add_argument(
        "--licence", default="not stated", metavar="TEXT", help="licence of the model, recorded in its file"
    )
    add_format(parser, "text", "json")


def run(options: Namespace) -> None:
    """Tunes, reports, writes."""
    if find_spec("torch") is None:
        raise NotInstalledError("tuning needs PyTorch, which is not installed", ["torch"], ["train"])
    check_line(options.name, "--name")
    check_line(options.licence, "--licence")
    if options.output is not None:
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
    print(_document(tuned) if options.format == "json" else _text(tuned))


def _document(tuned: "TunedCosts") -> str:
    return json.dumps({"name": tuned.name, **asdict(tuned)}, indent=2, ensure_ascii=False)


def _text(tuned: "TunedCosts") -> str:
    weights = {**tuned.costs, **tuned.features}
    width = max(map(len, weights))
    rounds = f"{tuned.rounds} round{'s' * (tuned.rounds != 1)}"
    return "\n".join(
        [
            *(f"{name:<{width}}  {weight:8.4g}" for name, weight in weights.items()),
            f"r = {tuned.correlation:.4f}, before tuning {tuned.before:.4f} (both on the data used for tuning)",
            f"{rounds} of aligning and tuning, {'settled' if tuned.stable else 'not settled'}",
            f"--metric '{tuned.name}'",
        ]
    )
