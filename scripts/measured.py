"""Figures that benchmarks measured and wrote (peers.py, training.py)."""

import json
from pathlib import Path

MEASURED = Path(__file__).resolve().parent / "benchmarks" / "measured"
PEERS, TRAINING = MEASURED / "peers.json", MEASURED / "training.json"
# What `benchmarks/peers.py` calls its rows, and the names in the tables of configs/results.
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
