"""Results of a benchmark: rows that print as a Markdown table and are kept as JSON."""

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from stopwatch import Cost, machine

from pfsm.files import atomic_write


@dataclass(frozen=True)
class Row:
    """One thing measured.

    Attributes:
        section: What it is compared within, such as ``scoring, warm``.
        name: What was run.
        items: How many pairs, judgments or lattices it went through.
        cost: What that took.
    """

    section: str
    name: str
    items: int
    cost: Cost


class Report:
    """Rows in the order measured; each is printed when it is there."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.rows: list[Row] = []
        print(f"## {title}\n\n{machine()}\n")

    def add(self, section: str, name: str, items: int, cost: Cost) -> None:
        """Adds a row; the first one of a section is what its others are compared with."""
        first = next((row for row in self.rows if row.section == section), None)
        row = Row(section, name, items, cost)
        self.rows.append(row)
        if first is None:
            print(f"\n### {section}\n\n| what | items/s | times the first | CPU s | wall s | peak MB |")
            print("|---|--:|--:|--:|--:|--:|")
            first = row
        ratio = _rate(row) / _rate(first)
        peak = "" if cost.peak_mb is None else f"{cost.peak_mb:,.0f}"
        print(
            f"| {name} | {_rate(row):,.0f} | {ratio:.2f} | {cost.cpu:.3f} | {cost.wall:.3f} | {peak} |",
            flush=True,
        )

    def save(self) -> None:
        """Writes the rows as JSON where the environment variable BENCH_OUT names a folder."""
        folder = os.environ.get("BENCH_OUT")
        if not folder:
            return
        Path(folder).mkdir(parents=True, exist_ok=True)
        path = Path(folder) / f"{Path(sys.argv[0]).stem}.json"
        document = {
            "title": self.title,
            "machine": machine(),
            "rows": [
                {**asdict(row), "items_per_cpu_second": _rate(row), "cost": asdict(row.cost)}
                for row in self.rows
            ],
        }
        with atomic_write(path) as handle:
            handle.write(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def _rate(row: Row) -> float:
    """Items per second of processor time: what other processes take of the machine does not count."""
    return row.items / max(row.cost.cpu, 1e-9)
