"""``pfsm data convert``: converts judgments in any format to a TSV."""

import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from dataclasses import fields
from typing import Any

from pfsm.commands.arguments import check_output
from pfsm.data.formats import FORMATS, Options, Preference, Written, read_format, write_tsv
from pfsm.data.formats.mqm_weights import DEFAULT_WEIGHTS
from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the action."""
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="files or folders with the judgments")
    parser.add_argument("--output", "-o", required=True, metavar="OUT.tsv[.gz]", help="the TSV to write")
    add_reader_options(parser)


def add_reader_options(parser: ArgumentParser) -> None:
    """``--from FORMAT``, and the options of the formats' readers."""
    parser.add_argument(
        "--from",
        dest="from_format",
        choices=tuple(FORMATS),
        metavar="FORMAT",
        help=f"{', '.join(FORMATS)} (default: detected from the file)",
    )
    _add_texts(parser)
    _add_places(parser)
    _add_scores(parser)


def _add_texts(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("texts that the judgments refer to")
    group.add_argument(
        "--references", nargs="+", default=[], metavar="REF",
        help="reference file(s), the best first (mt-metrics-eval: names of references)",
    )  # fmt: skip
    group.add_argument(
        "--sources", default="", metavar="FILE", help="file of source segments, one per line or NIST"
    )
    group.add_argument(
        "--documents",
        default="",
        metavar="FILE",
        help="file with the document of each segment, one per line (as in *.docs)",
    )
    group.add_argument(
        "--system-outputs",
        nargs="+",
        default=[],
        metavar="FOLDER|FILE|NAME=FILE",
        help="translations of the systems: a folder, or a file per system",
    )
    group.add_argument(
        "--skip-unknown-systems",
        action="store_true",
        help="leave out judgments of systems whose translations are not given",
    )
    group.add_argument(
        "--reference-systems", nargs="+", default=[], metavar="NAME",
        help="mqm: systems of the file whose translations serve as references",
    )  # fmt: skip


def _add_places(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("what the judgments are about")
    group.add_argument(
        "--source-lang",
        default="",
        metavar="CODE",
        help="source language, such as cs; selects one of several",
    )
    group.add_argument("--target-lang", default="", metavar="CODE", help="target language, such as en")
    group.add_argument(
        "--test-set",
        default="",
        metavar="NAME",
        help="test set, such as newstest2012; becomes part of segment ids",
    )
    group.add_argument(
        "--sid-order", choices=("file", "document"),
        help="wmt-da: SID counts the lines of the file, or segments document by document (WMT21, WMT22)",
    )  # fmt: skip


def _add_scores(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("scores")
    group.add_argument(
        "--scores", nargs="+", default=[], metavar="FILE", help="nist, parallel: file(s) of segment scores"
    )
    group.add_argument("--score-column", default="", metavar="NAME", help="the column that becomes the score")
    group.add_argument(
        "--human-score",
        default="",
        metavar="NAME",
        help="mt-metrics-eval: score to read, such as mqm or wmt-z",
    )
    group.add_argument(
        "--weights", default="", metavar="LIST", help=f"mqm: error weights (default: {DEFAULT_WEIGHTS!r})"
    )
    group.add_argument("--unquote", action="store_true", help="mqm: remove the CSV quotes around some texts")
    group.add_argument(
        "--per-rater", action="store_true", help="write one row per rater instead of one for all raters"
    )
    group.add_argument(
        "--keep-ties", action="store_true", help="wmt-ranking: count ties in an additional column"
    )


def run(options: Namespace) -> None:
    """Reads and writes, one judgment at a time."""
    chosen = reader_options(options)
    texts = [
        entry.rpartition("=")[2] for entry in (*options.references, *options.system_outputs, *options.scores)
    ]
    check_output(options.output, [*options.inputs, *texts, options.sources, options.documents])
    reading = read_format(options.inputs, chosen, options.from_format)
    with atomic_write(options.output) as file:
        written = write_tsv(reading, file)
        if not written.rows:
            raise PfsmError(f"{', '.join(options.inputs)}: no judgments; nothing to write")
    kind = "preferences" if reading.kind is Preference else "judgments"
    _report(options.output, kind, written, reading.notes)


def reader_options(options: Namespace) -> Options:
    """The options of the reader."""
    values: dict[str, Any] = {}
    for entry in fields(Options):
        value = getattr(options, entry.name)
        values[entry.name] = tuple(value) if isinstance(value, list) else value
    return Options(**values)


def _report(output: str, kind: str, written: Written, notes: Counter[str]) -> None:
    """Says on standard error what was done, because standard output may be the TSV."""
    print(f"pfsm: {output}: {written.rows} {kind}", file=sys.stderr)
    if written.mended:
        print(f"pfsm: note: {written.mended} fields: tabs and line ends replaced by spaces", file=sys.stderr)
    for note, count in sorted(notes.items()):
        print(f"pfsm: note: {count} {note}", file=sys.stderr)
