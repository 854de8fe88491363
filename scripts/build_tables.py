"""Writes the small tables of README.md, docs and `pfsm models` that show measured figures.

They come from configs/results (``scripts/results.py``), and from ``benchmarks/measured``, which benchmarks write.

python scripts/build_tables.py            # exit status 1 if they are stale
python scripts/build_tables.py --write
"""

import json
import re
from collections.abc import Callable
from typing import Any

import results
import yaml
from real_data import CHECKOUT, write_or_tell
from results import NAMES, rates

PAGES = ("README.md", "docs/index.md", "docs/performance.md", "docs/guides/little-data.md", "docs/papers.md")
FIGURES = CHECKOUT / "pfsm" / "resources" / "figures.json"
PAPERS = results.FOLDER / "papers.yaml"
BESIDE = results.FOLDER / "beside.yaml"
_PART = re.compile(r"(<!-- table (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
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
    rows = [
        [NAMES[name][1], f"{rate:,.0f}", _times(rate / rates()["chrF++"])]
        for name, rate in rates().items()
        if name != "RapidFuzz"
    ]
    return table(["new pairs a second", "times chrF++"], rows)


def peers() -> str:
    """The same of new and of known sentences, for the page on performance."""
    known = rates(known=True)
    rows = [
        [NAMES[name][1], f"{rate:,.0f}", f"{known[name]:,.0f}" if _is_model(name) else ""]
        for name, rate in rates().items()
    ]
    return table(["new sentences", "known sentences"], rows)


def _is_model(name: str) -> bool:
    return NAMES[name][1].startswith("`")


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
    found = {
        name: {
            **({"agreement": results.last(experiment, title, name).value} if name in _ACCURACY else {}),
            "pairs_per_second": round(rate),
        }
        for name, rate in sorted(rates().items(), key=lambda one: one[0] != "chrF++")
        if name == "chrF++" or _is_model(name)
    }
    return json.dumps(found, indent=1) + "\n"


def made(page: str) -> str:
    """A page with its tables."""

    def written(part: re.Match[str]) -> str:
        return f"{part[1]}\n{_TABLES[part['name']]()}\n{part[3]}"

    return _PART.sub(written, page)


if __name__ == "__main__":
    pages = {CHECKOUT / name: made((CHECKOUT / name).read_text(encoding="utf-8")) for name in PAGES}
    write_or_tell({FIGURES: figures()} | pages)
