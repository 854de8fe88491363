"""Writes the two tables of README.md from docs/results.md and docs/performance.md.

python scripts/build_readme.py            # exit status 1 if they are stale
python scripts/build_readme.py --write
"""

import argparse
import re
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
README = CHECKOUT / "README.md"
_PART = re.compile(r"(<!-- table (?P<name>\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_SECTION = "The shipped models, on judgments outside their training data"
_ROWS = ("sentence BLEU", "chrF++", "METEOR 1.5", "en-small", "en-fast", "en")
# Tables that were made before the models were renamed have the old names.
_BEFORE = {"en-fast": "en", "en": "en-full"}


def cells(page: str, heading: str) -> dict[str, list[str]]:
    """Rows of the first table after a heading or a line, by their first cell."""
    _, found, rest = page.partition(heading)
    if not found:
        raise KeyError(f"no {heading!r}")
    table = re.search(r"(?:^\|.*\n)+", rest, re.MULTILINE)
    assert table is not None
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()]
    return {line[0].strip("`"): line[1:] for line in lines}


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


def speed(performance: str) -> str:
    """Pairs a second on one core."""
    rows = cells(performance, "Compared in one run (`peers.py`")
    renamed = "en-fast" in rows
    lines = ["| | new pairs a second |", "|---|--:|"]
    for name, (rate, *_) in rows.items():
        shown = name if renamed or name != "en" else "en-fast"
        if name and not name.startswith(("-", "RapidFuzz")):
            lines.append(f"| {f'`{shown}`' if shown.startswith('en') else shown} | {rate} |")
    return "\n".join(lines) + "\n"


def made(readme: str) -> str:
    """The README with its tables."""
    tables = {
        "accuracy": accuracy((CHECKOUT / "docs" / "results.md").read_text(encoding="utf-8")),
        "speed": speed((CHECKOUT / "docs" / "performance.md").read_text(encoding="utf-8")),
    }
    return _PART.sub(lambda part: f"{part[1]}\n{tables[part['name']]}\n{part[3]}", readme)


def main() -> None:
    """Writes the tables, or says that they are stale."""
    parser = argparse.ArgumentParser(description="Writes the tables of README.md.")
    parser.add_argument("--write", action="store_true", help="write them")
    readme = README.read_text(encoding="utf-8")
    now = made(readme)
    if parser.parse_args().write:
        README.write_text(now, encoding="utf-8")
    elif now != readme:
        sys.exit("README.md is stale: python scripts/build_readme.py --write")


if __name__ == "__main__":
    main()
