"""The training option ``minimal_pairs``: the faulty side of a pair must score below the other, by its severity.

With ``D_k`` the difference of the predictions for the better and the worse side of pair k, in standard deviations of
the scores, ``m_k`` the margin of its severity, and ``s`` the scale, the objective gets in addition

    weight * n_people / n_pairs * sum_k s log(1 + exp((m_k - D_k) / s))

For a pair of severity ``none`` the sum has two terms of margin 0, one for each way round; their least value is where
both sides score the same. `pfsm_training.loss.objective.PairwiseLogistic` is the loss.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pfsm.arrays import Float, Int64
from pfsm.model.settings import Settings
from pfsm.runtime.choice import NOISE
from pfsm_training.data.minimal_pairs import PairsToLearn
from pfsm_training.data.moments import finite
from pfsm_training.data.training_set import Encoder
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.crossval import CrossValidation, Folds, choose
from pfsm_training.fit.edit_cost import Bool, Data, MadePairs, as_preferences, folds_of_references, in_folds
from pfsm_training.fit.fitting import Choice
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import PairwiseLogistic, Term
from pfsm_training.options import MinimalPairsOptions

WEIGHTS = (0.0, 0.1, 0.3, 1.0)


@dataclass(frozen=True, eq=False)
class MinimalPairsPart(MadePairs):
    """Minimal pairs; those of severity ``none`` stand here both ways round.

    Attributes:
        margins: float64 [n], in standard deviations of the scores.
        kinds: int64 [n], numbers of ``names``; -1 for harmless pairs.
        names: The kinds of faults.
        scale: s, in standard deviations of the scores.
    """

    columns = ("margins", "kinds")

    margins: Float
    kinds: Int64
    names: tuple[str, ...]
    scale: float

    def term(self, choice: Choice, people: float, unit: float) -> Term | None:
        """The loss of the pairs."""
        if not len(self) or not choice.weight:
            return None
        factor = choice.weight * people / len(self) * self.scale * unit**2
        slope, margins = 1.0 / (self.scale * unit), self.margins * unit
        votes = np.full(len(self), factor)
        return self.data.term(PairwiseLogistic(self.data.better, self.data.worse, votes, slope, margins))

    def lower(self, machine: LogLinearMachine) -> Int64:
        """By kind of fault, in how many pairs the worse side scores lower, and all pairs: int64 [2, n_kinds]."""
        faulty = self.kinds >= 0
        if not faulty.any():
            return np.zeros((2, len(self.names)), dtype=np.int64)
        predictions = self.data.predictions(machine)
        seen = faulty & (predictions[self.data.worse] < predictions[self.data.better])
        return np.array([np.bincount(self.kinds[rows], minlength=len(self.names)) for rows in (seen, faulty)])


@dataclass(frozen=True, eq=False)
class PairsText:
    """Minimal pairs as training text; those of severity ``none`` stand here both ways round.

    Attributes:
        text: Each pair as a preference of the side that is better.
        in_fold: bool [n, n_folds], the folds that hold out the reference of a pair, or its better side.
        margins: As in `MinimalPairsPart`.
        kinds: As there.
        names: As there.
        scale: As there.
    """

    text: TrainingText
    in_fold: Bool
    margins: Float
    kinds: Int64
    names: tuple[str, ...]
    scale: float

    def __len__(self) -> int:
        return self.margins.size

    def to_train(self, encoder: Encoder) -> MinimalPairsPart:
        """The pairs with their lattices.

        Args:
            encoder: Builds lattices.
        """
        return MinimalPairsPart(
            encoder(self.text), self.in_fold, self.margins, self.kinds, self.names, self.scale
        )


def minimal_pairs_text(
    pairs: PairsToLearn,
    sources: Data,
    settings: Settings,
    options: MinimalPairsOptions,
    folds: Folds,
) -> PairsText:
    """Minimal pairs as training text.

    Args:
        pairs: The pairs.
        sources: The training data.
        settings: Settings with nothing left to learn.
        options: Scale and margins.
        folds: The folds of the data.
    """
    rows = list(pairs.pairs)
    turned = [pair for pair in rows if pair.is_harmless]
    references = [pair.references for pair in (*rows, *turned)]
    preferences = as_preferences(
        references,
        [*(pair.better for pair in rows), *(pair.worse for pair in turned)],
        [*(pair.worse for pair in rows), *(pair.better for pair in turned)],
        settings,
    )
    names = tuple(sorted({pair.kind for pair in rows if not pair.is_harmless}))
    number = {name: at for at, name in enumerate(names)}
    kinds = [-1 if pair.is_harmless else number[pair.kind] for pair in (*rows, *turned)]
    lines = [(*pair.references, pair.better) for pair in (*rows, *turned)]
    return PairsText(
        TrainingText(None, preferences, settings),
        in_folds(lines, folds_of_references(sources, folds), folds),
        np.array([options.margins[pair.severity] for pair in (*rows, *turned)], dtype=np.float64),
        np.array(kinds, dtype=np.int64),
        names,
        options.scale,
    )


def choose_with_pairs(tried: Sequence[CrossValidation], n_folds: int, rule: str) -> CrossValidation:
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


def minimal_pairs_record(
    pairs: PairsToLearn | None,
    part: MinimalPairsPart | None,
    options: MinimalPairsOptions | None,
    validated: CrossValidation,
    tried: Sequence[CrossValidation],
    lower: Int64 | None,
) -> dict[str, Any]:
    """For the record of a training: what the pairs were, how they weighed, and how many were seen where held out."""
    if pairs is None or part is None or options is None:
        return {}
    chosen = validated.choice
    weights = {
        f"{one.choice.weight:g}": finite(one.mean)
        for one in tried
        if (one.choice.penalty, one.choice.mixture) == (chosen.penalty, chosen.mixture)
    }
    made: dict[str, Any] = {"of": list(options.of)}
    if "hypothesis" in options.of:
        made["top"] = options.top
    made |= {"number": options.number, "seed": options.seed}
    seen = [] if lower is None else zip(part.names, *lower.tolist(), strict=True)
    return {
        "minimal_pairs": {
            "pairs": len(pairs.pairs),
            "files": [{"name": one.name, "rows": one.rows, "sha256": one.checksum} for one in pairs.sources],
            "sha256": pairs.digest,
            **({} if options.kinds is None else {"made": made}),
            **({"except": list(options.without)} if options.without else {}),
            **({"crossed": True} if options.crossed else {}),
            "weight": chosen.weight,
            **({"weight_tried": weights} if len(weights) > 1 else {}),
            "scale": options.scale,
            "margins": dict(options.margins),
            "held_out_lower": {name: round(right / every, 4) for name, right, every in seen if every},
        }
    }
