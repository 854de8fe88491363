"""Results of a benchmark: rows that are printed as Markdown tables, and saved as Markdown and JSON."""

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
    """One measurement.

    Attributes:
        section: Table in which it is compared, such as ``scoring, warm``.
        name: Name of what was run.
        items: Number of pairs, judgments or lattices processed.
        cost: Time and memory of the run.
        ratio: Items per second of processor time, divided by those of the row it is compared with.
    """

    section: str
    name: str
    items: int
    cost: Cost
    ratio: float


class Report:
    """The rows in the order measured; each is printed at once."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.rows: list[Row] = []
        self.facts: dict[str, float] = {}
        self.lines: list[str] = []
        self._print(f"## {title}\n\n{machine()}")

    def add(self, section: str, name: str, items: int, cost: Cost, versus: str | None = None) -> None:
        """Adds a row.

        Args:
            section: Heading of the table.
            name: Name of the row.
            items: Number of items processed by one run.
            cost: Cost of one run.
            versus: Name of the row of this section that it is compared with; None: the first one.
        """
        known = {row.name: row for row in self.rows if row.section == section}
        if not known:
            self._print(f"\n### {section}\n\n{_HEADER}")
        other = known[versus] if versus is not None else next(iter(known.values()), None)
        ratio = 1.0 if other is None else _rate(items, cost) / _rate(other.items, other.cost)
        self.rows.append(Row(section, name, items, cost, ratio))
        peak = "" if cost.peak_mb is None else f"{cost.peak_mb:,.0f}"
        rate = f"{_rounded(_rate(items, cost))} | {_rounded(ratio)}"
        self._print(f"| {name} | {rate} | {cost.cpu:.3f} | {cost.wall:.3f} | {peak} |")

    def note(self, facts: Mapping[str, float]) -> None:
        """Prints further numbers, such as words per sentence or a minimum found, and adds them to the JSON file."""
        self.facts |= facts
        self._print("\n" + "\n".join(f"* {name}: {value:,.9g}" for name, value in facts.items()))

    def save(self) -> None:
        """Writes JSON and Markdown if the environment variable BENCH_OUT names a folder."""
        folder = os.environ.get("BENCH_OUT")
        if not folder:
            return
        Path(folder).mkdir(parents=True, exist_ok=True)
        path = Path(folder) / Path(sys.argv[0]).stem
        content = {
            "title": self.title,
            "machine": machine(),
            "facts": self.facts,
            "rows": [
                {**asdict(row), "items_per_cpu_second": _rate(row.items, row.cost)} for row in self.rows
            ],
        }
        with atomic_write(path.with_suffix(".json")) as handle:
            handle.write(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        with atomic_write(path.with_suffix(".md")) as handle:
            handle.write("\n".join(self.lines) + "\n")

    def _print(self, text: str) -> None:
        self.lines.append(text)
        print(text, flush=True)


def _rate(items: int, cost: Cost) -> float:
    """Items per second of processor time, which other processes on the machine hardly change."""
    return items / max(cost.cpu, 1e-9)


def _rounded(number: float) -> str:
    """The number without decimals from 100 up, otherwise with three digits."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
