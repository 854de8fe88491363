"""``pfsm data``: converts, checks and summarises judgments in the field's formats, and makes minimal pairs."""

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from pfsm.commands import data_perturb
from pfsm.commands.options import check_output, declare, number_where
from pfsm.commands.output import print_json, tell
from pfsm.data import is_preferences
from pfsm.data.formats import FORMATS, Options, Preference, read_format, write_tsv
from pfsm.data.formats.mqm import DEFAULT_WEIGHTS
from pfsm.data.formats.records import clean
from pfsm.data.formats.registry import read_judged
from pfsm.data.groups import BY_HELP, SEGMENT, counted, group_names, held_out
from pfsm.data.summary import Scores, Summary, bars, shared, summarise
from pfsm.errors import PfsmError
from pfsm.evaluation import default_seed
from pfsm.io.files import STANDARD_INPUT, atomic_write

CONVERT = """
inputs INPUT+  files or folders with the judgments
--output, -o OUT.tsv[.gz]!  the TSV to write
"""
INFO = """
files FILE+  a file to summarise, or two files to see also what they share
@format text json
"""
FROM = f"--from FORMAT  {', '.join(FORMATS)} (default: detected; ESA is wmt-jsonl, pearmut or jsonl)"
# Options of the formats' readers, under headings of the help.
READERS = {
    "texts that the judgments refer to": """
--references REF+ []  reference file(s), the best first (mt-metrics-eval: names of references)
--sources FILE []  file of source segments, one per line or NIST
--documents FILE []  file with the document of each segment, one per line (as in *.docs)
--system-outputs FOLDER|FILE|NAME=FILE+ []  translations of the systems: a folder, a file per system, or Appraise's
  batches.json
--skip-unknown-systems  leave out judgments of systems whose translations are not given
--reference-systems NAME+ []  systems of the file whose translations are references (default: ref, refA, ref.B …)
""",
    "what the judgments are about": """
--source-lang CODE []  source language, such as cs; selects one of several
--target-lang CODE []  target language, such as en
--test-set NAME []  test set, such as newstest2012; becomes part of segment ids
--sid-order {file,document}  wmt-da: SID counts the lines of the file, or segments document by document (WMT21, WMT22)
""",
    "scores": f"""
--scores FILE+ []  nist, parallel: file(s) of segment scores
--score-column NAME []  the column that becomes the score
--human-score NAME []  mt-metrics-eval: score to read, such as mqm or wmt-z
--metric-scores NAME+ []  mt-metrics-eval: metrics whose scores become columns, such as BLEU-refA
--weights LIST []  mqm: error weights besides, or in place of some of, {DEFAULT_WEIGHTS!r}
@unquote
--per-rater  write one row per rater instead of one for all raters
--keep-ties  wmt-ranking: count ties in an additional column
""",
}
SPLIT = f"""
file FILE  judgments or preferences
--by WHAT [{SEGMENT}]  what stays together: {BY_HELP} (default: segment, all translations of a sentence)
--test SHARE [0.3]  share of the rows to hold out (default: 0.3)
--seed N  of the choice of groups (default: PFSM_SEED)
"""


