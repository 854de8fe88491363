"""Writes the small tables of README.md, docs and `pfsm models` that show measured figures.

They come from configs/results (``scripts/results.py``), and from ``benchmarks/measured``, which benchmarks write.

python scripts/build_tables.py            # exit status 1 if they are stale
python scripts/build_tables.py --write
"""

import argparse
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import results
import yaml
from results import rates

CHECKOUT = Path(__file__).resolve().parent.parent
PAGES = tuple(
    CHECKOUT / name
    for name in (
        "README.md",
        "docs/index.md",
        "docs/performance.md",
        "docs/guides/little-data.md",
        "docs/papers.md",
    )
)
FIGURES = CHECKOUT / "pfsm" / "resources" / "figures.json"
PAPERS = results.FOLDER / "papers.yaml"
BESIDE = results.FOLDER / "beside.yaml"
_PART = re.compile(r"(<!-- table (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_SPEEDS = {
    "en-small": "`en-small`",
    "en-fast": "`en-fast`",
    "en": "`en`, with its encoder",
    "multi": "`multi`, with its encoder",
    "en-large": "`en-large`, with its encoder",
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
_AGREEMENT = (
    ("shipped-preferences", "Kendall's τ (WMT12), WMT12", "rankings (WMT12), tau"),
    ("shipped-preferences", "Kendall's τ (DARR), WMT19", "pairs (WMT19, gu-en, lt-en), tau"),
    ("shipped", "Pearson's r, WMT21 MQM", "experts' error marks (WMT21), r"),
    ("shipped", "Pearson's r, WMT21 DA", "crowd (WMT21), r"),
    ("shipped", "Mean-removed r, WMT21 DA", "within segments"),
)
_ACCURACY = ("sentence BLEU", "chrF++", "METEOR 1.5", "greedy matching, MiniLM", "en-small", "en-fast", "en")


def table(columns: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; numbers stand on the right."""
    lines = [f"| {' | '.join(['', *columns])} |".replace("|  |", "| |"), "|---|" + "--:|" * len(columns)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def accuracy() -> str:
    """Agreement of the models and of other metrics with people, with marks and without intervals."""
    rows = []
    for name in _ACCURACY:
        label = f"`{name}`" if name.startswith("en") else name
        found = [results.tables(experiment)[title].get(name) for experiment, title, _ in _AGREEMENT]
        cells = [list(row.values())[-1] if row else None for row in found]
        rows.append([label, *(cell.value + cell.mark if cell else "–" for cell in cells)])
    for name, figures in _beside()["measured"].items():
        place = 4 if name.startswith("greedy") else len(rows)
        rows.insert(place, [name, "–", "–", *map(_figure, figures), "–"])
    return table([heading for *_, heading in _AGREEMENT], rows)


def systems() -> str:
    """How often the models and other metrics order pairs of systems as people do."""
    headings = {
        "Pairwise accuracy of systems": "all segments",
        "Accuracy with 100 segments, pairs of systems": "100 segments",
        "Accuracy over significant pairs of systems": "significant pairs",
        "Soft pairwise accuracy of systems": "soft accuracy",
    }
    found = [results.tables("systems")[f"{title}, WMT12, 13, 19"] for title in headings]
    rows = []
    for name in (name for name in found[0] if name != "n"):
        cells = [next(iter(one[name].values())) if name in one else None for one in found]
        label = f"`{name}`" if name.startswith("en") else name
        rows.append([label, *(cell.value + cell.mark if cell else "–" for cell in cells)])
    return table([*headings.values()], rows)


def languages() -> str:
    """Agreement with people in other languages than English."""
    found = _beside()["languages"]
    return table(found["columns"], [[name, *map(_figure, row)] for name, row in found["rows"].items()])


def _beside() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(BESIDE.read_text(encoding="utf-8"))
    return found


def _figure(number: float) -> str:
    return f"{number:.3f}".removeprefix("0")


def adaptation() -> str:
    """Pearson's r of models that start from one that ships, or from nothing, by the number of judgments."""
    found = results.tables("adaptation")["Pearson's r, MLQE-PE et-en"]
    rows = [[label, *(cell.value for cell in found[name].values())] for name, label in _ADAPTED.items()]
    return table(list(found["n"]), rows)


def speed() -> str:
    """Pairs a second of processor time on one core, and how many times those of chrF++ that is."""
    measured = rates()
    rows = [
        [label, f"{measured[name]:,.0f}", _times(measured[name] / measured["chrF++"])]
        for name, label in _SPEEDS.items()
        if name in measured
    ]
    return table(["new pairs a second", "times chrF++"], rows)


def peers() -> str:
    """The same of new and of known sentences, for the page on performance."""
    new, known = rates(), rates(known=True)
    labels = {**_SPEEDS, "RapidFuzz": "RapidFuzz's Levenshtein on token ids"}
    rows = [
        [label, f"{new[name]:,.0f}", f"{known[name]:,.0f}" if label.startswith("`") else ""]
        for name, label in labels.items()
        if name in new
    ]
    return table(["new sentences", "known sentences"], rows)


def papers() -> str:
    """The papers' rows beside ours, of which the last column of a table counts, without intervals and marks."""
    rows = []
    for entry in yaml.safe_load(PAPERS.read_text(encoding="utf-8")):
        # What holds of all rows of a table stands in its first.
        place, differs = f"{entry['paper']}, {entry['place']}: `{entry['ours'][0][1]}`", entry["differs"]
        headings = [f"{one[0]} " for one in entry["ours"]], [f"{one} " for one in entry["theirs"]]
        for label, *theirs, row in entry["rows"]:
            ours = [results.last(one[1], one[2], row + "".join(one[3:])).value for one in entry["ours"]]
            cells = [
                ", ".join(map(str.__add__, *pair)) for pair in zip(headings, (ours, theirs), strict=True)
            ]
            rows.append([label.replace("*", "\\*"), place, *cells, differs])
            place, differs, headings = "", "", ([""] * len(ours), [""] * len(theirs))
    return table(["paper, section: configuration", "ours", "theirs", "what differs, and why"], rows)


def _times(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2g}".removeprefix("0")


_TABLES: dict[str, Callable[[], str]] = {
    "accuracy": accuracy,
    "systems": systems,
    "adaptation": adaptation,
    "languages": languages,
    "speed": speed,
    "papers": papers,
    "peers": peers,
}


def figures() -> str:
    """Agreement with people and speed of each model, for `pfsm models`."""
    experiment, title, _ = _AGREEMENT[0]
    measured = rates()
    found = {
        name: {
            **({"agreement": results.last(experiment, title, name).value} if name in _ACCURACY else {}),
            "pairs_per_second": round(measured[name]),
        }
        for name in ("chrF++", *_SPEEDS)
        if name in measured and (name == "chrF++" or _SPEEDS[name].startswith(f"`{name}`"))
    }
    return json.dumps(found, indent=1) + "\n"


def made(page: str) -> str:
    """A page with its tables."""

    def written(part: re.Match[str]) -> str:
        return f"{part[1]}\n{_TABLES[part['name']]()}\n{part[3]}"

    return _PART.sub(written, page)


def main() -> None:
    """Writes the tables, or says that they are stale."""
    parser = argparse.ArgumentParser(description="Writes tables of measured figures into README.md and docs.")
    parser.add_argument("--write", action="store_true", help="write them")
    write = parser.parse_args().write
    stale = []
    for path in (*PAGES, FIGURES):
        page = path.read_text(encoding="utf-8") if path.is_file() else ""
        now = figures() if path == FIGURES else made(page)
        if now != page:
            stale.append(path.name)
            if write:
                path.write_text(now, encoding="utf-8")
    if stale and not write:
        sys.exit(f"{' and '.join(stale)}: stale; python scripts/build_tables.py --write")


if __name__ == "__main__":
    main()
