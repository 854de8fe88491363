"""Arguments that several commands share, so that they are spelled and explained alike."""

import sys
import warnings
from argparse import SUPPRESS, Action, ArgumentError, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pfsm.commands.languages import add_language, metric_options, model_name
from pfsm.data.judgments import left_out_text
from pfsm.errors import PfsmError, PfsmNote, PfsmWarning
from pfsm.io.files import check_writable
from pfsm.metrics import SegmentMetric, get_metric
from pfsm.metrics.base import Level
from pfsm.metrics.inputs import NumberOfReferences
from pfsm.model.metric import Metric
from pfsm.model.shipped import DEFAULT_MODEL, load, model_for
from pfsm.text.language_names import english_name

if TYPE_CHECKING:
    from pfsm.distributed.pools import Pool, Report


def positive(text: str) -> int:
    """A whole number from 1, for argparse."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


# More digits than these a number in double precision does not have.
MOST_DECIMALS = 17


def decimals(text: str) -> int:
    """A number of decimals, for argparse."""
    if not text.isascii() or not text.isdigit() or int(text) > MOST_DECIMALS:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 0 to {MOST_DECIMALS}")
    return int(text)


def check_output(path: str, inputs: Iterable[str]) -> None:
    """Checks before the work begins that the result can be written and does not replace an input."""
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


def refuse_without(options: Namespace, names: Iterable[str], needed: str) -> None:
    """Refuses options that are given without the one that they go with."""
    for name in names:
        if getattr(options, name) not in {None, False}:
            raise PfsmError(f"--{name.replace('_', '-')} goes with {needed}")


def print_columns(rows: Sequence[Sequence[str]]) -> None:
    """Prints rows of cells as a table, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())


