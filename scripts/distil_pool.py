"""Collects what an encoder's head and a student are learned from: judged pairs, and pairs to be labelled.

    python scripts/distil_pool.py FOLDER

Writes to FOLDER, and leaves alone what is there:

- ``rows.npz``: the rows, each a reference and a hypothesis by the number of its line, with its set, language pair,
  segment, system, kind of change, judgment (standardised by set and language pair; NaN: none) and weight;
- ``lines.json``: the lines;
- ``en-fast.npz``: the scores of the shipped model ``en-fast``, NaN where the target language is not English, and those
  of each reference and itself.

`scripts/distil.py` learns from the folder. The texts come from the sets in PFSM_DATA, whose terms differ, so it should
lie outside of the repository.
"""

import json
import random
import re
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from real_data import data_folder, rows_of

import pfsm
from pfsm.perturbation.catalogue import kinds_for
from pfsm.perturbation.pairs import Translation, perturb
from pfsm.text.characters import typewritten

# By set: the file's column of judgments, and what a judgment of it counts; raters differ more in some.
JUDGED = {
    "wmt15-daseg": ("score", 1.0),
    "wmt16-daseg": ("score", 1.0),
    "wmt21-da": ("da_z", 0.1),
    "wmt21-mqm": ("score", 0.3),
    "ted-mqm-spans": ("score", 0.3),
    "wmt23-sxs-mqm": ("score", 1.0),
    "mlqe-pe": ("da_z", 0.1),
    "iwslt19-enes": ("da_z", 0.5),
}
# By set of preferences: the most pairs of it that are labelled.
COMPARED = {"wmt19-darr": 40000, "wmt13-rr": 12000, "wmt12-rr": 6000}
LOWEST = -3.0  # standard deviations; of expert judgments some are far below
PER_KIND, TRANSLATIONS, COPIES = 250, 4000, 3000
# Of pairs of neighbours, the share that is made one; and the most words of such a line.
MERGED, MOST_WORDS = 0.06, 100
ANNOTATION = re.compile(r"\.ann\d+$")


@dataclass
class Table:
    """The rows, column by column.

    Attributes:
        lines: Number of each line.
        columns: By name.
    """

    lines: dict[str, int] = field(default_factory=dict)
    columns: dict[str, list[Any]] = field(default_factory=dict)

    def add(
        self,
        names: Sequence[str],
        kind: str,
        texts: tuple[str, str],
        score: float = float("nan"),
        weight: float = 0.0,
    ) -> None:
        """Adds a row."""
        name, pair, segment, system = names
        form = typewritten if pair.endswith("-en") else lambda text: unicodedata.normalize("NFC", text)
        one, other = (self.lines.setdefault(form(text.strip()), len(self.lines)) for text in texts)
        values = {"set": name, "pair": pair, "segment": segment, "system": system, "kind": kind,
                  "reference": one, "hypothesis": other, "score": score, "weight": weight}  # fmt: skip
        for column, value in values.items():
            self.columns.setdefault(column, []).append(value)


def judged(table: Table) -> None:
    """Adds what was judged; the judgments of one translation by several people are averaged."""
    for name, (column, weight) in JUDGED.items():
        for path in sorted((data_folder() / name).glob("*.tsv.gz")):
            pair = "-".join(path.name.split("-")[:2])
            found: dict[tuple[str, str], list[tuple[dict[str, str], float]]] = {}
            for row in rows_of(path):
                segment = ANNOTATION.sub("", row["segment_id"])
                found.setdefault((segment, row["hypothesis"]), []).append((row, float(row[column])))
            values = np.array([np.mean([score for _, score in rows]) for rows in found.values()])
            values = np.maximum((values - values.mean()) / values.std(), LOWEST)
            split = path.name.split("-")[2].split(".")[0]
            for ((segment, hypothesis), rows), value in zip(found.items(), values.tolist(), strict=True):
                row = rows[0][0]
                kind = f"judged {split}" if name == "mlqe-pe" else "judged"
                names = name, pair, segment, row["system"]
                table.add(names, kind, (row["reference"], hypothesis), value, weight)


