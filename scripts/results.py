"""The tables of results in configs/results, one file an experiment: written from its report, read, drawn as Markdown.

    python scripts/results.py OUT     # from OUT/NAME/table.md, which `pfsm experiment` has written

``NAME.tsv`` has a line for each number: table, row, column, value, ends of the 95% interval, and whether it is
significantly above or below the row that the notes name. ``NAME-rows.tsv`` compares pairs of rows. ``notes.json`` has
what the reports say below their tables. Speeds are those that ``benchmarks/peers.py`` and ``training.py`` wrote.
"""

import csv
import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import yaml

CONFIGS = Path(__file__).resolve().parent.parent / "configs"
FOLDER = CONFIGS / "results"
NOTES = FOLDER / "notes.json"
MEASURED = CONFIGS.parent / "scripts" / "benchmarks" / "measured"
PEERS, TRAINING = MEASURED / "peers.json", MEASURED / "training.json"
# Names in the tables of configs/results: what `benchmarks/peers.py` calls its rows, and what pages show.
NAMES = {
    "en-small": ("pfsm en-small, new sentences", "`en-small`"),
    "en-fast": ("pfsm en-fast, new sentences", "`en-fast`"),
    "en": ("pfsm en, new sentences", "`en`, with its encoder"),
    "multi": ("pfsm multi, new sentences", "`multi`, with its encoder"),
    "en-large": ("pfsm en-large, new sentences", "`en-large`, with its encoder"),
    "sentence BLEU": ("sacrebleu sentence BLEU", "sacrebleu's sentence BLEU"),
    "chrF": ("sacrebleu chrF", "sacrebleu's chrF"),
    "chrF++": ("sacrebleu chrF++", "sacrebleu's chrF++"),
    "TER": ("sacrebleu TER", "sacrebleu's TER"),
    "greedy matching": (
        "greedy matching over the encoder (embedding_f1), new sentences",
        "greedy matching over the same encoder (`embedding_f1`)",
    ),
    "METEOR 1.5": ("METEOR 1.5 (jar), whole process", "METEOR's jar, with its start-up"),
    "RapidFuzz": ("RapidFuzz Levenshtein on token ids", "RapidFuzz's Levenshtein on token ids"),
}
COLUMNS = ("table", "row", "column", "value", "low", "high", "mark")
COMPARED = ("table", "A against B", "A", "B", "A - B", "mark", "low", "high", "p", "p (Holm)")
# The drawn tables have no bold numbers.
_BOLD = " Bold: the highest number of a column."
_BLOCK = re.compile(r"^#{2,3} (.+)\n", re.MULTILINE)
_CELL = re.compile(
    r"\**(?P<value>-?[\d.]+|–)(?: \[(?P<low>[^,]+), (?P<high>[^]]+)\]| –)?\**(?P<mark>[▲▼]?)\**"
)


class Cell(NamedTuple):
    """A number of a table as text, the ends of its interval or nothing, and its mark."""

    value: str
    low: str = ""
    high: str = ""
    mark: str = ""

    def __str__(self) -> str:
        return f"{self.value}{f' [{self.low}, {self.high}]' if self.low else ''}{self.mark}"


Table = dict[str, dict[str, Cell]]


def tables(name: str) -> dict[str, Table]:
    """The tables of an experiment by their titles: rows, and in each the cells by column."""
    found: dict[str, Table] = {}
    for line in _lines(FOLDER / f"{name}.tsv"):
        found.setdefault(line["table"], {}).setdefault(line["row"], {})[line["column"]] = Cell(
            *(line[one] for one in COLUMNS[3:])
        )
    return found


def last(name: str, title: str, row: str) -> Cell:
    """The last cell of a row: the mean over groups where there are several."""
    return list(tables(name)[title][row].values())[-1]


def about(name: str) -> str:
    """The description in the configuration of an experiment."""
    return str(yaml.safe_load((CONFIGS / f"{name}.yaml").read_text(encoding="utf-8"))["description"]).strip()


def markdown(name: str, chosen: str = "") -> str:
    """All tables of an experiment with its notes, or the one of a title."""
    own = tables(name)
    if chosen in own:
        return _table(own[chosen])
    parts = [f"**{heading}**\n\n{_table(table)}" for heading, table in own.items()]
    compared: dict[str, list[list[str]]] = {}
    for line in _lines(FOLDER / f"{name}-rows.tsv"):
        shown = [line[one] for one in COMPARED[1:4]]
        interval = f"[{line['low']}, {line['high']}]"
        shown += [line["A - B"] + line["mark"], interval, line["p"], line["p (Holm)"]]
        compared.setdefault(line["table"], []).append(shown)
    head = [*COMPARED[1:5], "95% interval", "p", "p (Holm)"]
    parts += [f"**{heading}**\n\n{_grid(head, rows)}" for heading, rows in compared.items()]
    return "\n".join([*parts, *json.loads(NOTES.read_text(encoding="utf-8")).get(name, [])]) + "\n"


def _table(table: Table) -> str:
    columns = list(next(iter(table.values())))
    rows = [[row, *(str(cells[one]) for one in columns)] for row, cells in table.items()]
    return _grid(["", *columns], rows)


def _grid(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [[*head], *([*row] for row in rows)]
    lines.insert(1, ["---", *["--:"] * (len(lines[0]) - 1)])
    text = "".join(f"| {' | '.join(line).replace('*', chr(92) + '*')} |\n" for line in lines)
    return text.replace("|  |", "| |", 1)


def _lines(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE))


def rates(known: bool = False) -> dict[str, float]:
    """Pairs a second of processor time by metric, in the order measured; ``known``: of sentences seen before."""
    rows = json.loads(PEERS.read_text(encoding="utf-8"))["rows"]
    found = {row["name"]: float(row["items_per_cpu_second"]) for row in rows}
    names = {short: name.replace("new", "known") if known else name for short, (name, _) in NAMES.items()}
    return {short: found[name] for short, name in names.items() if name in found}


