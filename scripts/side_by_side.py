"""One table of several experiments, a column a statistic, as Tables 2 and 3 of Giménez and Màrquez (2009)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

HEADING = "### Side by side"
ABOUT = """
Means over language pairs, as in the tables of this section and of the two before it, which have the intervals. R_snt
and R_sys: Pearson's r of segments and of systems; tau: Kendall's, ties count as wrong. Bold: the highest of a column.
"""


class Column(NamedTuple):
    """A column: its heading, and where its numbers are."""

    heading: str
    experiment: str
    statistic: str
    test: str


COLUMNS = (
    Column("KING WMT21 ru", "semantics-systems", "king", "WMT21 ru"),
    Column("KING MLQE et", "semantics-systems", "king", "MLQE et"),
    Column("R_snt WMT15", "semantics", "pearson", "WMT15"),
    Column("R_snt WMT16", "semantics", "pearson", "WMT16"),
    Column("R_snt WMT21", "semantics", "pearson", "WMT21"),
    Column("R_snt WMT21 MQM", "semantics", "pearson", "WMT21 MQM"),
    Column("R_snt WMT21 ru", "semantics-systems", "pearson", "WMT21 ru"),
    Column("R_snt MLQE et", "semantics-systems", "pearson", "MLQE et"),
    Column("tau WMT12", "semantics-preferences", "tau_wmt12", "WMT12"),
    Column("tau WMT13", "semantics-preferences", "tau_wmt12", "WMT13"),
    Column("R_sys WMT21", "semantics", "system-pearson", "WMT21"),
    Column("R_sys WMT21 MQM", "semantics", "system-pearson", "WMT21 MQM"),
    Column("R_sys WMT21 ru", "semantics-systems", "system-pearson", "WMT21 ru"),
    Column("R_sys WMT12", "semantics-preferences", "system-pearson", "WMT12"),
    Column("R_sys WMT13", "semantics-preferences", "system-pearson", "WMT13"),
)
LEVELS = {
    "SP": "shallow syntax",
    "DP": "dependencies",
    "CP": "constituents",
    "SR": "roles",
    "DR": "discourse",
}


def side_by_side(folder: Path) -> str:
    """The table, in Markdown under a heading; empty where one of the experiments has no results in the folder."""
    paths = {one.experiment: folder / one.experiment / "results.json" for one in COLUMNS}
    if not all(path.exists() for path in paths.values()):
        return ""
    results = {name: json.loads(path.read_text(encoding="utf-8"))["results"] for name, path in paths.items()}
    columns = [_numbers(results[one.experiment], one) for one in COLUMNS]
    lines = [
        f"| level | metric | {' | '.join(one.heading for one in COLUMNS)} |",
        "| --- " * (len(COLUMNS) + 2) + "|",
    ]
    for row in columns[0]:
        cells = [_shown(row, column) for column in columns]
        lines.append(f"| {LEVELS.get(row[:2], 'lexical')} | {row} | {' | '.join(cells)} |")
    return "\n".join([HEADING, ABOUT, *lines]) + "\n"


def _numbers(entries: list[dict[str, object]], column: Column) -> dict[str, float | None]:
    """The numbers of a column by row, in the order of rows; of several groups their mean."""
    own = [one for one in entries if (one["statistic"], one["test"]) == (column.statistic, column.test)]
    groups = {str(one["group"]) for one in own}
    group = "mean" if "mean" in groups else min(groups)
    return {str(one["row"]): one["value"] for one in own if one["group"] == group}  # type: ignore[misc]


def _shown(row: str, column: Mapping[str, float | None]) -> str:
    value = column.get(row)
    if value is None:
        return "–"
    text = f"{value:.3f}".replace("0.", ".", 1)
    return f"**{text}**" if value == max(one for one in column.values() if one is not None) else text
