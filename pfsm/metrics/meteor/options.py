"""METEOR's options, and its published parameters.

For ranking: Denkowski and Lavie (2014), *Meteor Universal*, table 4 and section 4. For the other tasks: Denkowski and
Lavie (2011), *Meteor 1.3*, with the values of METEOR 1.5, which prints them. ``universal`` is for a language with
paraphrases and function words but without parameters of its own; ``li`` is METEOR's language-independent set.
``v0.7`` are the parameters of METEOR before version 1.0, for English: alpha, beta and gamma of Lavie and Agarwal
(2007), tuned to the sum of adequacy and fluency; every match of words, stems or synonyms is worth the same, function
words are words like others, and there are no paraphrases. That paper was not at hand when its three numbers were
written down: where they must be beyond doubt, give ``alpha``, ``beta`` and ``gamma``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from pfsm.errors import PfsmError
from pfsm.lexicons.meteor import FULL_NAME as METEOR_TABLE
from pfsm.lexicons.registry import check_reference
from pfsm.matchers.synonym import DEFAULT_TABLE as SYNONYM_TABLE
from pfsm.metrics.names import read_options
from pfsm.runtime.typed import Option, Options, anything, number, text
from pfsm.text.languages import language_code

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


NAMES = METEOR, BASE = ("meteor", "meteor-base")
NONE = "none"
# Values that are features of models, too.
PARTS = ("precision", "recall", "f", "penalty", "fragmentation", *STAGES, "content", "function")
# The parameters that can be given as options, and their largest values.
_LARGEST = {"alpha": 1.0, "beta": 100.0, "gamma": 1.0}
# Languages of which we know tables.
_SYNONYMS = {"en": SYNONYM_TABLE}
_PARAPHRASES = {"en": METEOR_TABLE}


@dataclass(frozen=True)
class MeteorOptions:
    """Options of one metric, checked.

    Attributes:
        language: Code of two letters where there is one.
        task: What the parameters are for.
        synonyms: Name of a table, or ``none``.
        paraphrases: Likewise.
        given: Those of alpha, beta and gamma that take the place of the task's.
    """

    language: str
    task: str
    synonyms: str
    paraphrases: str
    given: tuple[tuple[str, float], ...] = ()

    @property
    def parameters(self) -> Parameters:
        """Parameters without the stages that have no table."""
        of_task = parameters(self.language, self.task)
        lacking = {
            stage for stage, table in (("syn", self.synonyms), ("para", self.paraphrases)) if table == NONE
        }
        weights = {stage: weight for stage, weight in of_task.weights.items() if stage not in lacking}
        return replace(of_task, weights=weights, **dict(self.given))

    @property
    def stages(self) -> tuple[str, ...]:
        """Stages of matching, in their order."""
        return tuple(self.parameters.weights)


_KNOWN: Mapping[str, Option] = {
    "language": text("en", "a code in quotes"),
    **dict.fromkeys(("task", "synonyms", "paraphrases"), anything()),
    **{key: number(None, 0.0, largest) for key, largest in _LARGEST.items()},
}


def check_options(name: str, options: Options) -> MeteorOptions:
    """Options with their defaults.

    Args:
        name: ``meteor`` or ``meteor-base``.
        options: ``language`` (default: ``en``), ``task`` (default: ``rank`` where it has parameters for the language,
            else ``li``), ``synonyms`` and ``paraphrases`` (names of tables, or ``none``; defaults: WordNet and, for
            ``meteor``, METEOR's for English, else ``none``); ``alpha`` and ``gamma`` (from 0 to 1), ``beta`` (from 0;
            defaults: the task's).

    Raises:
        PfsmError: If one is unknown or has no such value.
    """
    chosen = read_options(name, options, _KNOWN)
    language = language_code(chosen["language"]).replace("_", "-").partition("-")[0].lower()
    task = options.get("task", "rank" if "rank" in _TUNED.get(language, {}) else "li")
    paraphrases = _PARAPHRASES.get(language, NONE) if name == METEOR else NONE
    checked = MeteorOptions(
        language,
        task,
        check_reference(options.get("synonyms", _SYNONYMS.get(language, NONE)), f"metric {name}: synonyms"),
        check_reference(options.get("paraphrases", paraphrases), f"metric {name}: paraphrases"),
        tuple((key, float(chosen[key])) for key in _LARGEST if chosen[key] is not None),
    )
    parameters(language, task)
    return checked
