"""Learns which words are at fault (`pfsm.model.explain.errors`), from marks that experts set, and writes what ships.

    python scripts/build_errors.py [--output FILE] [KIND …]

Reads the sets in PFSM_DATA. A word is at fault where two of three raters marked it, or the only one; words in a mark
that one of them calls major count twice. Without KIND all of `KINDS` are learned; others stay as they are.
"""

import argparse
import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from real_data import CHECKOUT, data_folder

import pfsm
from pfsm.io.files import atomic_write
from pfsm.model.explain.errors import Marker, learn, words_of

RESOURCE = CHECKOUT / "pfsm" / "resources" / "errors.json"
WMT = "wmt23-sxs-mqm/zh-en-dev.tsv.gz"
# By kind, the model whose words are looked at, the set, and every so many of its rows.
KINDS = {
    "edits": ("en-fast", WMT, 1),
    "encoder": ("en", WMT, 1),
    "multi": ("multi", WMT, 1),
}
# Chosen by leaving out documents: runs of the heaviest words that experts' major marks touch.
LEAST, LIKELY, MISSING, MAJOR_COUNTS = 0.35, 0.12, 0.5, 2.0
Float = NDArray[np.float64]


def rows_of(path: Path, step: int) -> Iterator[dict[str, Any]]:
    """Every so many rows of a set."""
    csv.field_size_limit(1 << 30)
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[::step]


def marked(row: dict[str, Any]) -> tuple[Float, Float]:
    """By character of a translation: whether raters agree on a mark there, and whether one calls it major."""
    n = len(row["hypothesis"])
    raters: dict[str, Float] = {}
    major = np.zeros(n)
    for start, end, severity, _, rater in json.loads(row["errors"]):
        if severity != "neutral":
            raters.setdefault(rater, np.zeros(n))[start:end] = 1.0
        if severity in ("major", "critical"):
            major[start:end] = 1.0
    shared = sum(raters.values(), np.zeros(n)) >= (2 if int(row["n_raters"]) > 2 else 1)
    return shared.astype(float), shared * major


def learned(name: str, path: Path, step: int) -> Marker:
    """What a model learns from a set; an error is major from the points on that tell best what experts call so."""
    metric = pfsm.load(name)
    metric.language_looked_at = True
    rows = list(rows_of(path, step))
    hypotheses, references = ([row[side] for row in rows] for side in ("hypothesis", "reference"))
    language = metric.language if metric.language != "und" else path.name.split("-")[1]
    known, at_fault, weights, points, hit = [], [], [], [], []
    explained = list(metric.explanations(hypotheses, references, as_arrays=True))
    for row, one in zip(rows, explained, strict=True):
        words = words_of(one, row["hypothesis"], row["reference"], language)
        shared, major = marked(row)
        for place, (start, end) in enumerate(words.offsets):
            known.append(words.known[place])
            at_fault.append(float(shared[start:end].any()))
            weights.append(1.0 + (MAJOR_COUNTS - 1.0) * float(major[start:end].any()))
    found = Marker(learn(np.array(known), np.array(at_fault), np.array(weights)), LEAST, LIKELY, MISSING, 0.0)
    for row, one in zip(rows, explained, strict=True):
        shared, major = marked(row)
        for error in found.errors(one, row["hypothesis"], row["reference"], language):
            span = slice(error.start, max(error.end, error.start + 1))
            if major[span].any() or not shared[span].any():
                points.append(error.points)
                hit.append(major[span].any())
    order = np.argsort(points)
    yes = np.array(hit)[order]
    told = np.cumsum(~yes) / max((~yes).sum(), 1) - np.cumsum(yes) / max(yes.sum(), 1)
    return Marker(
        found.weights, LEAST, LIKELY, MISSING, round(float(np.array(points)[order][told.argmax()]), 2)
    )


def main() -> None:
    """Learns, and writes the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kinds", nargs="*", metavar="KIND", choices=[*KINDS, []])
    parser.add_argument("--output", type=Path, default=RESOURCE)
    options = parser.parse_args()
    document = json.loads(options.output.read_text()) if options.output.is_file() else {}
    for kind in options.kinds or KINDS:
        name, file, step = KINDS[kind]
        found = learned(name, data_folder() / file, step)
        rounded = {key: round(value, 4) for key, value in found.weights.items()}
        document[kind] = {**asdict(found), "weights": rounded}
        print(kind, document[kind])
    with atomic_write(options.output) as handle:
        handle.write(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
