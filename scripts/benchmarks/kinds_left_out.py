"""What a model sees of kinds of faults that it was not trained on: minimal pairs with one group of kinds left out.

    PFSM_DATA=… python scripts/benchmarks/kinds_left_out.py [--model en-small] [--weight 1] [GROUP …]

Each model is trained on WMT15 direct assessment and on minimal pairs made of it (`minimal_pairs`, with the options of
the model's settings if they have them): without pairs, with all kinds, and once for each group with all kinds but those
of the group. Printed is the accuracy on the kinds of each group for the best translations of WMT21 ru-en, which are in
no training data (`scripts/changed_texts.py`). Kinds are held out in the column "left out", sentences in all of them.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import numpy as np
import yaml
from changed_texts import changed_texts
from real_data import CHECKOUT, data_folder, into_english
from refusals import explained

from pfsm.data import Judgments, read_judgments
from pfsm.data.minimal_pairs import MinimalPairs
from pfsm.evaluation.probe import probe
from pfsm.model.metric import Metric
from pfsm_training import train
from pfsm_training.config import config_from_dict

GROUPS: Mapping[str, tuple[str, ...]] = {
    "repeated": ("repeat-word", "repeat-word-4", "repeat-phrase"),
    "added": ("add-word", "add-phrase", "add-punctuation"),
    "dropped": (
        *("drop-word", "drop-phrase", "truncate", "empty", "drop-subject", "drop-verb", "drop-noun"),
        *("drop-adjective", "drop-prepositional-phrase", "drop-punctuation"),
    ),
    "order": ("swap-words", "shuffle-words", "role-swap", "swap-names", "swap-numbers"),
    "numbers": ("change-number", "add-number", "change-date", "unit", "quantifier"),
    "spelling": ("misspell", "drop-letter", "transpose-letters", "join-words"),
    "case": ("lower-first", "lower-name", "lower-all", "upper-all"),
    "spaces": ("tokenise", "detokenise", "change-punctuation"),
    "negation": ("drop-negation", "add-negation"),
    "verbs": ("tense", "aspect", "agreement", "modality", "question"),
    "words": ("antonym", "hypernym", "part-of-speech", "change-name", "other-text"),
    "grammar": ("pronoun", "gender", "preposition", "article"),
}


def main() -> None:
    """Trains, tests, prints a row for each group."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)} (default: all)")
    parser.add_argument("--model", default="en-small", help="settings in configs/models (default: en-small)")
    parser.add_argument("--penalty", type=float, default=5.0, help="lambda (default: 5)")
    parser.add_argument("--features", default="", help="further features, separated by commas")
    parser.add_argument("--number", type=int, default=50, help="pairs of each kind (default: 50)")
    parser.add_argument("--weight", type=float, default=0.3, help="of the pairs (default: 0.3)")
    options = parser.parse_args()
    data = data_folder()
    training = Judgments.join([read_judgments(path) for path in into_english(data / "wmt15-daseg")])
    pairs = list(changed_texts("en", data).values())[-1]
    values = yaml.safe_load(
        (CHECKOUT / "configs" / "models" / f"{options.model}.yaml").read_text(encoding="utf-8")
    )
    values["lambda"] = options.penalty
    more = list(filter(None, options.features.split(",")))
    values["features"] = list(dict.fromkeys([*values.get("features", []), *more]))
    asked = values.pop("minimal_pairs", {})
    asked = {
        **(asked if isinstance(asked, Mapping) else {}),
        "weight": options.weight,
        "number": options.number,
    }
    before = _accuracies(training, pairs, values)
    after = _accuracies(training, pairs, {**values, "minimal_pairs": asked})
    print(f"{'group':<10} no pairs  left out  all kinds", flush=True)
    rows = []
    for group in options.groups or GROUPS:
        left_out = {**asked, "except": list(GROUPS[group])}
        without = _accuracies(training, pairs, {**values, "minimal_pairs": left_out})
        rows.append([_mean(one, GROUPS[group]) for one in (before, without, after)])
        print(f"{group:<10} {'  '.join(f'{one:8.3f}' for one in rows[-1])}", flush=True)
    print(f"{'mean':<10} {'  '.join(f'{one:8.3f}' for one in np.mean(rows, axis=0))}")


def _accuracies(training: Judgments, pairs: MinimalPairs, values: Mapping[str, Any]) -> dict[str, float]:
    """Accuracy by kind of a model with these settings."""
    model = train(training, config=config_from_dict(values, "settings"), name="left-out")
    result = probe(Metric(model), pairs, n_resamples=1)
    return {kind.kind: kind.lower.value for kind in result.kinds if kind.severity != "none"}


def _mean(accuracies: Mapping[str, float], kinds: Sequence[str]) -> float:
    return float(np.mean([accuracies[kind] for kind in kinds if kind in accuracies]))


if __name__ == "__main__":
    explained(main)
