"""``pfsm submit``: writes score files for the WMT metrics task and mt-metrics-eval."""

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pfsm.commands.arguments import check_text, heading, open_scorer
from pfsm.commands.options import check_output, declare
from pfsm.commands.output import tell
from pfsm.data import read_parallel
from pfsm.data.formats.texts import document_names
from pfsm.data.segments import check_parallel, segments_of
from pfsm.data.submission import ALL, FORMATS, Submission, check_names
from pfsm.errors import PfsmError
from pfsm.io.files import STANDARD_INPUT, display_name, read_lines
from pfsm.text.language_names import code_of

OPTIONS = f"""
references REF+  reference file(s), one segment per line; scores are computed against each of them separately
--input, -i SYS+!  output files of systems, parallel to REF
--metric-name NAME!  name of the metric in the files
--language-pair XX-YY!  language pair, such as en-de
--testset NAME!  name of the test set, such as generaltest2023
--output, -o PREFIX!  writes PREFIX.seg.score and PREFIX.sys.score (mtme: PREFIX-REFERENCE.…); in a folder,
  NAME.seg.score …
--documents FILE  file with a document, or a domain and a document, for each line of REF
--domains FILE  file with a domain for each line of REF
--reference-names NAME+  names of the references (default: from the file names; en-de.refA.txt gives refA)
--system-names NAME+  names of the systems (default: the file names without .txt)
--together  score against all references at once, as the metric combines them; their names are joined by dots
--format, -f {{{",".join(FORMATS)}}} [{FORMATS[0]}]  layout of the files (default: {FORMATS[0]})
@scorer en
@signature
@threads
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(parser, OPTIONS)


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
    pair = "-".join(map(code_of, options.language_pair.split("-")))
    named = Submission(options.metric_name, pair, options.testset, shown, systems, domains, documents)
    for path in named.files(prefix, options.format):
        check_output(path, inputs)
    streams: list[Sequence[Sequence[str | None]]] = [text.references]
    if not options.together and len(references) > 1:
        # Alone, a blank line is a reference like any other; together, the next file's has its place.
        if STANDARD_INPUT in options.references:
            raise PfsmError("standard input cannot be one of several references; give files")
        streams = [[segments_of(path, "reference")] for path in options.references]
    metric = open_scorer(options)
    check_text(metric, text.reference_lines, options)
    segments: dict[str, dict[str, NDArray[np.float64]]] = {name: {} for name in shown}
    statistics: dict[tuple[str, str], NDArray[np.float64]] = {}
    for name, references_of in zip(shown, streams, strict=True):
        for system, output in zip(systems, text.systems, strict=True):
            segments[name][system] = metric.segment_scores(output.lines, references_of)
            if not metric.averages:
                statistics[name, system] = metric.segment_statistics(output.lines, references_of)

    def score(name: str, system: str, rows: NDArray[np.int64]) -> float:
        if metric.averages:
            return float(segments[name][system][rows].mean())
        totals = statistics[name, system][rows].sum(axis=0)
        return float(metric.oriented(metric.corpus_from_totals(totals)))

    for path in named.write(prefix, options.format, segments, score):
        print(f"wrote {path}")
    nrefs = len(references) if options.together else 1
    tell(f"scored by {heading(metric, nrefs, 'segment', options)}")


def _names(what: str, paths: Sequence[str], given: Sequence[str] | None, after_dot: bool) -> list[str]:
    if given is None:
        names = [_file_name(path, after_dot) for path in paths]
    elif len(given) != len(paths):
        raise PfsmError(f"{len(given)} names for {len(paths)} {what} files; give one for each")
    else:
        names = [*given]
    check_names(what, names)
    for number, name in enumerate(names):
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
        labels = document_names(options.documents)
        check_parallel(options.documents, len(labels), options.references[0], n)
        for number, (domain, document) in enumerate(labels, start=1):
            if bool(domain) != bool(labels[0][0]) or re.search(r"\s", domain + document):
                raise PfsmError(
                    f"{display_name(options.documents)}:{number}: every line needs a document, or every line a domain "
                    "and a document, names without white space"
                )
        documents = [document for _, document in labels]
        if labels and labels[0][0]:
            domains = [domain for domain, _ in labels]
    if options.domains is not None:
        if domains is not None:
            raise PfsmError(f"{options.documents}: has domains too; leave out --domains")
        domains = [line.strip() for line in read_lines(options.domains)]
        check_parallel(options.domains, len(domains), options.references[0], n)
    # A name that stands for all segments says nothing.
    domains, documents = (None if names and set(names) == {ALL} else names for names in (domains, documents))
    return domains, documents
