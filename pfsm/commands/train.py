"""``pfsm train``: learns a model from judgments and writes it to a file."""

from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from pathlib import Path

from pfsm.commands.options import check_output, declare
from pfsm.data.groups import BY_HELP
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.io.pages import page_maker
from pfsm.model.file import check_line

CHECKPOINT = ".checkpoint"
OPTIONS = f"""
data DATA.tsv+  files with columns reference, hypothesis and a score, or reference, better and worse; plain or .gz
--output, -o MODEL.json!  where to write the model
--config FILE.yaml  YAML file with settings, lambda, objective, mixture; words: an empty one, the machine on words and
  stems (default: for English, all shipped knowledge)
@score-column
--standardise-by WHAT  first give the scores of each file, or of each value of a column, mean 0 and standard deviation
  1: file, system, language or a column such as rater
--init MODEL  model (name or file) to start from and stay close to; --config may add features and matchers to it
--folds-by WHAT  what cross-validation and its intervals hold out together: {BY_HELP} (default: source languages where
  there are several, else segments)
--spans  learn from marked errors (column errors) where --init's translations lose points, and nothing else: its scores
  stay
@resource
--dev FILE.tsv  held-out data: report the correlation on it; it does not affect training
--report PAGE.html  write a page on what was learned and how far to trust it: overfitting, a learning curve, costs of
  edits, the worst segments; about doubles the time
@name pfsm
--download  fetch a network transformers:NAME if the local cache lacks it
@language the data
@threads
--scheduler ADDRESS  Dask cluster (tcp://HOST:8786), or processes here (local:N)
--resume  save each iteration to MODEL.json{CHECKPOINT}; if that file exists, training resumes from it
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(parser, OPTIONS)


def run(options: Namespace) -> None:
    """Trains, reports, writes."""
    if find_spec("torch") is None:
        raise NotInstalledError("training needs PyTorch, which is not installed", ["torch"], ["train"])
    check_line(options.name, "--name")
    check_line(options.licence, "--licence")
    inputs = [*options.data, options.config, options.dev]
    check_output(options.output, inputs)
    from pfsm.commands import training  # noqa: PLC0415 - brings torch

    if options.spans:
        training.learn_errors(options)
        return
    if options.report is not None:
        page_maker("training", "--report")
    check_output(options.report, inputs)
    if options.report is not None and Path(options.report).resolve() == Path(options.output).resolve():
        raise PfsmError(
            f"{options.report}: --report and --output are the same file; give the page another name"
        )
    training.learn(
        options, None if options.scheduler is None and not options.resume else f"{options.output}{CHECKPOINT}"
    )
