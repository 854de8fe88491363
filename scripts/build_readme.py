"""Writes the tables of README.md, docs/performance.md and docs/guides/little-data.md that show measured figures.

They come from docs/results.md and scripts/benchmarks/measured/peers.json, which `benchmarks/peers.py` writes.

python scripts/build_readme.py            # exit status 1 if they are stale
python scripts/build_readme.py --write
"""

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from measured import cells, rates

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKOUT = Path(__file__).resolve().parent.parent
README, RESULTS = CHECKOUT / "README.md", CHECKOUT / "docs" / "results.md"
PAGES = (README, CHECKOUT / "docs" / "performance.md", CHECKOUT / "docs" / "guides" / "little-data.md")
_PART = re.compile(r"(<!-- table (?P<name>\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_SECTION = "The shipped models, on judgments outside their training data"
_SPEEDS = {
    "en-small": "`en-small`",
    "en-fast": "`en-fast`",
    "en": "`en`, with its encoder",
    "sentence BLEU": "sacrebleu's sentence BLEU",
    "chrF": "sacrebleu's chrF",
    "chrF++": "sacrebleu's chrF++",
    "TER": "sacrebleu's TER",
    "greedy matching": "greedy matching over the same encoder (`embedding_f1`)",
    "METEOR 1.5": "METEOR's jar, with its start-up",
}
_ADAPTED = {
    "en-small as shipped": "`en-small` as it ships",
    "from en-small, lambda chosen": "`--init en-small`",
    "from nothing, lambda chosen": "without `--init`",
}
_ROWS = ("sentence BLEU", "chrF++", "METEOR 1.5", "en-small", "en-fast", "en")
# Tables that were made before the models were renamed have the old names.
_BEFORE = {"en-fast": "en", "en": "en-full"}


def accuracy(results: str) -> str:
    """Pearson's r of the models and of other metrics, with marks and without intervals."""
    section = results.partition(f"## {_SECTION}")[2]
    columns = [cells(section, f"### Pearson's r, WMT21 {name}") for name in ("MQM", "DA")]
    lines = ["| | experts' error marks (WMT21 MQM) | crowd, one rater (WMT21 DA) |", "|---|--:|--:|"]
    for name in _ROWS:
        row = name if "en-fast" in columns[0] else _BEFORE.get(name, name)
        shown = [re.sub(r" \[[^]]*\]|\*", "", column[row][-1]) for column in columns]
        lines.append(f"| {f'`{name}`' if name.startswith('en') else name} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def adaptation(results: str) -> str:
    """Pearson's r of models that start from one that ships, or from nothing, by the number of judgments."""
    rows = cells(results.partition("## Adaptation to")[2], "### Pearson's r, ")
    numbers = next(iter(rows.values()))
    lines = [f"| | {' | '.join(numbers)} |", "|---|" + "--:|" * len(numbers)]
    for name, label in _ADAPTED.items():
        shown = (re.sub(r" \[[^]]*\].*|\*", "", cell) for cell in rows[name])
        lines.append(f"| {label} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def speed() -> str:
    """Pairs a second of processor time on one core, and how many times those of chrF++ that is."""
    measured = rates()
    lines = ["| | new pairs a second | times chrF++ |", "|---|--:|--:|"]
    for name, label in _SPEEDS.items():
        if name in measured:
            lines.append(
                f"| {label} | {measured[name]:,.0f} | {_times(measured[name] / measured['chrF++'])} |"
            )
    return "\n".join(lines) + "\n"


def peers() -> str:
    """The same of new and of known sentences, for the page on performance."""
    new, known = rates(), rates(known=True)
    lines = ["| | new sentences | known sentences |", "|---|--:|--:|"]
    for name, label in (*_SPEEDS.items(), ("RapidFuzz", "RapidFuzz's Levenshtein on token ids")):
        if name in new:
            again = f"{known[name]:,.0f}" if name.startswith("en") else ""
            lines.append(f"| {label} | {new[name]:,.0f} | {again} |")
    return "\n".join(lines) + "\n"


def _times(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2g}".removeprefix("0")


def made(page: str) -> str:
    """A page with its tables."""
    results = RESULTS.read_text(encoding="utf-8")
    tables: dict[str, Callable[[], str]] = {
        "accuracy": lambda: accuracy(results),
        "adaptation": lambda: adaptation(results),
        "speed": speed,
        "peers": peers,
    }
    return _PART.sub(lambda part: f"{part[1]}\n{tables[part['name']]()}\n{part[3]}", page)


def main() -> None:
    """Writes the tables, or says that they are stale."""
    parser = argparse.ArgumentParser(description="Writes tables of measured figures into README.md and docs.")
    parser.add_argument("--write", action="store_true", help="write them")
    write = parser.parse_args().write
    stale = []
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        now = made(page)
        if now != page:
            stale.append(path.name)
            if write:
                path.write_text(now, encoding="utf-8")
    if stale and not write:
        sys.exit(f"{' and '.join(stale)}: stale; python scripts/build_readme.py --write")


if __name__ == "__main__":
    main()