ACTIONS = {
    "convert": "turn judgments in any format into the TSV of pfsm",
    "split": "divide judgments into training and test data, whole documents or segments",
    "info": "count, check and summarise judgments",
    "perturb": "make minimal pairs from good translations, for pfsm probe and for training",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command: those of its actions."""
    actions = parser.add_subparsers(metavar="ACTION", title="actions", required=True)
    added = {
        name: actions.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        for name, summary in ACTIONS.items()
    }
    for name, table, action in (("convert", CONVERT, _convert), ("info", INFO, _info)):
        declare(added[name], table)
        declare(added[name], FROM, **{"from": {"dest": "from_format", "choices": tuple(FORMATS)}})
        for title, rows in READERS.items():
            declare(added[name].add_argument_group(title), rows)
        added[name].set_defaults(action=action)
    fits = number_where(lambda value: 0.0 < value < 1.0, "must be a share between 0 and 1, such as 0.3")
    declare(added["split"], SPLIT, test=fits, seed=int)
    added["split"].set_defaults(action=_split)
    data_perturb.add_arguments(added["perturb"])
    added["perturb"].set_defaults(action=data_perturb.run)


def run(options: Namespace) -> None:
    """Runs the action."""
    options.action(options)


def _convert(options: Namespace) -> None:
    chosen = _reader_options(options)
    texts = [
        entry.rpartition("=")[2] for entry in (*options.references, *options.system_outputs, *options.scores)
    ]
    check_output(options.output, [*options.inputs, *texts, options.sources, options.documents])
    reading = read_format(options.inputs, chosen, options.from_format)
    with atomic_write(options.output) as file:
        written = write_tsv(reading, file)
        if not written.rows:
            raise PfsmError(f"{', '.join(options.inputs)}: no judgments; nothing to write")
    tell(f"{options.output}: {written.rows} {'preferences' if reading.kind is Preference else 'judgments'}")
    if written.mended:
        tell(f"note: {written.mended} fields: tabs and line ends replaced by spaces")
    for note, count in sorted(reading.notes.items()):
        tell(f"note: {count} {note}")


def _reader_options(options: Namespace) -> Options:
    given: dict[str, Any] = {entry.name: getattr(options, entry.name) for entry in fields(Options)}
    given |= {name: tuple(one) for name, one in given.items() if isinstance(one, list)}
    return Options(**given)


_BAR = 40
_NAMES_SHOWN = 20


def _info(options: Namespace) -> None:
    if len(options.files) > 2:
        raise PfsmError(f"{len(options.files)} files; give one, or two to compare")
    chosen = _reader_options(options)
    summaries = [summarise(read_format([path], chosen, options.from_format)) for path in options.files]
    for path, summary in zip(options.files, summaries, strict=True):
        if not summary.rows:
            raise PfsmError(f"{path}: no rows below the header")
    overlap = shared(*(summary.fingerprints for summary in summaries)) if len(summaries) == 2 else None
    if options.format == "json":
        documents = [_document(path, summary) for path, summary in zip(options.files, summaries, strict=True)]
        document: dict[str, Any] = {"files": documents}
        if overlap is not None:
            document["overlap"] = {name: asdict(counts) for name, counts in overlap.items()}
        print_json(document)
        return
    for path, summary in zip(options.files, summaries, strict=True):
        _print_summary(path, summary)
    if overlap is not None:
        print(f"shared by {options.files[0]} and {options.files[1]}")
        for name, counts in overlap.items():
            print(f"    {counts.both:>8}  {name}, of {counts.first} and {counts.second}")


def _document(path: str, summary: Summary) -> dict[str, Any]:
    document = asdict(summary)
    del document["fingerprints"]
    document["kind"] = "preferences" if document.pop("preferences") else "judgments"
    if not summary.preferences:
        del document["votes"]
    document["references"] = {str(number): rows for number, rows in summary.references.items()}
    if summary.scores is not None:
        names = ("minimum", "lower_quartile", "median", "upper_quartile", "maximum")
        document["scores"]["quantiles"] = dict(zip(names, summary.scores.quantiles, strict=True))
    return {"file": path, **document}


def _print_summary(path: str, summary: Summary) -> None:
    kind = "preferences" if summary.preferences else "judgments"
    print(f"{path}: {summary.rows} {kind}")
    print(f"  columns         {', '.join(summary.columns)}")
    for label, counts in (
        ("language pairs", summary.language_pairs),
        ("test sets", summary.test_sets),
        ("systems", summary.systems),
        ("raters", summary.raters),
    ):
        if counts:
            print(f"  {label:14}  {_names(counts)}")
    print(
        f"  segments        {summary.segments}"
        + (f" in {summary.documents} documents" if summary.documents else "")
    )
    print(
        f"  references      {', '.join(f'{number} of {rows} rows' for number, rows in summary.references.items())}"
    )
    if summary.preferences:
        print(f"  votes           {summary.votes:g}")
    if summary.scores is not None:
        _print_scores(summary.scores)
    print("  checks")
    for name, finding in summary.findings.items():
        where = f"  (first: line {finding.first_line})" if finding.first_line is not None else ""
        print(f"    {finding.rows:>8}  {name}{where}")


def _names(counts: Mapping[str, int]) -> str:
    shown = ", ".join(f"{name} ({rows})" for name, rows in list(counts.items())[:_NAMES_SHOWN])
    more = f", and {len(counts) - _NAMES_SHOWN} more" if len(counts) > _NAMES_SHOWN else ""
    return f"{len(counts)}: {shown}{more}" if len(counts) > 1 else shown


def _print_scores(scores: Scores) -> None:
    minimum, lower, median, upper, maximum = scores.quantiles
    print(f"  scores          mean {scores.mean:.4g}, sd {scores.sd:.4g}")
    quartiles = f"{lower:.4g} {median:.4g} {upper:.4g}"
    print(f"                  minimum {minimum:.4g}, quartiles {quartiles}, maximum {maximum:.4g}")
    edges = [f"{edge:.4g}" for edge in scores.edges]
    width = max(len(edge) for edge in edges)
    for low, high, count, bar in zip(
        edges, edges[1:], scores.counts, bars(scores.counts, _BAR), strict=False
    ):
        print(f"    {low:>{width}} to {high:>{width}}  {count:>8}  {bar}".rstrip())


_ENDING = re.compile(r"(\.(tsv|csv|txt|jsonl?|parquet))?(\.gz)?$", re.IGNORECASE)


def _split(options: Namespace) -> None:
    if options.file == STANDARD_INPUT:
        raise PfsmError("the two parts are named after the file; give the name of a file")
    table = read_judged(options.file)
    table.need_rows()
    names = group_names(table, options.by)
    if len(set(names)) < 2:
        raise PfsmError(f"{options.file}: {counted(names, options.by)}; two or more are needed to split by")
    seed = default_seed() if options.seed is None else options.seed
    test = held_out(names, options.test, seed)
    stem = _ENDING.sub("", options.file.rstrip("/"), count=1)
    outputs = [f"{stem}.train.tsv", f"{stem}.test.tsv"]
    for path in outputs:
        check_output(path, [options.file])
    parts = [[row for row, one in enumerate(test) if one == wanted] for wanted in (False, True)]
    fields = list(zip(*(table.columns[name] for name in table.header), strict=True))
    with atomic_write(outputs[0]) as first, atomic_write(outputs[1]) as second:
        for file, rows in zip((first, second), parts, strict=True):
            file.writelines(
                "\t".join(clean(line)[0]) + "\n" for line in (table.header, *(fields[r] for r in rows))
            )
    for path, rows in zip(outputs, parts, strict=True):
        kind = "preferences" if is_preferences(table) else "judgments"
        groups = counted([names[row] for row in rows], options.by)
        print(f"{path}: {len(rows):,} {kind} ({len(rows) / len(names):.1%}) of {groups}")
