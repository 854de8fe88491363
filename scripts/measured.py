"""Figures that were measured: the tables of docs/results.md, and what benchmarks wrote (peers.py, training.py)."""

import json
import re
from pathlib import Path

MEASURED = Path(__file__).resolve().parent / "benchmarks" / "measured"
PEERS, TRAINING = MEASURED / "peers.json", MEASURED / "training.json"
# What `benchmarks/peers.py` calls its rows, and the names in the tables of docs/results.md.
NAMES = {
    "pfsm en-small, new sentences": "en-small",
    "pfsm en-fast, new sentences": "en-fast",
    "pfsm en, new sentences": "en",
    "sacrebleu sentence BLEU": "sentence BLEU",
    "sacrebleu chrF": "chrF",
    "sacrebleu chrF++": "chrF++",
    "sacrebleu TER": "TER",
    "greedy matching over the encoder (embedding_f1), new sentences": "greedy matching",
    "METEOR 1.5 (jar), whole process": "METEOR 1.5",
    "RapidFuzz Levenshtein on token ids": "RapidFuzz",
}
_NUMBER = re.compile(r"-?[\d.]+")


def rates(known: bool = False) -> dict[str, float]:
    """Pairs a second of processor time by metric, in the order measured; ``known``: of sentences seen before."""
    rows = json.loads(PEERS.read_text(encoding="utf-8"))["rows"]
    found = {row["name"]: float(row["items_per_cpu_second"]) for row in rows}
    names = {name.replace("new", "known") if known else name: short for name, short in NAMES.items()}
    return {names[name]: rate for name, rate in found.items() if name in names}


def training_times() -> list[tuple[int, float, float]]:
    """Judgments, seconds, and megabytes at most, of whole processes that trained on them."""
    rows = json.loads(TRAINING.read_text(encoding="utf-8"))["rows"]
    return [(row["items"], row["cost"]["wall"], row["cost"]["peak_mb"]) for row in rows]


def cells(page: str, heading: str) -> dict[str, list[str]]:
    """Rows of the first table after a heading or a line, by their first cell.

    Raises:
        KeyError: There is no such heading.
    """
    _, found, rest = page.partition(heading)
    table = re.search(r"(?:^\|.*\n)+", rest, re.MULTILINE)
    if not found or table is None:
        raise KeyError(f"no {heading!r}")
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()]
    return {line[0].strip("`"): line[1:] for line in lines}


def with_interval(cell: str) -> tuple[float, float, float]:
    """A figure of docs/results.md and the ends of its interval, such as of ``**.376 [.341, .410]**▲``."""
    value, low, high = map(float, _NUMBER.findall(cell)[:3])
    return value, low, high