class _Once(Action):
    """Takes one value; of several it would not be clear which one counts."""

    def __call__(
        self,
        parser: ArgumentParser,  # noqa: ARG002 - argparse's signature
        namespace: Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        given: set[str] = getattr(namespace, "given_once", set())
        if self.dest in given:
            raise ArgumentError(self, f"{option_string} is given twice; this command takes one")
        namespace.given_once = {*given, self.dest}
        setattr(namespace, self.dest, values)


def add_model(parser: ArgumentParser, default: str = DEFAULT_MODEL) -> None:
    """``--model NAME|FILE``."""
    parser.add_argument(
        "--model", "-m", action=_Once, default=default, metavar="NAME|FILE",
        help=f"see `pfsm models`, or a model file (default: {default})",
    )  # fmt: skip
    add_resources(parser)


def add_resources(parser: ArgumentParser) -> None:
    """``--resource NAME=PATH``."""
    parser.add_argument(
        "--resource", type=_resource, action="append", default=[], metavar="NAME=PATH",
        help="path or `command:PROGRAM` of a resource that a model names (docs/security.md)",
    )  # fmt: skip


def _resource(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise ArgumentTypeError(f"{text!r} must be written NAME=PATH")
    return name, path


def add_scorer(parser: ArgumentParser, default: str = DEFAULT_MODEL) -> None:
    """``--model`` and ``--metric``; both are None where they are not given, so that one can be told from none."""
    add_model(parser, default)
    parser.set_defaults(model=None)
    parser.add_argument(
        "--metric", action=_Once, metavar="NAME", help="instead of a model: see `pfsm metrics`"
    )
    add_language(parser)


class _Scorer(Action):
    """Notes a model or a metric in the order of the command line."""

    def __call__(
        self,
        parser: ArgumentParser,  # noqa: ARG002 - argparse's signature
        namespace: Namespace,
        values: object,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        namespace.scorers = [*(namespace.scorers or []), (self.dest, str(values))]


def add_scorers(parser: ArgumentParser) -> None:
    """``--model`` and ``--metric``, any number of each; `open_scorers` opens them."""
    parser.set_defaults(scorers=None)
    parser.add_argument(
        "--model", "-m", action=_Scorer, default=SUPPRESS, metavar="NAME|FILE",
        help=f"see `pfsm models`, or a model file (default: {DEFAULT_MODEL})",
    )  # fmt: skip
    add_resources(parser)
    parser.add_argument(
        "--metric", action=_Scorer, default=SUPPRESS, metavar="NAME",
        help="see `pfsm metrics`; --metric and --model add up",
    )  # fmt: skip
    add_language(parser)


def open_scorers(options: Namespace) -> list[SegmentMetric]:
    """The models and metrics that `add_scorers`'s options name, in their order; the default model if they name none."""
    return [
        get_metric(name, **metric_options(name, options)) if kind == "metric" else load(name, options.threads)
        for kind, name in given_scorers(options) or [("model", model_name(options))]
    ]


def given_scorers(options: Namespace) -> list[tuple[str, str]]:
    """What `add_scorers`'s options name, in their order; a line where a language was named, but its model left out."""
    given: list[tuple[str, str]] = options.scorers or []
    language = getattr(options, "language", None)
    metrics_alone = bool(given) and all(kind == "metric" for kind, _ in given)
    if language is not None and metrics_alone and not getattr(options, "quiet", False):
        left_out = f"--model {model_for(language)} adds the model for {english_name(language)}"
        print(f"pfsm: {', '.join(name for _, name in given)} alone; {left_out}", file=sys.stderr)
    for place, scorer in enumerate(given):
        if scorer in given[:place]:
            raise PfsmError(f"--{scorer[0]} {scorer[1]}: given twice; give each model and metric once")
    return given


def add_signature(parser: ArgumentParser) -> None:
    """``--signature``."""
    parser.add_argument(
        "--signature", choices=("short", "long"), default="short", metavar="KIND",
        help="short (default) or long: all that can change a score",
    )  # fmt: skip


def heading(metric: SegmentMetric, nrefs: NumberOfReferences, level: Level, options: Namespace) -> str:
    """What text output calls a metric: its short or its long signature, as `add_signature`'s option says."""
    if options.signature == "long":
        return f"{metric.name}|{metric.get_signature(nrefs, level)}"
    return metric.get_short_signature(nrefs, level)


def print_signature(metric: SegmentMetric, nrefs: NumberOfReferences, options: Namespace) -> None:
    """Says on standard error what scored, where standard output and files have a format of their own."""
    print(f"pfsm: scored by {heading(metric, nrefs, 'segment', options)}", file=sys.stderr)


def add_quiet(parser: ArgumentParser) -> None:
    """``--quiet``."""
    parser.add_argument(
        "--quiet", "-q", action="store_true", help="print errors only: no warnings, no progress"
    )


def note_skipped(left_out: int, total: int, options: Namespace) -> None:
    """Says on standard error how many segments ``--skip-missing-references`` has left out, where it is given."""
    if options.skip_missing_references and not getattr(options, "quiet", False):
        print(f"pfsm: note: {left_out_text(left_out, total)}", file=sys.stderr)


def add_strict(parser: ArgumentParser) -> None:
    """``--strict``."""
    parser.add_argument(
        "--strict",
        action="store_true",
        help="treat warnings as errors: exit status 2",
    )


def hush(options: Namespace) -> None:
    """Silences warnings, or makes them errors, as options say, until `warnings.catch_warnings` ends."""
    if getattr(options, "strict", False):
        warnings.simplefilter("error", PfsmWarning)
        warnings.simplefilter("ignore" if options.quiet else "default", PfsmNote)
    elif options.quiet:
        warnings.simplefilter("ignore", PfsmWarning)


def open_scorer(options: Namespace) -> SegmentMetric:
    """The model or metric that `add_scorer`'s options name; the default model if they name none."""
    if options.metric is None:
        return open_model(options, options.threads)
    if options.model is not None:
        raise PfsmError("give either --model or --metric, not both")
    return get_metric(options.metric, **metric_options(options.metric, options))


def open_model(options: Namespace, threads: int | None) -> Metric:
    """The model that `add_scorer`'s options name, or the default one."""
    return load(model_name(options, options.model), threads)


def add_format(parser: ArgumentParser, *formats: str, more: str = "") -> None:
    """``--format``; the first is the default. ``more`` is added to its help."""
    parser.add_argument(
        "--format", "-f", choices=formats, default=formats[0], metavar="FORMAT",
        help=f"{formats[0]} (default), {', '.join(formats[1:])}{more}",
    )  # fmt: skip


def add_threads(parser: ArgumentParser) -> None:
    """``--threads N``."""
    parser.add_argument(
        "--threads", type=positive, metavar="N", help="cores to use (default: all; changes no result)",
    )  # fmt: skip


def add_resamples(parser: ArgumentParser) -> None:
    """``--confidence-n N``."""
    parser.add_argument(
        "--confidence-n", type=positive, default=1000, metavar="N",
        help="bootstrap resamples (default: 1000; the seed is PFSM_SEED)",
    )  # fmt: skip


def add_scheduler(parser: ArgumentParser) -> None:
    """``--scheduler ADDRESS``."""
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="Dask cluster (tcp://HOST:8786), or processes here (local:N)",
    )


@dataclass(frozen=True, eq=False)
class Sharing:
    """Shares out pairs among the workers of the cluster that ``--scheduler`` names, where there is one."""

    pool: "Pool | None" = None
    report: "Report | None" = None

    def metric(self, metric: SegmentMetric) -> SegmentMetric:
        """The same metric, at work on the cluster; itself where there is none."""
        if self.pool is None or self.report is None:
            return metric
        from pfsm.distributed.pairs import ClusterMetric  # noqa: PLC0415 - few calls name a cluster

        return ClusterMetric(metric, self.pool, self.report)


ALONE = Sharing()


@contextmanager
def sharing(scheduler: str | None, *, quiet: bool = False) -> Iterator[Sharing]:
    """The cluster that ``--scheduler`` names, as long as the block lasts; says in the end what was done there."""
    if scheduler is None:
        yield ALONE
        return
    from pfsm.distributed.pools import Report, open_pool  # noqa: PLC0415 - few calls name a cluster

    with open_pool(scheduler) as pool:
        report = Report(pool, "parts")
        yield Sharing(pool, report)
        if report.done and not quiet:
            print(f"pfsm: {report.summary()}", file=sys.stderr)
