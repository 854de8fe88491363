"""The cost of each kind of knowledge in scoring: pairs per second with one more matcher, split or feature at a time.

Scores WMT16 direct assessment into English from text (`Metric.score_pairs`), on one core, warm, in processor time. The
weights do not matter here and are hand-set. All kinds are timed in turn, round after round, so that a slow minute of
the machine affects all of them. METEOR's table is measured if the extra ``paraphrases`` is installed.

    PFSM_DATA=… python scripts/benchmarks/knowledge.py
"""

import statistics
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from real_data import data_folder, into_english
from stopwatch import machine, one_core

from pfsm import Metric
from pfsm.data import Judgments, read_judgments
from pfsm.model.file import Model, model_from_dict

ROUNDS = 5
BASE = ["punct", "word", "lemma"]
PARA: dict[str, Any] = {"bins": [-2.0, -1.0, 0.0]}
WEIGHTS = {
    "Insert": -0.5,
    "Delete": -1.0,
    "S_word": 1.5,
    "S_lemma": 1.0,
    "S_syn": 0.7,
    "S_para": 0.7,
    "S_char": 0.3,
}
SOURCES: dict[str, dict[str, Any]] = {
    "words, stems, punctuation": {"matchers": BASE},
    "+ synonyms": {"matchers": [*BASE, "syn"]},
    "+ paraphrases (learned-en)": {
        "matchers": [*BASE, "para"],
        "options": {"para": PARA},
        "max_block": {"para": 2},
    },
    "+ paraphrases (meteor-en)": {
        "matchers": [*BASE, "para"],
        "options": {"para": {"table": "meteor-en", **PARA}},
        "max_block": {"para": 2},
    },
    "+ word classes": {"matchers": BASE, "split": ["Insert", "Delete"]},
    "+ spelling": {"matchers": [*BASE, "char"]},
    "+ all that ships": {
        "matchers": [*BASE, "syn", "para", "char"],
        "options": {"para": PARA},
        "max_block": {"para": 2},
        "split": ["Insert", "Delete"],
    },
    "+ all, meteor-en too": {
        "matchers": [*BASE, "syn", "para", "char"],
        "options": {"para": {"table": ["meteor-en", "learned-en"], **PARA}},
        "max_block": {"para": 2},
        "split": ["Insert", "Delete"],
    },
    "+ all that ships, jumps of 5": {
        "matchers": [*BASE, "syn", "para", "char"],
        "options": {"para": PARA},
        "max_block": {"para": 2},
        "split": ["Insert", "Delete"],
        "max_jump": 5,
    },
    "words, stems, punctuation + feature chrf": {
        "matchers": BASE,
        "features": {"chrf": {"mean": 50.0, "sd": 15.0}},
    },
}


def main() -> None:
    """Times every kind in turn; prints pairs per second, and the additional cost of a pair over the base."""
    judgments = Judgments.join([read_judgments(path) for path in into_english(data_folder() / "wmt16-daseg")])
    one_core()
    print(machine())
    print(f"{len(judgments)} pairs, median of {ROUNDS} rounds")
    metrics = {
        name: Metric(model(settings), 1) for name, settings in SOURCES.items() if is_possible(settings)
    }
    seconds: dict[str, list[float]] = {name: [] for name in metrics}
    for number in range(ROUNDS + 1):
        for name, metric in metrics.items():
            start = time.process_time()
            metric.score_pairs(judgments.hypotheses, judgments.references)
            if number:  # the first round compiles and fills caches
                seconds[name].append(time.process_time() - start)
    base = statistics.median(seconds["words, stems, punctuation"])
    print(f"{'':42} {'pairs/s':>9} {'more, us a pair':>16}")
    for name, values in seconds.items():
        median = statistics.median(values)
        print(f"{name:42} {len(judgments) / median:9,.0f} {(median - base) / len(judgments) * 1e6:16.0f}")


def model(settings: dict[str, Any]) -> Model:
    """A model with hand-set weights and these settings."""
    weights = dict(WEIGHTS)
    if "features" in settings:
        weights["feature:chrf"] = 0.5
    content = {
        "format": "pfsm-model-1",
        "name": "benchmark",
        "settings": {"language": "en", **settings},
        "weights": weights,
        "alpha": 0.0,
        "scale": {"mean": 0, "sd": 1},
        "training": {},
        "licence": "Apache-2.0",
    }
    return model_from_dict(content, "benchmark")


def is_possible(settings: dict[str, Any]) -> bool:
    """Whether the resources of the settings are installed."""
    return "meteor-en" not in str(settings) or find_spec("pycocoevalcap") is not None


if __name__ == "__main__":
    main()
