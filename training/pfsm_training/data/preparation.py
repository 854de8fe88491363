"""What training looks at before it begins: judgments that count, and the language of the data."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.data.judgments import TARGET_LANGUAGE, target_languages
from pfsm.errors import PfsmError
from pfsm.model.settings import Settings
from pfsm.text.language_names import main_code
from pfsm_training.config import TrainingConfig, config_from_dict
from pfsm_training.options import WEIGHTS, WeightOptions

# Beyond these, sums lose the digits of other judgments. Zero leaves a judgment out.
LEAST_WEIGHT, LARGEST_WEIGHT = 1e-6, 1e6


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
            f"{WEIGHTS} is for judgments with scores, but there are only preferences, which have votes; leave it out"
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


def language_of(*parts: Judgments | Preferences | None) -> str | None:
    """The language that the column ``target_lang`` names on every row; None where a row has none.

    Raises:
        PfsmError: If it names several, or what is not a language.
    """
    found = target_languages(*parts)
    if len({main_code(code) for code in found}) > 1:
        names = ", ".join(sorted(found))
        raise PfsmError(
            f"column {TARGET_LANGUAGE} names several languages ({names}); say with --language or `language:` which "
            "one's words and stems to use, or und for those of none"
        )
    return min(found, default=None)


def is_given(config: TrainingConfig) -> bool:
    """Whether a configuration says which language the data is in."""
    usual = (Settings(), config_from_dict({}, "config").settings)
    return "language" in config.given or (not config.given and config.settings not in usual)


def in_language(config: TrainingConfig, language: str) -> TrainingConfig:
    """The configuration with the settings of a language, where it does not give others."""
    given = {**config.given, "language": language}
    return replace(config, settings=config_from_dict(given, "config").settings, given=given)
