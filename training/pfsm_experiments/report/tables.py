"""Tables of an experiment in Markdown and LaTeX: one per statistic and test set, and the comparisons of rows."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from pfsm.evaluation.catalogue import BY_LEVEL, DOCUMENT, SEGMENT, SYSTEM, level_and_name
from pfsm.evaluation.questions import ONE_GROUP, SEGMENTS
from pfsm_experiments.data import MEAN
from pfsm_experiments.estimates import Column, Contrast, Difference, Entry
from pfsm_experiments.spec import PAIRS_OF_SYSTEMS, Experiment, level_of

STATISTICS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall_tau_b": "Kendall's τ-b",
    "mean-removed": "Mean-removed r",
    "length-weighted": "Length-weighted r",
    "mean-removed-weighted": "Length-weighted mean-removed r",
    "acc-t": "acc-t",
    "system-accuracy": "Pairwise accuracy of systems",
    "system-significant": "Accuracy over significant pairs of systems",
    "system-spa": "Soft pairwise accuracy of systems",
    "king": "KING, human likeness",
    "accuracy": "accuracy",
    "tau_wmt12": "Kendall's τ (WMT12)",
    "tau_wmt13": "Kendall's τ (WMT13)",
    "tau_wmt14": "Kendall's τ (WMT14)",
    "tau_darr": "Kendall's τ (DARR)",
}
BETTER, WORSE = "▲", "▼"
PERFECT = "a perfect metric"
CONTRAST_HEADINGS = ("A against B", "A", "B", "A - B", "95% interval", "p", "p (Holm)")


def title_of(statistic: str) -> str:
    """What tables and plots call a statistic; one of another package by its heading."""
    if statistic in STATISTICS:
        return STATISTICS[statistic]
    level, name = level_and_name(statistic)
    heading = STATISTICS.get(statistic.removeprefix(f"{level}-")) or BY_LEVEL[level or SEGMENT][name].heading
    return heading if level in {None, SEGMENT} else f"{heading} of {level}s"


NOTHING = "–"
_TEX = {
    "▲": r"$^{\blacktriangle}$",
    "▼": r"$^{\blacktriangledown}$",
    **{character: f"\\{character}" for character in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    # In LaTeX's old encoding, which is still the default, these would be printed as other signs.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
}


@dataclass(frozen=True)
class Line:
    """A row: its name and an entry for every column."""

    name: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class ResultTable:
    """A statistic on a test set.

    Attributes:
        statistic: Name of the statistic.
        test: Name of the test set.
        columns: Columns from left to right.
        lines: The rows of the experiment.
        best: The highest value of every column; None if it has no value.
    """

    statistic: str
    test: str
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    best: tuple[float | None, ...]

    @property
    def ceilings(self) -> tuple[float | None, ...]:
        """The accuracy of a perfect metric in every column."""
        return tuple(column.ceiling for column in self.columns)

    @property
    def title(self) -> str:
        """Statistic and test set."""
        return f"{title_of(self.statistic)}, {self.test}"


def result_tables(entries: Sequence[Entry]) -> list[ResultTable]:
    """The entries as tables; a learning curve has one column per size, with the means over the groups."""
    by_table: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        by_table.setdefault((entry.statistic, entry.column.test), []).append(entry)
    return [_table(statistic, test, found) for (statistic, test), found in by_table.items()]


def _table(statistic: str, test: str, entries: Sequence[Entry]) -> ResultTable:
    groups = {entry.column.group for entry in entries}
    shown = [
        entry
        for entry in entries
        if entry.column.size is None or entry.column.group == MEAN or len(groups) == 1
    ]
    columns = tuple(dict.fromkeys(entry.column for entry in shown))
    names = dict.fromkeys(entry.row for entry in shown)
    place = {(entry.row, entry.column): entry for entry in shown}
    lines = tuple(Line(name, tuple(place[name, column] for column in columns)) for name in names)
    best = tuple(
        max((entry.value for line in lines if (entry := line.entries[at]).value is not None), default=None)
        for at in range(len(columns))
    )
    return ResultTable(statistic, test, columns, lines, best)


def heading(column: Column) -> str:
    """The heading of a column."""
    if column.size is not None:
        return f"{column.size:,}"
    return "all" if column.group == ONE_GROUP else column.group


def sign(difference: Difference | None) -> str:
    """The sign of a significant difference; empty otherwise."""
    if difference is None or not difference.significant:
        return ""
    return BETTER if difference.value > 0 else WORSE


def short(value: float | None) -> str:
    """Three decimals without a leading zero; a dash for None and NaN."""
    if value is None or math.isnan(value):
        return NOTHING
    text = f"{value:.3f}"
    if float(text) == 0.0:
        return ".000"
    return text.replace("0.", ".", 1) if abs(float(text)) < 1.0 else text


def with_interval(entry: Entry) -> str:
    """A number and its interval; a dash for a missing one."""
    if entry.value is None:
        return NOTHING
    if entry.interval is None:
        return f"{short(entry.value)} {NOTHING}"
    return f"{short(entry.value)} [{short(entry.interval.low)}, {short(entry.interval.high)}]"


def explanation(experiment: Experiment, tables: Sequence[ResultTable]) -> list[str]:
    """How to read the tables, for the text below them."""
    drawn = what_is_drawn(experiment, [table.statistic for table in tables])
    lines = [f"Intervals: 95%, percentile bootstrap ({drawn}). Bold: the highest number of a column."]
    if any(column.size is not None for table in tables for column in table.columns):
        lines.append(
            "Columns: number of training judgments; numbers are means over the samples of each size."
        )
    if any(column.group == MEAN for table in tables for column in table.columns):
        lines.append("Means are unweighted: every group counts the same.")
    if any(table.statistic in PAIRS_OF_SYSTEMS for table in tables):
        lines.append(
            "n of such statistics: pairs of systems. Pooled: over the pairs of all groups; over "
            "several test sets, resamples draw groups as well. A perfect metric: what it is expected to have, people's "
            "order being uncertain."
        )
    if any(_lacks_a_group(line) for table in tables for line in table.lines):
        lines.append(
            "The mean of a row leaves out groups with a dash; two rows are compared over the groups that both have."
        )
    if experiment.versus is not None:
        lines.append(
            f"{BETTER} above, {WORSE} below {experiment.versus} (paired bootstrap, two-sided, p < .05 after "
            "Holm's correction for the rows of a column, and an interval of the difference without 0)."
        )
    return lines


def _lacks_a_group(line: Line) -> bool:
    undefined = {entry.column.group for entry in line.entries if entry.value is None}
    return bool(undefined) and any(entry.column.group not in undefined for entry in line.entries)


def what_is_drawn(experiment: Experiment, statistics: Sequence[str]) -> str:
    """Number, kind and seed of the resamples behind the tables of some statistics."""
    of_documents = sum(level_of(name) == DOCUMENT for name in statistics)
    units = "documents" if of_documents == len(statistics) > 0 else experiment.resample or SEGMENTS
    also = ", or of documents where the table says so" if 0 < of_documents < len(statistics) else ""
    if experiment.resample is None and any(level_of(name) == SYSTEM for name in statistics):
        also += ", of systems' documents where there are enough"
    return f"{experiment.resamples} resamples of {units}{also}, seed {experiment.seed}"


def markdown(
    experiment: Experiment,
    tables: Sequence[ResultTable],
    notes: Sequence[str],
    contrasts: Sequence[str] = (),
) -> str:
    """All tables, first with the numbers alone, then with intervals; then comparisons of rows and notes."""
    parts = [f"# {experiment.title}", *([experiment.description] if experiment.description else [])]
    for table in tables:
        parts += [f"## {table.title}", markdown_table(table)]
    for table in tables:
        parts += [f"## {table.title}: intervals", markdown_table(table, intervals=True)]
    parts += contrasts
    parts.append("\n".join(explanation(experiment, tables)))
    parts += [f"* {note}" for note in notes]
    return "\n\n".join(parts) + "\n"


def markdown_table(table: ResultTable, *, intervals: bool = False) -> str:
    """A table as Markdown."""

    def cell(entry: Entry, best: float | None) -> str:
        text = with_interval(entry) if intervals else short(entry.value)
        return (f"**{text}**" if is_best(entry, best) else text) + sign(entry.difference)

    return markdown_rows(
        [
            [table.title, *map(heading, table.columns)],
            *([line.name, *map(cell, line.entries, table.best)] for line in table.lines),
            *([[PERFECT, *map(short, table.ceilings)]] if any(table.ceilings) else []),
            ["n", *(str(column.n) for column in table.columns)],
        ]
    )


def markdown_rows(rows: Sequence[Sequence[str]]) -> str:
    """A table of cells as Markdown; the first row has the headings."""
    ruled = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in ruled)


def is_best(entry: Entry, best: float | None) -> bool:
    """Whether a number equals the highest of its column, to the digits shown."""
    return entry.value is not None and short(entry.value) == short(best)


def latex(experiment: Experiment, tables: Sequence[ResultTable]) -> str:
    r"""All tables for ``booktabs`` and ``amssymb``, each with its caption and label."""
    header = f"% {' '.join(experiment.title.split())}\n% Needs \\usepackage{{booktabs,amssymb}}\n"
    labels = table_labels([f"{table.statistic} {table.test}" for table in tables])
    return header + "\n".join(
        _latex_table(experiment, table, label) for table, label in zip(tables, labels, strict=True)
    )


def table_labels(names: Sequence[str]) -> list[str]:
    """A label for each table, such as ``tab:pearson-wmt16``: letters, digits and hyphens; numbered where two agree."""
    labels: list[str] = []
    for name in names:
        plain = f"tab:{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-') or 'table'}"
        labels.append(numbered(plain, labels))
    return labels


def numbered(stem: str, taken: Sequence[str], ending: str = "") -> str:
    """The name, with a number where it is taken."""
    names = (stem + (f"-{number}" if number > 1 else "") + ending for number in count(1))
    return next(name for name in names if name not in taken)


def _latex_table(experiment: Experiment, table: ResultTable, label: str) -> str:
    def cell(entry: Entry, best: float | None) -> str:
        text = _tex(short(entry.value))
        return (rf"\textbf{{{text}}}" if is_best(entry, best) else text) + _tex(sign(entry.difference))

    rows = [_tex_row([_tex(line.name), *map(cell, line.entries, table.best)]) for line in table.lines]
    if any(table.ceilings):
        rows.append(_tex_row([PERFECT, *(_tex(short(one)) for one in table.ceilings)]))
    counts = f"$n$ & {' & '.join(str(column.n) for column in table.columns)} \\\\"
    caption = " ".join([f"{table.title}.", *explanation(experiment, [table])[1:]])
    return _booktabs(["", *map(heading, table.columns)], [*rows, r"\midrule", counts], caption, label)


def _tex_row(cells: Sequence[str]) -> str:
    r"""A row of escaped cells; after ``\\``, a bracket or a star would be read as its argument."""
    guard = "{}" if cells[0].startswith(("[", "*")) else ""
    return f"{guard}{' & '.join(cells)} \\\\"


def _booktabs(headings: Sequence[str], lines: Sequence[str], caption: str, label: str) -> str:
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{l{'r' * (len(headings) - 1)}}}",
            r"\toprule",
            f"{' & '.join(map(_tex, headings))} \\\\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{_tex(caption)}}}",
            rf"\label{{{label}}}",
            r"\end{table}",
            "",
        ]
    )


def _tex(text: str) -> str:
    """Text with the special characters of LaTeX escaped."""
    return "".join(_TEX.get(character, character) for character in text)


@dataclass(frozen=True)
class ContrastTable:
    """All comparisons by one statistic in one column; p-values are corrected within the table."""

    statistic: str
    column: Column
    contrasts: tuple[Contrast, ...]

    @property
    def title(self) -> str:
        """Statistic and test set, and group and training size if there are several."""
        where = (
            self.column.test if self.column.group == ONE_GROUP else f"{self.column.test}, {self.column.group}"
        )
        size = "" if self.column.size is None else f", {heading(self.column)} judgments"
        return f"Row against row: {title_of(self.statistic)}, {where}{size}"

    @property
    def label(self) -> str:
        """What its label in LaTeX is made of."""
        column = self.column
        group = "" if column.group == ONE_GROUP else column.group
        return f"contrasts {self.statistic} {column.test} {group} {column.size or ''}"

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells under `CONTRAST_HEADINGS`."""
        return [_cells(contrast) for contrast in self.contrasts]


