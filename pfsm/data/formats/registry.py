"""The formats by name, and the detection of a file's format."""

import gzip
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from pfsm.data.formats import annotated
from pfsm.data.formats.appraise import is_appraise, read_appraise
from pfsm.data.formats.line_files import read_mlqe_pe, read_parallel_text
from pfsm.data.formats.mqm import read_mqm
from pfsm.data.formats.mt_metrics_eval import read_mt_metrics_eval
from pfsm.data.formats.nist import read_nist
from pfsm.data.formats.records import Judgment, Options, Reading, Record, Routine, flag, table_of
from pfsm.data.formats.rows import language_code
from pfsm.data.formats.tables import read_tables
from pfsm.data.formats.wmt import read_direct_assessments, read_rankings
from pfsm.data.formats.xliff import read_xliff
from pfsm.data.judgments import Judgments, judgments_from_table
from pfsm.data.markup import is_bitext
from pfsm.data.segments import is_markup
from pfsm.data.table import Table as JudgedTable
from pfsm.data.table import delimiter, is_parquet, read_table, unquoting
from pfsm.errors import PfsmError, PfsmNote, PfsmWarning
from pfsm.io.files import STANDARD_INPUT, StrPath, display_name, read_lines
from pfsm.registry import Table

_OF_REFERENCES = Routine("judgments of a reference itself left out")
_LONGEST_HEADER = 1 << 24
_OPTION = re.compile(r"--(?!unquote)[a-z]")
_PLACE = frozenset({"source_lang", "target_lang", "test_set"})
_TEXTS = frozenset({"references", "sources", "documents"})
_TABLE = frozenset({"score_column", "unquote"})
_OUTPUTS = frozenset({"references", "sources", "system_outputs", "skip_unknown_systems"})
_LINES = frozenset({"reference_systems", "score_column", "per_rater"})


@dataclass(frozen=True)
class Format:
    """A format of judgments."""

    name: str
    summary: str
    uses: frozenset[str]
    """The options that the format uses."""
    read: Callable[[Sequence[StrPath], Options], Reading]


_ALL = (
    Format("tsv", "the TSV of pfsm: one judgment or preference per row", _PLACE | _TABLE, read_tables),
    Format("comet", "COMET's CSV: src, mt, ref, score", _PLACE | {"score_column"}, read_tables),
    Format("wmt-ranking", "rankings of WMT 2012 to 2016 (CSV)",
           _PLACE | _OUTPUTS | {"documents", "keep_ties", "per_rater", "unquote"}, read_rankings),
    Format("wmt-da", "segment scores of WMT's direct assessment (SYS SID RAW.SCR Z.SCR N)",
           _PLACE | _OUTPUTS | {"documents", "score_column", "sid_order"}, read_direct_assessments),
    Format("mqm", "error annotations of WMT (MQM, TSV)",
           _PLACE | _TEXTS | {"reference_systems", "weights", "per_rater", "unquote"}, read_mqm),
    Format("wmt-jsonl", "human evaluation of WMT's general task since 2024 (ESA, JSON lines)",
           _PLACE | {"reference_systems", "per_rater"}, annotated.read_wmt),
    Format("appraise", "Appraise's export of scores (CSV without a header)",
           _PLACE | _OUTPUTS | {"reference_systems", "per_rater"}, read_appraise),
    Format("pearmut", "Pearmut's log or download of annotations (JSON)",
           _PLACE | {"reference_systems", "per_rater"}, annotated.read_pearmut),
    Format("jsonl", "one translation a line or in a list, as JSON (ESA and others); JSON of comet-score",
           _PLACE | _LINES, annotated.read_json_lines),
    Format("csv", "one translation a row, of annotation tools; columns named as of jsonl",
           _PLACE | _LINES | {"unquote"}, annotated.read_rows),
    Format("parquet", "the same as Parquet; needs PyArrow, or pandas with an engine", _PLACE | _LINES,
           annotated.read_rows),
    Format("mt-metrics-eval", "a folder of mt-metrics-eval",
           frozenset({"source_lang", "target_lang", "references", "human_score", "metric_scores",
                      "skip_unknown_systems"}), read_mt_metrics_eval),
    Format("nist", "NIST's SGML or XML, or WMT's XML",
           _PLACE | {"references", "sources", "scores", "score_column"}, read_nist),
    Format("xliff", "XLIFF's alternative translations, to be compared with its targets", _PLACE, read_xliff),
    Format("mlqe-pe", "folders of MLQE-PE", _PLACE | _TABLE, read_mlqe_pe),
    Format("parallel", "plain files, parallel line by line", _PLACE | _TEXTS | {"scores"}, read_parallel_text),
)  # fmt: skip


