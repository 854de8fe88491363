"""Whether cross-validation on one half of a data set chooses a lambda that is good for the other half.

    PFSM_DATA=… python scripts/benchmarks/lambdas.py [SET …] [--size N]

Each set is divided by segment into two halves. On one half, ``lambda: auto`` chooses by either rule. With every lambda
of the grid a model is then trained on that half and correlated with the scores of the other, by Pearson's r within each
source language, averaged; both ways round. The loss is the highest such r less that of the choice: what was lost by not
knowing the other half; with a 95% interval over resamples of the other half's segments. ``--size`` takes so many
judgments of each half at most.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import numpy as np
import torch
from numpy.typing import NDArray
from optima import SETS, judgments_of
from refusals import explained
from report import Report

from pfsm.commands.arguments import positive
from pfsm.data import Judgments
from pfsm.evaluation import pearson
from pfsm_training import TrainingConfig
from pfsm_training.config import LAMBDA_RULES, config_from_dict
from pfsm_training.data.training_set import encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.crossval import PENALTIES, CrossValidation, choose, cross_validate, make_folds
from pfsm_training.fit.fitting import Choice, Fitter
from pfsm_training.fit.fold_fits import FoldFits

Rows = NDArray[np.int64]
Float = NDArray[np.float64]
RESAMPLES = 500


def main() -> None:
    """The choices and losses of each half of each set, then the largest loss of each rule."""
    wanted = arguments()
    torch.set_num_threads(1)
    report = Report("Lambdas")
    losses: dict[str, list[float]] = defaultdict(list)
    for name in wanted.sets or SETS:
        config = config_from_dict(SETS[name][2], name)
        for place, (own, other) in enumerate(halves(judgments_of(name), wanted.size)):
            shown = f"{name}, half {place + 1}"
            tried, predicted = on_halves(own, other, config)
            reached = {penalty: mean_r(other, scores) for penalty, scores in predicted.items()}
            best = max(reached, key=lambda penalty: reached[penalty])
            report.note({f"{shown}: judgments": len(own)})
            for one in tried:
                penalty = one.choice.penalty
                facts = {"cross-validated r": one.mean, "r on the other": reached[penalty]}
                report.note({f"{shown}, lambda {penalty:g}: {key}": r for key, r in facts.items()})
            for rule in LAMBDA_RULES:
                penalty = choose(tried, len(tried[0].folds), rule).choice.penalty
                losses[rule].append(reached[best] - reached[penalty])
                low, high = interval(other, predicted[best], predicted[penalty])
                facts = {"lambda": penalty, "loss": losses[rule][-1], "loss, low": low, "loss, high": high}
                report.note({f"{shown}, {rule}: {key}": value for key, value in facts.items()})
    for rule, lost in losses.items():
        report.note(
            {f"all, {rule}: largest loss": max(lost), f"all, {rule}: mean loss": float(np.mean(lost))}
        )
    report.save()


def arguments() -> Namespace:
    """What the command line says."""
    parser = ArgumentParser(description="Whether lambda, chosen on one half, is good for the other half.")
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}")
    parser.add_argument("--size", type=positive, default=2**31)
    return parser.parse_args()


def halves(judgments: Judgments, size: int) -> Iterator[tuple[Judgments, Judgments]]:
    """A random half of the segments and the other, then the other way round."""
    segments = sorted(set(judgments.references))
    chosen = np.random.default_rng(0).permutation(len(segments))[: len(segments) // 2]
    first = {segments[place] for place in chosen}
    inside = np.array([reference in first for reference in judgments.references])
    parts = [judgments.select(some(np.flatnonzero(side), size)).sorted() for side in (inside, ~inside)]
    yield parts[0], parts[1]
    yield parts[1], parts[0]


def some(rows: Rows, size: int) -> Rows:
    """At most ``size`` of the rows, chosen at random."""
    return np.sort(np.random.default_rng(1).permutation(rows)[:size])


def on_halves(
    own: Judgments, other: Judgments, config: TrainingConfig
) -> tuple[list[CrossValidation], dict[float, Float]]:
    """What cross-validation on one half says of each lambda, and the predictions of its model for the other half."""
    text = TrainingText(own, None, config.settings)
    data, rest = encode_here(text), encode_here(TrainingText(other, None, text.settings))
    fitter, folds = Fitter(config, None, 1, lambda *_: None), make_folds(own)
    choices = [Choice(penalty) for penalty in PENALTIES]
    fits = FoldFits(fitter.quick(), data, folds, dict.fromkeys(choices, "cross-validation"))
    predicted = {}
    for choice in choices:
        fitted = fitter.fit(data, choice, "training")
        assert fitted is not None
        predicted[choice.penalty] = fitted.predict(rest)
    return cross_validate(fits, data, folds, choices), predicted


def interval(judgments: Judgments, best: Float, choice: Float) -> tuple[float, float]:
    """95% of the difference between two predictions' r, over resamples of the segments."""
    random = np.random.default_rng(0)
    segments = np.unique(np.array(judgments.references), return_inverse=True)[1]
    rows = [np.flatnonzero(segments == segment) for segment in range(int(segments.max()) + 1)]
    differences = []
    for _ in range(RESAMPLES):
        drawn = np.concatenate([rows[place] for place in random.integers(0, len(rows), len(rows))])
        part = judgments.select(drawn)
        differences.append(mean_r(part, best[drawn]) - mean_r(part, choice[drawn]))
    low, high = np.percentile(differences, (2.5, 97.5))
    return float(low), float(high)


def mean_r(judgments: Judgments, predicted: Float) -> float:
    """Pearson's r within each source language, averaged."""
    languages = np.array(judgments.columns.get("source_lang", [""] * len(judgments)))
    groups = [languages == language for language in sorted(set(languages.tolist()))]
    return float(np.mean([pearson(predicted[own], judgments.scores[own]) for own in groups]))


if __name__ == "__main__":
    explained(main)
