"""The choice of lambda, mixture and weight by cross-validation."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from pfsm.arrays import Int64
from pfsm.data import Judgments
from pfsm.data.groups import SEGMENT, group_names, shuffled
from pfsm.runtime.choice import NOISE
from pfsm.runtime.terminal import Stage
from pfsm_training.config import TrainingConfig
from pfsm_training.data.training_set import TrainingSet
from pfsm_training.fit.constraints import TrainedConstraint
from pfsm_training.fit.crossval import (
    FIRST_STEPS,
    MIXTURES,
    USUAL_MIXTURE,
    CrossValidation,
    FoldFits,
    Folds,
    choose,
    cross_validate,
    more_penalties,
    penalty_at,
)
from pfsm_training.fit.fitting import Choice, Fitted, Fitter
from pfsm_training.fit.training import AREA, place_of
from pfsm_training.options import AUTO, to_choose_from

# ``auto`` searches for lambda on so many judgments if there are more: it changes little with their number.
MOST_SEARCHED = 1000


def _searched(data: TrainingSet, folds: Folds, judgments: Judgments | None) -> tuple[TrainingSet, Folds]:
    """What ``auto`` looks for lambda on: all, or of many judgments those of enough segments, whatever their order."""
    if judgments is None or data.votes.size or data.scores.size <= MOST_SEARCHED:
        return data, folds
    names = group_names(judgments, SEGMENT)
    counts = Counter(names)
    taken: set[str] = set()
    left = MOST_SEARCHED
    for name in shuffled(names):
        if left <= 0:
            break
        taken.add(name)
        left -= counts[name]
    rows = np.flatnonzero([name in taken for name in names])
    part = data.select(rows, np.zeros(0, dtype=np.int64))
    return part, replace(folds, member=folds.member[rows])


@dataclass(frozen=True, eq=False)
class Validation:
    """Cross-validation of choices, one after the other.

    Attributes:
        fits: Fits the folds.
        constraints: Counted on what each fold holds out.
        tried: What each choice came to.
        counted: By choice and name of the constraint, the sum of what is counted in the folds.
    """

    fits: FoldFits
    constraints: Mapping[str, TrainedConstraint] = field(default_factory=dict)
    tried: list[CrossValidation] = field(default_factory=list)
    counted: dict[tuple[Choice, str], Int64] = field(default_factory=dict)

    def validate(self, choices: list[Choice]) -> None:
        """Cross-validates choices."""
        fits, folds, n_folds = self.fits, self.fits.folds, len(self.fits.folds.names)
        with Stage(AREA, "cross-validation", n_folds * len(choices), "fits") as stage:

            def fit(part: TrainingSet, choice: Choice, fold: int) -> Fitted | None:
                stage.place = f"fold {fold + 1} of {n_folds}, {place_of(choice, choices)}"
                stage.reach(fold * len(choices) + choices.index(choice), "")
                fitted = fits(part, choice, fold)
                if fitted is not None:
                    self._count(choice, fold, fitted)
                return fitted

            self.tried.extend(cross_validate(fit, fits.data, folds, choices))

    def _count(self, choice: Choice, fold: int, fitted: Fitted) -> None:
        for name, one in self.constraints.items():
            counts = one.counts(fold, fitted.machine)
            if counts is not None:
                self.counted[choice, name] = counts + self.counted.get((choice, name), 0)

    def search(self, first: Choice) -> None:
        """Cross-validates more and more lambdas until the search has ended."""
        penalties = [penalty_at(step) for step in FIRST_STEPS]
        while penalties:
            self.validate([replace(first, penalty=penalty) for penalty in penalties])
            penalties = more_penalties(self.tried)

    def chosen(self) -> CrossValidation:
        """The best choice, by the rule of the configuration."""
        return choose_weight(self.tried, len(self.fits.folds.names), self.fits.fitter.config.lambda_rule)


def validated(
    fitter: Fitter,
    data: TrainingSet,
    folds: Folds,
    judgments: Judgments | None,
    constraints: Mapping[str, TrainedConstraint],
) -> tuple[CrossValidation, Validation]:
    """Cross-validate the given lambda, mixture and weight of pairs, or those to choose from: the best, and all."""
    config = fitter.config
    others = _others(config, constraints, both=bool(data.scores.size and data.votes.size))
    search, searched = config.penalty == AUTO, _searched(data, folds, judgments)
    in_part = searched[0] is not data
    # Many judgments: lambdas differ by more than the last steps of a fit bring.
    compared = fitter.rough() if search and in_part else fitter.quick()
    fits = FoldFits(compared, data, folds, lambda one: f"cross-validation, {_named(one, others)}", search)
    every = Validation(fits, constraints)
    if not search:
        given = to_choose_from(config.penalty, ())
        every.validate([replace(one, penalty=penalty) for one in others for penalty in given])
        return every.chosen(), every
    others.sort(key=lambda one: (one.weight, abs(one.mixture - USUAL_MIXTURE)))
    if in_part:
        every.validate(_near_best_of(searched, fitter, fits, others[0]))
    else:
        every.search(others[0])
    if not any(math.isfinite(one.mean) for one in every.tried) and config.mixture != AUTO:
        del every.tried[1:]
        return every.tried[0], every  # too few judgments to choose by
    best = choose(every.tried, len(folds.names), config.lambda_rule).choice.penalty
    if others[1:]:
        every.validate([replace(one, penalty=best) for one in others[1:]])
    return every.chosen(), every


def _near_best_of(
    part: tuple[TrainingSet, Folds], fitter: Fitter, fits: FoldFits, first: Choice
) -> list[Choice]:
    """Lambdas to compare on all data: the best on a part, a tenth of it, as more data bear less, and the paper's."""
    constraints = [one.sampled() for one in fitter.constraints]
    rough = replace(fitter.rough(), constraints=constraints)
    search = Validation(
        FoldFits(rough, *part, lambda one: f"{fits.named(one)}, a part of the data", path=True)
    )
    search.search(first)
    best = search.chosen().choice.penalty
    return [replace(first, penalty=one) for one in sorted({best, best / 10.0, penalty_at(0)}, reverse=True)]


