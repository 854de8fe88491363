"""Learns how often people order two systems as a difference of scores does, and writes what ships.

    python scripts/build_agreement.py [MODEL …]

Reads the campaigns of `CAMPAIGNS` in PFSM_DATA, without those whose judgments a model has learned from. Two systems
that people do not tell apart are left out. Without MODEL, all models that ship; others stay as they are.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from real_data import CHECKOUT, data_folder, explained

import pfsm
from pfsm.data import is_preferences, judgments_from_table, preferences_from_table, read_table
from pfsm.io.files import atomic_write
from pfsm.model.shipped import shipped_models

RESOURCE = CHECKOUT / "pfsm" / "resources" / "agreement.json"
# With the column of people's scores; preferences have none.
RANKED = {"wmt12-rr": "", "wmt13-rr": "", "wmt19-darr": ""}
CAMPAIGNS = RANKED | {
    "wmt21-da": "da_z",
    "wmt21-mqm": "score",
    "wmt23-sxs-mqm": "score",
    "ted-mqm-spans": "score",
}
# Their heads have learned from judgments of the others.
LEARNED_FROM_OTHERS = ("en", "multi")
# Segments of a file that are scored, those that most systems translated; fewest that two systems share; pairs of
# systems in a bin.
SEGMENTS, SHARED, BIN = 800, 60, 60
# By reference and system.
Texts = dict[str, dict[str, str]]
Pair = tuple[float, bool, int]


def campaign(path: Path, column: str) -> tuple[Texts, dict[tuple[str, str], float]]:
    """Translations, and by how much people find the first of two systems better (in alphabetical order)."""
    table = read_table(path)
    texts: Texts = defaultdict(dict)
    people: dict[tuple[str, str], float] = defaultdict(float)
    if is_preferences(table):
        found = preferences_from_table(table)
        sides = found.columns["better_system"], found.columns["worse_system"]
        for row, (better, worse) in enumerate(zip(*sides, strict=True)):
            texts[found.references[row]] |= {better: found.better[row], worse: found.worse[row]}
            sign = 1.0 if better < worse else -1.0
            people[min(better, worse), max(better, worse)] += sign * float(found.votes[row])
        return texts, people
    data = judgments_from_table(table, column)
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for row, (reference, system) in enumerate(zip(data.references, data.columns["system"], strict=True)):
        texts[reference][system] = data.hypotheses[row]
        scores[reference][system] = float(data.scores[row])
    return texts, {pair: float(np.mean(own)) for pair, own in differences(scores).items()}


def differences(scores: Mapping[str, Mapping[str, float]]) -> dict[tuple[str, str], list[float]]:
    """By two systems, in alphabetical order: the differences of their scores where both have one."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for own in scores.values():
        for pair in combinations(sorted(own), 2):
            found[pair].append(own[pair[0]] - own[pair[1]])
    return found


def pairs_of(metric: pfsm.Metric, path: Path, column: str) -> list[Pair]:
    """For every two systems of a file: the difference, whether people order them alike, and segments."""
    texts, people = campaign(path, column)
    chosen = sorted(texts, key=lambda reference: -len(texts[reference]))[:SEGMENTS]
    keys = [(reference, system) for reference in chosen for system in texts[reference]]
    found = metric.score_pairs([texts[one][system] for one, system in keys], [one for one, _ in keys])
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for (reference, system), score in zip(keys, found.tolist(), strict=True):
        scores[reference][system] = score
    return [
        (abs(float(np.mean(own))), bool(np.mean(own) * people[pair] > 0.0), len(own))
        for pair, own in differences(scores).items()
        if len(own) >= SHARED and people.get(pair)
    ]


def steps(pairs: Sequence[Pair]) -> list[list[float]]:
    """[difference from which it holds, share] in ascending order: bins, pooled until shares rise (isotonic regression).

    A share is (alike + 1) / (pairs + 2), so that no number of pairs makes it certain.
    """
    ordered = sorted(pairs)
    count = max(1, len(ordered) // BIN)
    bins = [
        ordered[place * len(ordered) // count : (place + 1) * len(ordered) // count] for place in range(count)
    ]
    pooled: list[list[float]] = []
    for one in bins:
        pooled.append([one[0][0], sum(alike for _, alike, _ in one) + 1, len(one) + 2])
        while len(pooled) > 1 and pooled[-2][1] / pooled[-2][2] >= pooled[-1][1] / pooled[-1][2]:
            _, alike, number = pooled.pop()
            pooled[-1] = [pooled[-1][0], pooled[-1][1] + alike - 1, pooled[-1][2] + number - 2]
    pooled[0][0] = 0.0
    return [[round(least, 2), round(alike / number, 3)] for least, alike, number in pooled]


def main() -> None:
    """Learns and writes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("models", nargs="*", metavar="MODEL")
    options = parser.parse_args()
    folder = data_folder()
    known = json.loads(RESOURCE.read_text(encoding="utf-8")) if RESOURCE.exists() else {}
    for name in options.models or [model.name for model in shipped_models()]:
        metric = pfsm.load(name)
        pairs: list[Pair] = []
        for campaigns, column in (RANKED if name in LEARNED_FROM_OTHERS else CAMPAIGNS).items():
            # English models are for translations into English.
            for path in sorted((folder / campaigns).glob("*-en-*.tsv.gz")):
                own = pairs_of(metric, path, column)
                pairs += own
                print(
                    f"{name} {path.parent.name}/{path.name}: {len(own)} pairs, {np.mean([o[1] for o in own]):.3f}",
                    flush=True,
                )
        segments = [number for *_, number in pairs]
        known[name] = {
            "weights": metric.model.fingerprint,
            "pairs": len(pairs),
            "segments": [min(segments), max(segments)],
            "steps": steps(pairs),
        }
        print(name, known[name], flush=True)
    with atomic_write(RESOURCE) as handle:
        entries = ",\n".join(f" {json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(known))
        handle.write(f"{{\n{entries}\n}}\n")


if __name__ == "__main__":
    explained(main)