def _watched_format(name: str, value: Any) -> Format:
    """A plug-in as the registry holds it: checked, and watched while it works."""
    if not isinstance(value, Format):
        raise PfsmError("is not a pfsm.data.formats.Format")
    if value.name != name:
        raise PfsmError(f"calls itself {value.name!r}; its name must be {name!r}, as it is registered")
    known = {entry.name for entry in fields(Options)}
    for option in value.uses:
        if option not in known:
            raise PfsmError(f"uses an option {option!r}; options are {', '.join(sorted(known))}")

    def read(paths: Sequence[StrPath], options: Options) -> Reading:
        reading = value.read(paths, options)
        if not isinstance(reading, Reading):
            raise PfsmError(f"format {name!r}: gives a {type(reading).__name__}, a Reading is needed")
        return replace(reading, records=_watched_records(name, reading))

    return replace(value, uses=frozenset(value.uses), read=read)


def _watched_records(name: str, reading: Reading) -> Iterator[Record]:
    for record in reading.records:
        if not isinstance(record, reading.kind):
            raise PfsmError(
                f"format {name!r}: gives a {type(record).__name__}, it said that it reads {reading.kind.__name__}"
            )
        yield record


FORMATS: Table[Format] = Table("format", {each.name: each for each in _ALL}, _watched_format)
"""All formats, by name."""


def read_format(paths: Sequence[StrPath], options: Options | None = None, name: str | None = None) -> Reading:
    """Reads judgments in any of the formats.

    Args:
        paths: the files or folders that hold the judgments, all in one format.
        options: what else the format needs.
        name: the name of the format; None: `guess_format` detects it from the first file.

    Raises:
        PfsmError: no files, an unknown format, options that the format does not use, or what its reader raises.
    """
    if not paths:
        raise PfsmError("no files of judgments; give at least one")
    chosen = guess_format(paths[0]) if name is None else name
    if chosen not in FORMATS:
        raise PfsmError(f"no format {chosen!r}; the formats are {', '.join(FORMATS)}")
    options, default, uses = options or Options(), Options(), FORMATS[chosen].uses
    for option in (entry.name for entry in fields(Options)):
        if option not in uses and getattr(options, option) != getattr(default, option):
            there = ", ".join(flag(each) for each in sorted(uses))
            raise PfsmError(f"{flag(option)} does not apply to {chosen}, which uses {there}")
    with unquoting(options.unquote):
        reading = FORMATS[chosen].read(paths, options)
    return replace(reading, records=_kept(reading, options))


def _kept(reading: Reading, options: Options) -> Iterator[Record]:
    """The records of the languages that were asked for, or of none; without judgments of a reference itself."""
    wanted = [(name, language_code(getattr(options, name))) for name in ("source_lang", "target_lang")]
    for record in reading.records:
        if _is_of_reference(record, options):
            reading.notes[_OF_REFERENCES] += 1
        elif all(not code or language_code(getattr(record, name) or code) == code for name, code in wanted):
            yield record
        else:
            reading.notes["judgments of other languages left out"] += 1


def _is_of_reference(record: Record, options: Options) -> bool:
    """Whether a copy of its reference was judged, under the name of a reference."""
    sides = (
        [(record.system, record.hypothesis)]
        if isinstance(record, Judgment)
        else [(record.better_system, record.better), (record.worse_system, record.worse)]
    )
    return any(
        text in record.references
        and (system in options.reference_systems or annotated.IS_REFERENCE.fullmatch(system) is not None)
        for system, text in sides
    )