def contrast_tables(contrasts: Sequence[Contrast]) -> list[ContrastTable]:
    """One table per statistic, test set and training size, for the mean over the groups or for the only group."""
    with_mean = {one.column.test for one in contrasts if one.column.group == MEAN}
    tables: dict[tuple[str, Column], list[Contrast]] = {}
    for one in contrasts:
        if one.column.group == MEAN or one.column.test not in with_mean:
            tables.setdefault((one.statistic, one.column), []).append(one)
    return [ContrastTable(*place, tuple(found)) for place, found in tables.items()]


def _cells(contrast: Contrast) -> tuple[str, ...]:
    name, values = f"{contrast.row} against {contrast.other}", map(short, contrast.values)
    difference = contrast.difference
    if difference is None:
        return name, *values, *[NOTHING] * 4
    interval = difference.interval
    return (
        name,
        *values,
        short(difference.value) + sign(difference),
        NOTHING if math.isnan(interval.low) else f"[{short(interval.low)}, {short(interval.high)}]",
        _p_value(difference.p_value),
        _p_value(difference.p_holm),
    )


def _p_value(value: float) -> str:
    """Four decimals without a leading zero; a dash for NaN."""
    return NOTHING if math.isnan(value) else f"{value:.4f}".removeprefix("0")


def contrasts_explanation(experiment: Experiment, tables: Sequence[ContrastTable]) -> str:
    """How to read the tables, for the text below them."""
    drawn = what_is_drawn(experiment, [table.statistic for table in tables])
    return (
        f"Row against row: paired bootstrap, two-sided ({drawn}); p (Holm) is corrected for all "
        f"comparisons of the table. {BETTER} A is above B, {WORSE} below, p (Holm) < .05."
    )


def contrasts_markdown(experiment: Experiment, tables: Sequence[ContrastTable]) -> list[str]:
    """Headings, tables and how to read them; empty if the experiment names no comparison."""
    if not tables:
        return []
    blocks = [
        block
        for table in tables
        for block in (f"## {table.title}", markdown_rows([CONTRAST_HEADINGS, *table.rows]))
    ]
    return [*blocks, contrasts_explanation(experiment, tables)]


def contrasts_latex(experiment: Experiment, tables: Sequence[ContrastTable]) -> str:
    """The tables for ``booktabs``, each with its caption and label."""
    labels = table_labels([table.label for table in tables])
    parts = []
    for table, label in zip(tables, labels, strict=True):
        caption = f"{table.title}. {contrasts_explanation(experiment, [table])}"
        rows = [_tex_row(list(map(_tex, row))) for row in table.rows]
        parts.append("\n" + _booktabs(CONTRAST_HEADINGS, rows, caption, label))
    return "".join(parts)
