"""How often training misses the best minimum: samples of six data sets, each trained from many random weights as well.

    PFSM_DATA=… python scripts/benchmarks/optima.py [SET …] [--samples N] [--starts N] [--lambdas L …] [--sizes N …]

A miss is a training that ends more than .1% above the best objective that any start found on that sample. The default
is 17 samples of each set and size, 204 in all, with 50 random starts each; it takes a quarter of an hour of one core.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import numpy as np
import torch
from real_data import data_folder
from refusals import explained
from report import Report

from pfsm.commands.arguments import positive
from pfsm.data import Judgments, read_judgments
from pfsm_training import TrainingConfig
from pfsm_training.config import config_from_dict
from pfsm_training.data.training_set import TrainingSet, encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.fitting import Choice, Fitter
from pfsm_training.fit.starts import Minimum

SETS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "sum-realsumm": ("sum-realsumm/*", "score", {"matchers": ["punct", "word"]}),
    "wmt15-daseg": ("wmt15-daseg/*", "score", {}),
    "wmt21-mqm": ("wmt21-mqm/*", "score", {}),
    "iwslt19-enes": ("iwslt19-enes/*", "da_z", {"language": "es"}),
    "mlqe-pe en-de": ("mlqe-pe/en-de-train*", "score", {"language": "de"}),
    "mlqe-pe et-en": ("mlqe-pe/et-en-train*", "score", {}),
}
MISS = 1e-3
# Standard deviations of the random weights, in turn.
SPREADS = (0.5, 1.0, 2.0)
TOLERANCE = 1e-6


def main() -> None:
    """Misses of each start by set, size and lambda, then of all."""
    wanted = arguments()
    torch.set_num_threads(1)
    report = Report("Optima")
    totals: dict[float, Counter[str]] = {penalty: Counter() for penalty in wanted.lambdas}
    for name in wanted.sets or SETS:
        for size in wanted.sizes:
            for penalty in wanted.lambdas:
                found = misses(name, size, penalty, wanted)
                totals[penalty].update(found)
                tell(report, f"{name}, {size} judgments, lambda {penalty:g}", found)
    for penalty, found in totals.items():
        tell(report, f"all, lambda {penalty:g}", found)
    report.save()


def tell(report: Report, what: str, found: Counter[str]) -> None:
    """Notes how many trainings missed the best minimum, of how many, with each start."""
    report.note(
        {
            f"{what}: {start}, misses of {found[f'{start} of']:g}": found[start]
            for start in ("best", "matches", "zero", "random")
        }
    )


def misses(name: str, size: int, penalty: float, wanted: Namespace) -> Counter[str]:
    """How many trainings miss the best minimum, by start; under ``START of`` how many there were."""
    found: Counter[str] = Counter()
    for data, config in samples(name, size, wanted.samples):
        for start, above in ends(data, config, penalty, wanted.starts).items():
            found[start] += sum(share > MISS for share in above)
            found[f"{start} of"] += len(above)
    return found


def arguments() -> Namespace:
    """What the command line says."""
    parser = ArgumentParser(description="How often training misses the best minimum.")
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}")
    parser.add_argument("--samples", type=positive, default=17)
    parser.add_argument("--starts", type=positive, default=50)
    parser.add_argument("--lambdas", nargs="+", type=float, default=[5.0])
    parser.add_argument("--sizes", nargs="+", type=positive, default=[100, 300])
    return parser.parse_args()


def samples(name: str, size: int, number: int) -> Iterator[tuple[TrainingSet, TrainingConfig]]:
    """Random judgments of a set, encoded."""
    judgments, config = judgments_of(name), config_from_dict(SETS[name][2], name)
    for seed in range(number):
        rows = np.random.default_rng(seed).choice(len(judgments), size, replace=False)
        text = TrainingText(judgments.select(np.sort(rows)).sorted(), None, config.settings)
        yield encode_here(text), config


def judgments_of(name: str) -> Judgments:
    """All judgments of a set."""
    pattern, column, _ = SETS[name]
    files = sorted(data_folder().glob(pattern))
    return Judgments.join([read_judgments(file, column) for file in files]).sorted()


def ends(data: TrainingSet, config: TrainingConfig, penalty: float, starts: int) -> dict[str, list[float]]:
    """How far above the best objective each start ends, as a share of it."""
    objectives = {
        start: [minimum(data, replace(config, start=start), penalty)] for start in ("best", "matches", "zero")
    }
    learned = Fitter(config, None, 1, lambda *_: None).learned(data)
    random = np.random.default_rng(1)
    objectives["random"] = [
        minimum(data, config, penalty, random_start(learned, random, spread))
        for spread in np.resize(SPREADS, starts)
    ]
    lowest = min(min(found) for found in objectives.values())
    return {start: [value / lowest - 1.0 for value in found] for start, found in objectives.items()}


def random_start(learned: tuple[str, ...], random: np.random.Generator, spread: float) -> Minimum:
    """Normally distributed weights."""
    return Minimum(
        "random", dict(zip(learned, random.normal(0.0, spread, len(learned)).tolist(), strict=True))
    )


def minimum(data: TrainingSet, config: TrainingConfig, penalty: float, *starts: Minimum) -> float:
    """The objective where a training ends."""
    fitter = Fitter(config, None, 1, lambda *_: None, tolerance=TOLERANCE, starts=starts)
    fitted = fitter.fit(data, Choice(penalty), "training")
    assert fitted is not None
    return fitted.fit.objective


if __name__ == "__main__":
    explained(main)
