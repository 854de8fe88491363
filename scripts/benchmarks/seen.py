"""What single states, matchers and features add to the settings of ``en-fast``, each by itself.

    PFSM_DATA=… python scripts/benchmarks/seen.py [--pairs] [NAME …]

Each model is trained on direct assessment of WMT15 and WMT16 at lambda 5, without pairs made on purpose or with
``--pairs`` at weight .3. Printed are the mean Pearson's r of the cross-validation over source languages, and for the
contrast tests and the texts that cards of models are made from (`scripts/changed_texts.py`) the mean accuracy over
kinds, the median loss of harmless changes as a share of that of critical errors, and the accuracy of single kinds.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import yaml
from build_models import once
from changed_texts import changed_texts
from real_data import CHECKOUT, data_folder, into_english
from refusals import explained

from pfsm.data import Judgments, read_judgments
from pfsm.data.minimal_pairs import MinimalPairs, shipped_minimal_pairs
from pfsm.evaluation.probe import probe
from pfsm.model.metric import Metric
from pfsm_training import train
from pfsm_training.config import config_from_dict

BEFORE = ["punct", "word", "lemma", "syn", "para", "char", "emb"]
FEATURES = ["chrf", "length_ratio", "length", "kept.repeats", "kept.negation-en", "kept.spaces", "kept.start"]
BASE: Mapping[str, Any] = {
    "matchers": BEFORE,
    "max_block": {"para": 2},
    "split": ["Insert", "Delete", "S_word"],
    "features": FEATURES,
    "normalisation": "none",
}
"""The settings of ``en-fast`` before."""


def _with(*matchers: str, **blocks: int) -> dict[str, Any]:
    """Matchers behind that of words."""
    return {"matchers": [*BEFORE[:2], *matchers, *BEFORE[2:]], "max_block": {"para": 2, **blocks}}


ROWS: Mapping[str, Mapping[str, Any]] = {
    "nothing": {},
    "Insert:repeat": {"split": [*BASE["split"], "Insert:repeat"]},
    "swap": _with("swap"),
    "morph": _with("morph"),
    "num": _with("num", num=4),
    "quantity": _with("quantity", quantity=5),
    "facts-en": {"features": [*FEATURES, "kept.facts-en"]},
    "typewriter": {"normalisation": "typewriter"},
    "all but swap": {
        **_with("num", "quantity", "morph", num=4, quantity=5),
        "split": [*BASE["split"], "Insert:repeat"],
        "features": [*FEATURES, "kept.facts-en"],
        "normalisation": "typewriter",
    },
}
"""What is set otherwise than in `BASE`."""
KINDS = (
    "number",
    "unit",
    "tense",
    "role",
    "change-number",
    "unit",
    "repeat-phrase",
    "gender",
    "modality",
    "contraction",
)


def main() -> None:
    """Trains, tests, prints a row for each model."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ROWS)} (default: all)")
    parser.add_argument("--pairs", action="store_true", help="train on pairs made on purpose as well")
    options = parser.parse_args()
    data = data_folder()
    files = [path for year in ("wmt15-daseg", "wmt16-daseg") for path in into_english(data / year)]
    training = once(Judgments.join([read_judgments(path) for path in files]))
    texts = {"contrast tests": shipped_minimal_pairs(), **changed_texts("en", data)}
    for name in options.names or ROWS:
        model = train(training, config=config_from_dict(_settings(name, options.pairs), name), name=name)
        print(f"{name}: cross-validated r {model.training['cross_validated']['pearson']:.4f}", flush=True)
        for about, pairs in texts.items():
            print(f"  {about}: {_noticed(Metric(model), pairs)}", flush=True)


def _settings(name: str, pairs: bool) -> dict[str, Any]:
    shipped = yaml.safe_load((CHECKOUT / "configs" / "models" / "en-fast.yaml").read_text(encoding="utf-8"))
    learned = shipped.pop("minimal_pairs")
    with_pairs = {"minimal_pairs": {**learned, "weight": 0.3}} if pairs else {}
    return {**shipped, **BASE, **ROWS[name], "lambda": 5, **with_pairs}


def _noticed(metric: Metric, pairs: MinimalPairs) -> str:
    result = probe(metric, pairs, n_resamples=1)
    shares = {kind.kind: kind.lower.value for kind in result.kinds}
    kinds = ", ".join(f"{kind} {shares[kind]:.2f}" for kind in dict.fromkeys(KINDS) if kind in shares)
    cost = f", harmless {result.severity.harmless_share.value:.2f}" if result.severity else ""
    return f"mean of kinds {result.mean_of_kinds:.3f}{cost}; {kinds}"


if __name__ == "__main__":
    explained(main)