def guess_format(path: StrPath) -> str:
    """The format of a file or folder, detected from its name and beginning.

    Raises:
        PfsmError: the format cannot be detected, or the file cannot be read.
    """
    root = Path(path)
    if str(path) != STANDARD_INPUT and root.is_dir():
        if (root / "human-scores").is_dir():
            return "mt-metrics-eval"
        if any(
            each.suffix in {".pe", ".hter"} or each.name.endswith(".df.short.tsv") for each in root.rglob("*")
        ):
            return "mlqe-pe"
    elif is_parquet(path):
        return "parquet"
    elif str(path) != STANDARD_INPUT:
        lines = read_lines(path)
        first = next(filter(str.strip, lines), "")
        found = ("xliff" if is_bitext(lines) else "nist") if is_markup(lines) else ""
        found = found or annotated.guess_annotations(first, path) or _by_header(first)
        if found:
            return found
    names = ", ".join(FORMATS)
    raise PfsmError(f"{display_name(path)}: the format cannot be detected; name it with --from ({names})")


def _by_header(line: str) -> str:
    """The format of a table with this header; ``""`` if it is not a known one."""
    if line.split() == ["SYS", "SID", "RAW.SCR", "Z.SCR", "N"]:
        return "wmt-da"
    columns = {column.strip().strip('"').lower() for column in line.split(delimiter("", line))}
    for name, needed in (
        ("wmt-ranking", {"srclang", "trglang", "system1id", "system1rank"}),
        ("mqm", {"system", "rater", "target", "category", "severity"}),
        ("mlqe-pe", {"original", "translation", "z_mean"}),
        ("comet", {"mt", "ref"}),
        ("tsv", {"reference", "hypothesis"}),
        ("tsv", {"reference", "better", "worse"}),
    ):
        if needed <= columns:
            return name
    if is_appraise(line):
        return "appraise"
    return "csv" if annotated.is_annotations(columns) else ""


def read_judged(path: StrPath, score_column: str = "score") -> JudgedTable:
    """A table, or any other format in which nothing has to be chosen.

    Args:
        path: The file or folder (``-``: standard input).
        score_column: The column with the scores.

    A `pfsm.errors.PfsmWarning` says what the reader left out, a `pfsm.errors.PfsmNote` that several raters have a mean.

    Returns:
        The table, without a column ``score`` where the file has none.

    Raises:
        PfsmError: What `pfsm.data.read_table` or the reader raises, with the command where something has to be chosen.
    """
    name = _direct_format(path)
    if not name:
        return read_table(path)
    chosen = score_column != "score" and "score_column" in FORMATS[name].uses
    try:
        reading = read_format([path], Options(score_column=score_column) if chosen else None, name)
        table = table_of(reading, path)
    except PfsmError as error:
        if _OPTION.search(str(error)) is None:
            raise
        raise PfsmError(f"{error}; `pfsm data convert {path} OPTIONS -o OUT.tsv` makes a table") from None
    for note, count in sorted(reading.notes.items()):
        kind = PfsmNote if isinstance(note, Routine) else PfsmWarning
        warnings.warn(f"{display_name(path)}: {count} {note}", kind, stacklevel=2)
    return (
        replace(table, columns={**table.columns, score_column: table.columns["score"]}) if chosen else table
    )


def read_judgments(path: StrPath, score_column: str = "score") -> Judgments:
    """Read absolute judgments from a TSV or CSV file, or annotations (``-``: standard input).

    Args:
        path: a file with the columns ``reference`` and ``hypothesis`` (COMET: ``ref`` and ``mt``) and scores, or
            ``adequacy`` and ``fluency``, whose sum is the score, in the mean over judges.
        score_column: the column that holds the score.

    Returns:
        The judgments, in the order of the rows.

    Raises:
        PfsmError: what `pfsm.data.table.read_table` or `judgments_from_table` raises.
    """
    return judgments_from_table(read_judged(path, score_column), score_column)


def _direct_format(path: StrPath) -> str:
    """The format of what is not a table of pfsm or COMET; ``""`` for these."""
    if str(path) == STANDARD_INPUT:
        return ""
    if Path(path).is_dir() or is_parquet(path):
        return guess_format(path)
    try:
        with (gzip.open if str(path).endswith(".gz") else open)(path, "rb") as file:
            line = file.readline(_LONGEST_HEADER).decode("utf-8", "replace")
    except (OSError, EOFError):
        return ""  # reading it as a table says what is wrong
    if is_markup([line]) and is_bitext(read_lines(path)):
        return "xliff"
    if line.lstrip().startswith(("{", "[")):
        return annotated.guess_annotations(line, path)
    found = _by_header(line)
    return "" if found in {"tsv", "comet"} else found
