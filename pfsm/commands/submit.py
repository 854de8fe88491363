"""``pfsm submit``: writes score files for the WMT metrics task and mt-metrics-eval."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pfsm.commands.arguments import (
    add_scorer,
    add_signature,
    add_threads,
    check_output,
    open_scorer,
    print_signature,
)
from pfsm.commands.languages import check_text
from pfsm.data import read_parallel
from pfsm.data.formats.texts import segments_of
from pfsm.data.submission import (
    FORMATS,
    check_name,
    read_labels,
    submission,
    submission_files,
    write_submission,
)
from pfsm.errors import PfsmError
from pfsm.io.files import STANDARD_INPUT, display_name, read_lines
from pfsm.metrics import SegmentMetric
from pfsm.metrics.inputs import Streams
from pfsm.text.language_names import code_of


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "references", nargs="+", metavar="REF",
        help="reference file(s), one segment per line; scores are computed against each of them separately",
    )  # fmt: skip
    parser.add_argument(
        "--input", "-i", nargs="+", required=True, metavar="SYS",
        help="output files of systems, parallel to REF",
    )  # fmt: skip
    parser.add_argument(
        "--metric-name", required=True, metavar="NAME", help="name of the metric in the files"
    )
    parser.add_argument(
        "--language-pair", required=True, metavar="XX-YY", help="language pair, such as en-de"
    )
    parser.add_argument(
        "--testset", required=True, metavar="NAME", help="name of the test set, such as generaltest2023"
    )
    parser.add_argument(
        "--output", "-o", required=True, metavar="PREFIX",
        help="writes PREFIX.seg.score and PREFIX.sys.score (mtme: PREFIX-REFERENCE.…); in a folder, NAME.seg.score …",
    )  # fmt: skip
    parser.add_argument(
        "--documents",
        metavar="FILE",
        help="file with a document, or a domain and a document, for each line of REF",
    )
    parser.add_argument("--domains", metavar="FILE", help="file with a domain for each line of REF")
    parser.add_argument(
        "--reference-names", nargs="+", metavar="NAME",
        help="names of the references (default: from the file names; en-de.refA.txt gives refA)",
    )  # fmt: skip
    parser.add_argument(
        "--system-names", nargs="+", metavar="NAME",
        help="names of the systems (default: the file names without .txt)",
    )  # fmt: skip
    parser.add_argument(
        "--together",
        action="store_true",
        help="score against all references at once, as the metric combines them; their names are joined by dots",
    )
    parser.add_argument(
        "--format", "-f", choices=FORMATS, default=FORMATS[0],
        help=f"layout of the files (default: {FORMATS[0]})",
    )  # fmt: skip
    add_scorer(parser)
    add_signature(parser)
    add_threads(parser)


def run(options: Namespace) -> None:
    """Reads, scores, writes."""
    # Names and outputs are checked before the long work begins.
    references = _names("reference", options.references, options.reference_names, after_dot=True)
    systems = _names("system", options.input, options.system_names, after_dot=False)
    shown = [".".join(references)] if options.together else references
    prefix = _prefix(options.output, options.metric_name)
    inputs = [*options.references, *options.input, options.documents, options.domains, options.model]
    text = read_parallel(options.references, options.input)
    domains, documents = _labels(options, len(text.references[0]))
    for path in submission_files(prefix, shown, options.format, domains is not None, documents is not None):
        check_output(path, [name for name in inputs if name is not None])
    streams: list[Streams] = [text.references]
    if not options.together and len(references) > 1:
        # Alone, a blank line is a reference like any other; together, the next file's has its place.
        if STANDARD_INPUT in options.references:
            raise PfsmError("standard input cannot be one of several references; give files")
        streams = [[segments_of(path, "reference")] for path in options.references]
    empty = {name: {system: np.zeros(len(stream[0])) for system in systems}
             for name, stream in zip(shown, streams, strict=True)}  # fmt: skip
    pair = "-".join(map(code_of, options.language_pair.split("-")))
    submission(options.metric_name, pair, options.testset, empty, domains, documents)
    metric = open_scorer(options)
    check_text(metric, text.reference_lines, options)
    scored = {
        (name, system): _Scored(metric, output.lines, references)
        for name, references in zip(shown, streams, strict=True)
        for system, output in zip(systems, text.systems, strict=True)
    }
    scores = {name: {system: scored[name, system].segments for system in systems} for name in shown}
    found = submission(
        options.metric_name,
        pair,
        options.testset,
        scores,
        domains,
        documents,
        lambda reference, system, rows: scored[reference, system].score(rows),
    )
    for path in write_submission(found, prefix, options.format):
        print(f"wrote {path}")
    print_signature(metric, len(references) if options.together else 1, options)


class _Scored:
    """One system scored against some references: the scores of its segments, and of any set of segments together."""

    def __init__(self, metric: SegmentMetric, hypotheses: Sequence[str], references: Streams) -> None:
        self._metric = metric
        self.segments = metric.segment_scores(hypotheses, references)
        self._statistics = (
            np.zeros(0) if metric.averages else metric.segment_statistics(hypotheses, references)
        )

    def score(self, rows: NDArray[np.int64]) -> float:
        if self._metric.averages:
            return float(self.segments[rows].mean())
        totals = self._statistics[rows].sum(axis=0)
        return float(self._metric.oriented(self._metric.corpus_from_totals(totals)))


def _names(what: str, paths: Sequence[str], given: Sequence[str] | None, after_dot: bool) -> list[str]:
    if given is None:
        names = [_file_name(path, after_dot) for path in paths]
    elif len(given) != len(paths):
        raise PfsmError(f"{len(given)} names for {len(paths)} {what} files; give one for each")
    else:
        names = [*given]
    for number, name in enumerate(names):
        check_name(what, name)
        if name in names[:number]:
            raise PfsmError(f"two {what}s are called {name}; tell them apart with --{what}-names")
    return names


def _file_name(path: str, after_dot: bool) -> str:
    if path == STANDARD_INPUT:
        return "standard-input"
    name = Path(path).name
    for ending in (".gz", ".txt"):
        name = name.removesuffix(ending) or name
    return name.rpartition(".")[2] if after_dot else name


def _prefix(output: str, metric_name: str) -> str:
    if not Path(output).is_dir():
        return output
    if not metric_name or "/" in metric_name:
        raise PfsmError(
            f"metric name is {metric_name!r}, which cannot be a file name; give a prefix after --output"
        )
    return str(Path(output) / metric_name)


def _labels(options: Namespace, n: int) -> tuple[list[str] | None, list[str] | None]:
    domains: list[str] | None = None
    documents: list[str] | None = None
    if options.documents is not None:
        documents, domains = read_labels(options.documents)
        _check_length(options.documents, len(documents), n)
    if options.domains is not None:
        if domains is not None:
            raise PfsmError(f"{options.documents}: has domains too; leave out --domains")
        domains = [line.strip() for line in read_lines(options.domains)]
        _check_length(options.domains, len(domains), n)
    return domains, documents


def _check_length(path: str, found: int, needed: int) -> None:
    if found != needed:
        lines = "1 line" if found == 1 else f"{found} lines"
        raise PfsmError(f"{display_name(path)}: {lines}, but there are {needed} segments")