def compared(table: Table, draw: random.Random) -> None:
    """Adds some of the pairs in preferences."""
    for name, most in COMPARED.items():
        found: dict[tuple[str, str, str], str] = {}
        for path in sorted((data_folder() / name).glob("*.tsv.gz")):
            pair = "-".join(path.name.split("-")[:2])
            for row in rows_of(path):
                for side in ("better", "worse"):
                    found.setdefault((pair, row["reference"], row[side]), row["segment_id"])
        some = draw.sample(sorted(found.items()), min(most, len(found)))
        for (pair, reference, hypothesis), segment in some:
            table.add((name, pair, segment, ""), "plain", (reference, hypothesis))


def changed(table: Table, draw: random.Random) -> None:
    """Adds copies with one change each, in capitals, without punctuation, cut short, and two in one."""
    lines = list(table.lines)
    columns = [
        table.columns[name] for name in ("set", "pair", "segment", "system", "reference", "hypothesis")
    ]
    # References of mlqe-pe were made from the translations.
    plain = [row for row in zip(*columns, strict=True) if row[1].endswith("-en") and row[0] != "mlqe-pe"]
    for *names, reference, hypothesis in draw.sample(plain, COPIES):
        text = lines[hypothesis]
        forms = {"upper": text.upper(), "lower": text.lower(), "bare": re.sub(r"[^\w\s]", "", text)}
        for kind, form in forms.items():
            table.add(names, kind, (lines[reference], form))
    for *names, reference, hypothesis in draw.sample(plain, 2 * COPIES):
        words = lines[hypothesis].split()
        if len(words) > 3:
            text = " ".join(words[: draw.randrange(2, len(words))])
            table.add(names, "short", (lines[reference], text))
    for one, two in pairwise(plain):
        follows = one[:2] == two[:2] and one[3] == two[3] and one[2] != two[2]
        if follows and draw.random() < MERGED:
            texts = [f"{lines[a]} {lines[b]}" for a, b in zip(one[4:], two[4:], strict=True)]
            if max(len(text.split()) for text in texts) <= MOST_WORDS:
                table.add((*one[:2], f"{one[2]}+", one[3]), "merged", (texts[0], texts[1]))
    made = draw.sample(plain, TRANSLATIONS)
    translations = [Translation(lines[row[4]], lines[row[4 + number % 2]]) for number, row in enumerate(made)]
    origin = {lines[row[4]]: row for row in made}
    for pair in perturb(translations, kinds_for("en"), language="en", seed=1, per_kind=PER_KIND, cache=False):
        names = [*origin[pair.reference][:3], ""]
        table.add(names, pair.kind, (pair.reference, pair.worse))
        table.add(names, "unchanged", (pair.reference, pair.better))


def without_twins(table: Table) -> dict[str, Any]:
    """The columns as arrays; of pairs that are not judged, those that come again are left out."""
    columns = {name: np.array(values) for name, values in table.columns.items()}
    known: set[tuple[int, int]] = set()
    keep = []
    sides = (columns[name].tolist() for name in ("reference", "hypothesis", "weight"))
    for one, other, weight in zip(*sides, strict=True):
        keep.append(weight > 0.0 or (one, other) not in known)
        known.add((one, other))
    return {name: values[np.array(keep)] for name, values in columns.items()}


def main() -> None:
    """Writes the files."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "rows.npz").is_file():
        table, draw = Table(), random.Random(1)
        judged(table)
        compared(table, draw)
        changed(table, draw)
        (folder / "lines.json").write_text(json.dumps(list(table.lines)), encoding="utf-8")
        np.savez_compressed(folder / "rows.npz", **without_twins(table))
    rows, lines = dict(np.load(folder / "rows.npz")), json.loads((folder / "lines.json").read_text("utf-8"))
    print(f"{rows['set'].size} rows of {len(lines)} lines", flush=True)
    if not (folder / "en-fast.npz").is_file():
        metric, english = pfsm.load("en-fast"), np.flatnonzero(np.char.endswith(rows["pair"], "-en"))
        one, other = ([lines[at] for at in rows[side][english]] for side in ("reference", "hypothesis"))
        scores, of_itself = np.full((2, rows["pair"].size), np.nan)
        scores[english], of_itself[english] = metric.score_pairs(other, one), metric.score_pairs(one, one)
        np.savez(folder / "en-fast.npz", scores=scores, of_itself=of_itself)


if __name__ == "__main__":
    main()
