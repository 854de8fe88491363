"""What the features ``kept.…`` and the matcher ``num`` add to the settings of ``en-fast``, each by itself.

    PFSM_DATA=… python scripts/benchmarks/kept.py [NAME …]

Each model is trained on WMT15 direct assessment at lambda 5. Printed are the mean Pearson's r over the source languages
of WMT16, and for the texts that cards of models are made from (`scripts/changed_texts.py`) the mean accuracy over kinds
of changes, the median loss of harmless changes as a share of that of critical errors, and the accuracy of single kinds.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import numpy as np
import yaml
from changed_texts import changed_texts
from real_data import CHECKOUT, data_folder, into_english
from refusals import explained
from seen import BASE

from pfsm.data import Judgments, read_judgments
from pfsm.evaluation import pearson
from pfsm.evaluation.probe import probe
from pfsm.model.metric import Metric
from pfsm_training import train
from pfsm_training.config import config_from_dict

NUMBERS = {
    "matchers": ["punct", "word", "lemma", "num", "syn", "para", "char", "emb"],
    "max_block": {"para": 2, "num": 4},
}
ROWS: Mapping[str, tuple[Mapping[str, Any], tuple[str, ...]]] = {
    "nothing": ({}, ()),
    "repeats": ({}, ("kept.repeats",)),
    "case": ({}, ("kept.case",)),
    "numbers": ({}, ("kept.numbers",)),
    "numbers-en": ({}, ("kept.numbers-en",)),
    "negation-en": ({}, ("kept.negation-en",)),
    "num": (NUMBERS, ()),
    "spaces": ({}, ("kept.spaces",)),
    "start": ({}, ("kept.start",)),
    "repeats, negation-en, spaces, start": (
        {},
        ("kept.repeats", "kept.negation-en", "kept.spaces", "kept.start"),
    ),
    "num, repeats, negation-en": (NUMBERS, ("kept.repeats", "kept.negation-en")),
}
"""Settings beside those of ``en-fast`` as it was, and features."""
KINDS = (
    "repeat-word", "lower-first", "tokenise", "change-number", "add-number", "drop-negation", "add-negation",
)  # fmt: skip


def main() -> None:
    """Trains, tests, prints a row for each model."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ROWS)} (default: all)")
    names = parser.parse_args().names or list(ROWS)
    data = data_folder()
    training = Judgments.join([read_judgments(path) for path in into_english(data / "wmt15-daseg")])
    tests = [read_judgments(path) for path in into_english(data / "wmt16-daseg")]
    texts = changed_texts("en", data)
    for name in names:
        more, features = ROWS[name]
        shipped = yaml.safe_load(
            (CHECKOUT / "configs" / "models" / "en-fast.yaml").read_text(encoding="utf-8")
        )
        del shipped["minimal_pairs"]
        others = [feature for feature in BASE["features"] if not feature.startswith("kept.")]
        values = {**shipped, **BASE, **more, "lambda": 5, "features": [*others, *features]}
        metric = Metric(train(training, config=config_from_dict(values, name), name=name))
        correlations = [
            pearson(metric.score_pairs(one.hypotheses, one.references), one.scores) for one in tests
        ]
        print(f"{name}: WMT16 mean r {np.mean(correlations):.4f}", flush=True)
        for about, pairs in texts.items():
            result = probe(metric, pairs, n_resamples=1)
            shares = {kind.kind: kind.lower.value for kind in result.kinds}
            kinds = ", ".join(f"{kind} {shares[kind]:.2f}" for kind in KINDS)
            cost = result.severity.harmless_share.value if result.severity else float("nan")
            print(
                f"  {about}: mean of kinds {result.mean_of_kinds:.3f}, harmless {cost:.2f}; {kinds}",
                flush=True,
            )


if __name__ == "__main__":
    explained(main)
