"""The training option ``minimal_pairs``: the faulty side of a pair must score below the other, by its severity.

With ``D_k`` the difference of the predictions for the better and the worse side of pair k, in standard deviations of
the scores, ``m_k`` the margin of its severity, and ``s`` the scale, the objective gets in addition

    weight * n_people / n_pairs * sum_k s log(1 + exp((m_k - D_k) / s))

For a pair of severity ``none`` the sum has two terms of margin 0, one for each way round; their least value is where
both sides score the same. `pfsm_training.loss.objective.PairwiseLogistic` is the loss.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pfsm.arrays import Float, Int64
from pfsm.model.settings import Settings
from pfsm.runtime.terminal import Stage
from pfsm_training.data.minimal_pairs import PairsToLearn, pairs_to_learn
from pfsm_training.data.moments import finite
from pfsm_training.data.training_set import Encoder
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.constraints import (
    Bool,
    Ending,
    MadePairs,
    as_preferences,
    folds_of_references,
    in_folds,
)
from pfsm_training.fit.crossval import Folds
from pfsm_training.fit.fitting import Choice
from pfsm_training.fit.plan import Data, Plan
from pfsm_training.fit.training import AREA, PATIENCE
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import PairwiseLogistic, Term
from pfsm_training.options import MinimalPairsOptions, to_choose_from

WEIGHTS = (0.0, 0.1, 0.3, 1.0)


@dataclass(frozen=True, eq=False)
class MinimalPairsPart(MadePairs):
    """Minimal pairs; those of severity ``none`` stand here both ways round.

    Attributes:
        margins: float64 [n], in standard deviations of the scores.
        kinds: int64 [n], numbers of ``names``; -1 for harmless pairs.
        names: The kinds of faults.
        pairs: All of them, each once.
        options: What was asked for.
    """

    columns = ("margins", "kinds")

    margins: Float
    kinds: Int64
    names: tuple[str, ...]
    pairs: PairsToLearn
    options: MinimalPairsOptions

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights that cross-validation chooses from."""
        return to_choose_from(self.options.weight, WEIGHTS)

    def term(self, choice: Choice, people: float, unit: float) -> Term | None:
        """The loss of the pairs."""
        if not len(self) or not choice.weight:
            return None
        scale = self.options.scale
        factor = choice.weight * people / len(self) * scale * unit**2
        slope, margins = 1.0 / (scale * unit), self.margins * unit
        votes = np.full(len(self), factor)
        return self.data.term(PairwiseLogistic(self.data.better, self.data.worse, votes, slope, margins))

    def counts(self, fold: int, machine: LogLinearMachine) -> Int64:
        """Count, by kind of fault, the pairs whose worse side scores lower, and all pairs: int64 [2, n_kinds]."""
        held = self.held_out(fold)
        faulty = held.kinds >= 0
        if not faulty.any():
            return np.zeros((2, len(self.names)), dtype=np.int64)
        predictions = held.data.predictions(machine)
        seen = faulty & (predictions[held.data.worse] < predictions[held.data.better])
        return np.array([np.bincount(held.kinds[rows], minlength=len(self.names)) for rows in (seen, faulty)])

    def record(self, ending: Ending) -> dict[str, Any]:
        """Return what the pairs were, how they weighed, and how many were seen where held out."""
        options, chosen = self.options, ending.validated.choice
        weights = {
            f"{one.choice.weight:g}": finite(one.mean)
            for one in ending.tried
            if (one.choice.penalty, one.choice.mixture) == (chosen.penalty, chosen.mixture)
        }
        made: dict[str, Any] = {"of": list(options.of)}
        if "hypothesis" in options.of:
            made["top"] = options.top
        made |= {"number": options.number, "seed": options.seed}
        seen = [] if ending.counted is None else zip(self.names, *ending.counted.tolist(), strict=True)
        files = self.pairs.sources
        return {
            "minimal_pairs": {
                "pairs": len(self.pairs.pairs),
                "files": [{"name": one.name, "rows": one.rows, "sha256": one.checksum} for one in files],
                "sha256": self.pairs.digest,
                **({} if options.kinds is False else {"made": made}),
                **({"except": list(options.without)} if options.without else {}),
                **({"crossed": True} if options.crossed else {}),
                "weight": chosen.weight,
                **({"weight_tried": weights} if len(weights) > 1 else {}),
                "scale": options.scale,
                "margins": options.margins.by_severity(),
                "held_out_lower": {name: round(right / every, 4) for name, right, every in seen if every},
            }
        }


@dataclass(frozen=True, eq=False)
class PairsText:
    """Minimal pairs as training text; those of severity ``none`` stand here both ways round.

    Attributes:
        pairs: All of them, each once.
        options: What was asked for.
        text: Each pair as a preference of the side that is better.
        in_fold: bool [n, n_folds], the folds that hold out the reference of a pair, or its better side.
        margins: As in `MinimalPairsPart`.
        kinds: As there.
        names: As there.
    """

    pairs: PairsToLearn
    options: MinimalPairsOptions
    text: TrainingText
    in_fold: Bool
    margins: Float
    kinds: Int64
    names: tuple[str, ...]

    def __len__(self) -> int:
        return self.margins.size

    @property
    def digest(self) -> str:
        """SHA-256 of the pairs."""
        return self.pairs.digest

    def to_train(self, encoder: Encoder, settings: Settings) -> MinimalPairsPart:  # noqa: ARG002
        """The pairs with their lattices, under the settings of their own text."""
        data = encoder(self.text)
        return MinimalPairsPart(
            data, self.in_fold, self.margins, self.kinds, self.names, self.pairs, self.options
        )


def prepare(asked: MinimalPairsOptions, plan: Plan, text: TrainingText) -> PairsText:
    """As `pfsm_training.fit.constraints.Kind`.

    Raises:
        PfsmError: As `pfsm_training.data.minimal_pairs.pairs_to_learn`.
    """
    with Stage(AREA, "minimal pairs", patience=PATIENCE):
        pairs = pairs_to_learn(plan.data, text.settings.language, asked, plan.processes, plan.weights)
    return minimal_pairs_text(pairs, plan.data, text.settings, asked, plan.folds)


def minimal_pairs_text(
    pairs: PairsToLearn,
    sources: Data,
    settings: Settings,
    options: MinimalPairsOptions,
    folds: Folds,
) -> PairsText:
    """Minimal pairs as training text."""
    rows, margins = list(pairs.pairs), options.margins.by_severity()
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
        pairs,
        options,
        TrainingText(None, preferences, settings),
        in_folds(lines, folds_of_references(sources, folds), folds),
        np.array([margins[pair.severity] for pair in (*rows, *turned)], dtype=np.float64),
        np.array(kinds, dtype=np.int64),
        names,
    )