def _others(
    config: TrainingConfig, constraints: Mapping[str, TrainedConstraint], *, both: bool
) -> list[Choice]:
    """All mixtures (with scores and preferences together) and weights of pairs to choose from, whatever lambda is."""
    mixtures: tuple[float, ...] = (0.0,)
    if both:
        mixtures = MIXTURES if config.mixture == AUTO else (float(config.mixture),)
    weights = [weight for one in constraints.values() for weight in one.weights] or [0.0]
    return [Choice(0.0, mixture, weight) for weight, mixture in product(weights, mixtures)]


def _named(choice: Choice, among: Sequence[Choice]) -> str:
    parts = [f"lambda {choice.penalty:g}"]
    if len({one.mixture for one in among}) > 1:
        parts.append(f"mixture {choice.mixture:g}")
    if len({one.weight for one in among}) > 1:
        parts.append(f"weight {choice.weight:g}")
    return ", ".join(parts)


def choose_weight(tried: Sequence[CrossValidation], n_folds: int, rule: str) -> CrossValidation:
    """The largest weight of the pairs with which the agreement with people does not fall beyond chance.

    Each weight stands for its best lambda and mixture. Compared with the smallest weight, fold by fold, the mean of the
    differences may be at most one standard error below 0.

    Args:
        tried: The result of each choice.
        n_folds: As in `pfsm_training.fit.crossval.choose`.
        rule: As there.

    Raises:
        PfsmError: As `pfsm_training.fit.crossval.choose`.
    """
    weights = sorted({one.choice.weight for one in tried})
    of_weights = [choose([one for one in tried if one.choice.weight == w], n_folds, rule) for w in weights]
    kept = of_weights[0]
    for one in of_weights[1:]:
        if not _has_fallen(of_weights[0].folds, one.folds):
            kept = one
    return kept


def _has_fallen(before: Mapping[str, float], after: Mapping[str, float]) -> bool:
    differences = [after[name] - before[name] for name in before if name in after]
    if not differences or len(after) < len(before):
        return True
    mean = math.fsum(differences) / len(differences)
    if len(differences) < 2:
        return mean < -NOISE
    return mean < -NOISE - float(np.std(differences, ddof=1)) / math.sqrt(len(differences))
