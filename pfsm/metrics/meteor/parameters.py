"""METEOR's published parameters.

For ranking: Denkowski and Lavie (2014), *Meteor Universal*, table 4 and section 4. For the other tasks: Denkowski and
Lavie (2011), *Meteor 1.3*, with the values of METEOR 1.5, which prints them. ``universal`` is for a language with
paraphrases and function words but without parameters of its own; ``li`` is METEOR's language-independent set.
``v0.7`` are the parameters of METEOR before version 1.0, for English: alpha, beta and gamma of Lavie and Agarwal
(2007), tuned to the sum of adequacy and fluency; every match of words, stems or synonyms is worth the same, function
words are words like others, and there are no paraphrases. That paper was not at hand when its three numbers were
written down: where they must be beyond doubt, give ``alpha``, ``beta`` and ``gamma``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from pfsm.errors import PfsmError

STAGES = ("exact", "stem", "syn", "para")


@dataclass(frozen=True)
class Parameters:
    """Parameters of one language and task.

    Attributes:
        alpha: Weight of precision in the harmonic mean, from 0 to 1: ``P R / (alpha P + (1 - alpha) R)``.
        beta: Exponent of the fragmentation.
        gamma: Largest penalty for fragmentation, from 0 to 1.
        delta: Weight of content words; function words have ``1 - delta``.
        weights: Stages of matching in their order, and what a word matched in each is worth.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: Mapping[str, float]


def _parameters(alpha: float, beta: float, gamma: float, delta: float, *weights: float | None) -> Parameters:
    stages = {stage: weight for stage, weight in zip(STAGES, weights, strict=True) if weight is not None}
    return Parameters(alpha, beta, gamma, delta, stages)


_ANY = {
    "universal": _parameters(0.70, 1.40, 0.30, 0.70, 1.0, None, None, 0.60),
    "li": _parameters(0.75, 1.40, 0.70, 0.50, 1.0, 0.50, 0.50, 0.50),
}
_TUNED: Mapping[str, Mapping[str, Parameters]] = {
    "en": {
        "rank": _parameters(0.85, 0.20, 0.60, 0.75, 1.0, 0.60, 0.80, 0.60),
        "adq": _parameters(0.75, 1.40, 0.45, 0.70, 1.0, 1.00, 0.60, 0.80),
        "hter": _parameters(0.40, 1.50, 0.35, 0.55, 1.0, 0.20, 0.60, 0.80),
    },
    "cs": {"rank": _parameters(0.95, 0.20, 0.60, 0.80, 1.0, None, None, 0.40)},
    "de": {"rank": _parameters(0.95, 1.00, 0.55, 0.55, 1.0, 0.80, None, 0.20)},
    "es": {"rank": _parameters(0.65, 1.30, 0.50, 0.80, 1.0, 0.80, None, 0.60)},
    "fr": {"rank": _parameters(0.90, 1.40, 0.60, 0.65, 1.0, 0.20, None, 0.40)},
}


_EARLIER: Mapping[str, Mapping[str, Parameters]] = {
    "en": {"v0.7": _parameters(0.80, 0.83, 0.28, 0.50, 1.0, 1.00, 1.00, None)}
}


@cache
def parameters(language: str, task: str) -> Parameters:
    """Parameters of a language for a task.

    Args:
        language: Code of two letters.
        task: ``rank``, ``adq`` (adequacy), ``hter``, ``v0.7``, ``li`` or ``universal``.

    Raises:
        PfsmError: If there are none; the message lists those of the language.
    """
    known = {**_TUNED.get(language, {}), **_ANY, **_EARLIER.get(language, {})}
    if task not in known:
        raise PfsmError(
            f"metric meteor: task is {task!r}, for {language} it must be one of {', '.join(known)}"
        )
    return known[task]


def default_task(language: str) -> str:
    """``rank`` where it has parameters for the language, else ``li``."""
    return "rank" if "rank" in _TUNED.get(language, {}) else "li"
