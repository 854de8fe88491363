"""Arguments that several commands share, so that they are spelled and explained alike."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable
from pathlib import Path

from pfsm.errors import PfsmError
from pfsm.io.files import check_writable
from pfsm.metrics import SegmentMetric, get_metric, metric_names
from pfsm.model.metric import Metric
from pfsm.model.shipped import DEFAULT_MODEL, load


def positive(text: str) -> int:
    """A whole number from 1, for argparse."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def decimals(text: str) -> int:
    """A number of decimals, for argparse."""
    if not text.isascii() or not text.isdigit() or int(text) > 100:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 0 to 100")
    return int(text)


def check_output(path: str, inputs: Iterable[str]) -> None:
    """Checks before the work begins that the result can be written and does not replace an input.

    Raises:
        PfsmError: If it cannot, or ``path`` is one of the input files.
    """
    check_writable(path)
    for name in inputs:
        try:
            same = Path(path).samefile(name)
        except (OSError, ValueError):  # one of the files does not exist; reading it will report that
            same = False
        if same and Path(path).is_file():
            raise PfsmError(
                f"{path}: is an input, which the output would replace; give the output another name"
            )


def add_model(parser: ArgumentParser, default: str = DEFAULT_MODEL) -> None:
    """``--model NAME|FILE``."""
    parser.add_argument(
        "--model",
        "-m",
        default=default,
        metavar="NAME|FILE",
        help=f"a shipped model (see `pfsm models`) or a model file (default: {default})",
    )
    add_trust(parser)


def add_trust(parser: ArgumentParser) -> None:
    """``--trust-model``."""
    parser.add_argument(
        "--trust-model",
        action="store_true",
        help="let a model file run the programs and plug-ins that it names, and read files anywhere "
        "(`pfsm help security`)",
    )


def add_scorer(parser: ArgumentParser) -> None:
    """``--model`` and ``--metric``; both are None where they are not given, so that one can be told from none."""
    add_model(parser)
    parser.set_defaults(model=None)
    parser.add_argument(
        "--metric", metavar="NAME", help=f"instead of a model, another metric: {', '.join(metric_names())}"
    )


def open_scorer(options: Namespace) -> SegmentMetric:
    """The model or metric that `add_scorer`'s options name; the default model if they name none.

    Raises:
        PfsmError: If they name both, or one that is not there.
    """
    if options.metric is None:
        return open_model(options, options.threads)
    if options.model is not None:
        raise PfsmError("give either --model or --metric, not both")
    return get_metric(options.metric)


def open_model(options: Namespace, threads: int | None) -> Metric:
    """The model that `add_scorer`'s options name, or the default one.

    Raises:
        PfsmError: If there is none, or it needs ``--trust-model``.
    """
    return load(DEFAULT_MODEL if options.model is None else options.model, threads, trust=options.trust_model)


def add_format(parser: ArgumentParser, *formats: str) -> None:
    """``--format``; the first is the default."""
    parser.add_argument(
        "--format", "-f", choices=formats, default=formats[0], help=f"output format (default: {formats[0]})"
    )


def add_spreadsheet(parser: ArgumentParser) -> None:
    """``--spreadsheet``."""
    parser.add_argument(
        "--spreadsheet",
        action="store_true",
        help="for opening the TSV in a spreadsheet: an apostrophe before cells that it would take for a formula",
    )


def add_threads(parser: ArgumentParser) -> None:
    """``--threads N``."""
    parser.add_argument(
        "--threads",
        type=positive,
        metavar="N",
        help="number of threads (default: all processors; results do not depend on it)",
    )


def add_resamples(parser: ArgumentParser) -> None:
    """``--confidence-n N``."""
    parser.add_argument(
        "--confidence-n",
        type=positive,
        default=1000,
        metavar="N",
        help="bootstrap resamples (default: 1000; the seed is in PFSM_SEED, default 12345)",
    )


def add_scheduler(parser: ArgumentParser) -> None:
    """``--scheduler ADDRESS``."""
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="run on the Dask cluster of this scheduler (tcp://HOST:8786), or in N processes on this machine (local:N)",
    )
