"""The training option ``weights``: how much each judgment counts."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.errors import PfsmError
from pfsm.runtime.yaml_keys import WEIGHTS
from pfsm_training.plain_values import number

KEY = "weights"
LARGEST_NOISE = 1e6
# Beyond these, sums lose the digits of other judgments. Zero leaves a judgment out.
LEAST_WEIGHT, LARGEST_WEIGHT = 1e-6, 1e6


@dataclass(frozen=True)
class WeightOptions:
    """Where the weights of judgments come from.

    With `rater_noise` k, a mean over n raters counts as ``n / (n + k)`` judgments by very many raters. That is the
    precision of its score: k is the variance of one rater's noise in units of the variance of the errors that a model
    would make if there were no such noise. With k = (1 - r) / r it is the reliability of the mean by the formula of
    Spearman (1910) and Brown (1910), r being that of one rater.

    Attributes:
        column: The column of the judgments that holds a number of raters or a weight.
        rater_noise: k; None: the column holds the weights themselves.
    """

    column: str
    rater_noise: float | None = None

    def of(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights, float64 [n], from the numbers of the column."""
        if self.rater_noise is None:
            return numbers
        nothing = np.zeros(numbers.size)
        return np.divide(numbers, numbers + self.rater_noise, out=nothing, where=numbers > 0.0)

    def to_dict(self) -> dict[str, object]:
        """For the record of a model file."""
        noise = {} if self.rater_noise is None else {"rater_noise": self.rater_noise}
        return {"column": self.column, **noise}


def weights_option(value: object, where: str) -> WeightOptions | None:
    """``false``, the name of a column, or a mapping of options.

    Raises:
        PfsmError: If it is none of these.
    """
    if value is False:
        return None
    if isinstance(value, str) and value:
        return WeightOptions(value)
    if not isinstance(value, Mapping) or not isinstance(value.get("column"), str) or not value["column"]:
        raise PfsmError(
            f"{where}: {KEY} is {value!r}, it must be false, the name of a column, or {{column: NAME, rater_noise: K}}"
        )
    for key in value:
        if key not in WEIGHTS:
            raise PfsmError(f"{where}: {KEY} has the unknown option {key!r}; known are {', '.join(WEIGHTS)}")
    noise = value.get("rater_noise")
    if noise is None:
        return WeightOptions(value["column"])
    return WeightOptions(value["column"], number(noise, "rater_noise", f"{where}: {KEY}", 0.0, LARGEST_NOISE))


def weighing(
    judgments: Judgments | None, preferences: Preferences | None, options: WeightOptions | None
) -> Judgments | None:
    """The judgments whose weight is not 0; all without the option.

    Everything else looks at these alone, so that it makes no difference whether a row of weight 0 is there.

    Raises:
        PfsmError: What `judgment_weights` raises; there are preferences alone, or all weights are 0 and there are none.
    """
    if judgments is None and preferences is not None and options is not None:
        raise PfsmError(
            f"{KEY} is for judgments with scores, but there are only preferences, which have votes; leave it out"
        )
    weights = judgment_weights(judgments, options)
    if weights is None or judgments is None or options is None or weights.all():
        return judgments
    if not weights.any() and preferences is None:
        where = (
            f"{', '.join(dict.fromkeys(judgments.places.files))}: " if judgments.places is not None else ""
        )
        raise PfsmError(
            f"{where}{options.column} is 0 on every row ({len(judgments)}), there is nothing to learn from"
        )
    return judgments.select(np.flatnonzero(weights))


def judgment_weights(
    judgments: Judgments | None, options: WeightOptions | None
) -> NDArray[np.float64] | None:
    """The weights of judgments, float64 [n], 0 for those to leave out; None without the option or without judgments.

    Raises:
        PfsmError: The column is not there, or a field in it is not 0 or a number within bounds.
    """
    if options is None or judgments is None or not len(judgments):
        return None
    numbers = judgments.numbers(options.column)
    what, least = ("weight", LEAST_WEIGHT) if options.rater_noise is None else ("number of raters", 1.0)
    wrong = np.flatnonzero((numbers != 0.0) & ((numbers < least) | (numbers > LARGEST_WEIGHT)))
    if wrong.size:
        row = int(wrong[0])
        where = f"row {row + 1}" if judgments.places is None else judgments.places.of_row(row)
        raise PfsmError(
            f"{where}: {options.column} is {numbers[row]:g}, a {what} must be 0 or from {least:g} to "
            f"{LARGEST_WEIGHT:,.0f}"
        )
    return options.of(numbers)