def training_times() -> list[tuple[int, float, float]]:
    """Judgments, seconds, and megabytes at most, of whole processes that trained on them."""
    rows = json.loads(TRAINING.read_text(encoding="utf-8"))["rows"]
    return [(row["items"], row["cost"]["wall"], row["cost"]["peak_mb"]) for row in rows]


def convert(name: str, report: str) -> None:
    """Writes the files of an experiment from the Markdown of its report."""
    pieces = _BLOCK.split(report)
    blocks = list(zip(pieces[1::2], pieces[2::2], strict=True))
    headings = {heading for heading, _ in blocks}
    numbers: list[list[str]] = []
    compared: list[list[str]] = []
    notes: list[str] = []
    for heading, text in blocks:
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in _rows(text)]
        notes += [line.replace(_BOLD, "") for line in text.splitlines() if line and not line.startswith("|")]
        if f"{heading}: intervals" in headings or not lines:
            continue
        place = heading.removesuffix(": intervals")
        if lines[0][0] == "A against B":
            compared += [[place, *_comparison(line)] for line in lines[2:]]
        else:
            numbers += _numbers(place, lines)
    _write(FOLDER / f"{name}.tsv", COLUMNS, numbers)
    if compared:
        _write(FOLDER / f"{name}-rows.tsv", COMPARED, compared)
    every = json.loads(NOTES.read_text(encoding="utf-8")) if NOTES.exists() else {}
    every[name] = notes
    NOTES.write_text(json.dumps(every, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("|")]


def _numbers(place: str, lines: list[list[str]]) -> list[list[str]]:
    """A line for each number of a table; none if there is none, as for systems where the data name one only."""
    columns, found = lines[0][1:], []
    for row, *cells in lines[2:]:
        for column, cell in zip(columns, cells, strict=True):
            match = _CELL.fullmatch(cell)
            if match is None:
                raise ValueError(f"{place}, {row}: {cell!r} is not a number")
            found.append([place, row, column, *(match[one] or "" for one in COLUMNS[3:])])
    return found if any(line[3] != "–" for line in found if line[1] != "n") else []


def _comparison(line: list[str]) -> list[str]:
    pair, first, second, difference, interval, *chances = line
    low, _, high = interval.strip("[]").partition(", ")
    mark = difference[-1] if difference[-1] in "▲▼" else ""
    return [pair, first, second, difference.rstrip("▲▼"), mark, low, high, *chances]


def _write(path: Path, head: Iterable[str], lines: Iterable[Iterable[str]]) -> None:
    path.write_text("".join("\t".join(line) + "\n" for line in [head, *lines]), encoding="utf-8")


# Tables 2 and 3 of Giménez and Màrquez (2009): a column a statistic, of several experiments.
SIDE_BY_SIDE = (
    ("KING WMT21 ru", "gimenez", "KING, human likeness, WMT21 ru"),
    ("KING MLQE et", "gimenez", "KING, human likeness, MLQE et"),
    ("R_snt WMT15", "semantics", "Pearson's r, WMT15"),
    ("R_snt WMT16", "semantics", "Pearson's r, WMT16"),
    ("R_snt WMT21", "semantics", "Pearson's r, WMT21"),
    ("R_snt WMT21 MQM", "semantics", "Pearson's r, WMT21 MQM"),
    ("R_snt WMT21 ru", "gimenez", "Pearson's r, WMT21 ru"),
    ("R_snt MLQE et", "gimenez", "Pearson's r, MLQE et"),
    ("tau WMT12", "semantics-preferences", "Kendall's τ (WMT12), WMT12"),
    ("tau WMT13", "semantics-preferences", "Kendall's τ (WMT12), WMT13"),
    ("R_sys WMT21", "semantics", "Pearson's r of systems, WMT21"),
    ("R_sys WMT21 MQM", "semantics", "Pearson's r of systems, WMT21 MQM"),
    ("R_sys WMT21 ru", "gimenez", "Pearson's r of systems, WMT21 ru"),
    ("R_sys WMT12", "semantics-preferences", "Pearson's r of systems, WMT12"),
    ("R_sys WMT13", "semantics-preferences", "Pearson's r of systems, WMT13"),
)
_LEVELS = {
    "SP": "shallow syntax",
    "DP": "dependencies",
    "CP": "constituents",
    "SR": "roles",
    "DR": "discourse",
}


def side_by_side() -> str:
    """Metrics by linguistic level, every statistic of segments and of systems beside the others; bold: the highest."""
    found = {name: tables(name) for _, name, _ in SIDE_BY_SIDE}
    columns = [found[name][place] for _, name, place in SIDE_BY_SIDE]
    rows = [row for row in columns[0] if row != "n"]
    values: list[Mapping[str, str]] = [
        {row: list(column[row].values())[-1].value for row in rows if row in column} for column in columns
    ]
    best = [max(map(float, column.values())) for column in values]
    lines = []
    for row in rows:
        shown = [column.get(row, "–") for column in values]
        shown = [
            f"<b>{one}</b>" if one != "–" and float(one) == most else one
            for one, most in zip(shown, best, strict=True)
        ]
        lines.append([_LEVELS.get(row[:2], "lexical"), row, *shown])
    return _grid(["level", "metric", *(heading for heading, _, _ in SIDE_BY_SIDE)], lines)


def main() -> None:
    """Converts every report below a folder."""
    for path in sorted(Path(sys.argv[1]).glob("*/table.md")):
        if (CONFIGS / f"{path.parent.name}.yaml").exists():
            convert(path.parent.name, path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
