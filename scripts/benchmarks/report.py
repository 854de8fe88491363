"""Results of a benchmark: rows that print as a Markdown table, and are kept as Markdown and as JSON."""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from stopwatch import Cost, machine

from pfsm.io.files import atomic_write

_HEADER = "| what | items/s | ratio | CPU s | wall s | peak MB |\n|---|--:|--:|--:|--:|--:|"


@dataclass(frozen=True)
class Row:
    """One thing measured.

    Attributes:
        section: What it is compared within, such as ``scoring, warm``.
        name: What was run.
        items: How many pairs, judgments or lattices it went through.
        cost: What that took.
        ratio: Items per second of processor time, over those of the row it is compared with.
    """

    section: str
    name: str
    items: int
    cost: Cost
    ratio: float


class Report:
    """Rows in the order measured; each is printed when it is there."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.rows: list[Row] = []
        self.facts: dict[str, float] = {}
        self.lines: list[str] = []
        self._print(f"## {title}\n\n{machine()}")

    def add(self, section: str, name: str, items: int, cost: Cost, beside: str | None = None) -> None:
        """Adds a row.

        Args:
            section: Heading of the table.
            name: Of the row.
            items: That one run went through.
            cost: Of one run.
            beside: Name of the row of this section that it is compared with; None: the first one.
        """
        known = {row.name: row for row in self.rows if row.section == section}
        if not known:
            self._print(f"\n### {section}\n\n{_HEADER}")
        other = known[beside] if beside is not None else next(iter(known.values()), None)
        ratio = 1.0 if other is None else _rate(items, cost) / _rate(other.items, other.cost)
        self.rows.append(Row(section, name, items, cost, ratio))
        peak = "" if cost.peak_mb is None else f"{cost.peak_mb:,.0f}"
        rate = f"{_rounded(_rate(items, cost))} | {_rounded(ratio)}"
        self._print(f"| {name} | {rate} | {cost.cpu:.3f} | {cost.wall:.3f} | {peak} |")

    def note(self, facts: Mapping[str, float]) -> None:
        """Numbers beside the tables, such as words a sentence or a minimum found: a line, and part of the JSON."""
        self.facts |= facts
        self._print("\n" + "\n".join(f"* {name}: {value:,.9g}" for name, value in facts.items()))

    def save(self) -> None:
        """Writes JSON and Markdown where the environment variable BENCH_OUT names a folder."""
        folder = os.environ.get("BENCH_OUT")
        if not folder:
            return
        Path(folder).mkdir(parents=True, exist_ok=True)
        path = Path(folder) / Path(sys.argv[0]).stem
        document = {
            "title": self.title,
            "machine": machine(),
            "facts": self.facts,
            "rows": [
                {**asdict(row), "items_per_cpu_second": _rate(row.items, row.cost)} for row in self.rows
            ],
        }
        with atomic_write(path.with_suffix(".json")) as handle:
            handle.write(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
        with atomic_write(path.with_suffix(".md")) as handle:
            handle.write("\n".join(self.lines) + "\n")

    def _print(self, text: str) -> None:
        self.lines.append(text)
        print(text, flush=True)


def _rate(items: int, cost: Cost) -> float:
    """Items per second of processor time: what other processes take of the machine does not count."""
    return items / max(cost.cpu, 1e-9)


def _rounded(number: float) -> str:
    """Whole numbers from 100 up, else three digits."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
