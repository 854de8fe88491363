"""METEOR's options: language, task, tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pfsm.errors import PfsmError
from pfsm.lexicons.meteor_full import NAME as METEOR_TABLE
from pfsm.lexicons.registry import check_reference
from pfsm.matchers.synonym import DEFAULT_TABLE as SYNONYM_TABLE
from pfsm.metrics.meteor.parameters import Parameters, default_task, parameters
from pfsm.text.languages import language_code

NAMES = METEOR, BASE = ("meteor", "meteor-base")
NONE = "none"
# Values that are features of models, too.
PARTS = (
    "precision",
    "recall",
    "f",
    "penalty",
    "fragmentation",
    "exact",
    "stem",
    "syn",
    "para",
    "content",
    "function",
)
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
        alpha: Instead of the task's; None: the task's, and likewise:
        beta: Exponent of the fragmentation.
        gamma: Largest penalty for fragmentation.
    """

    language: str
    task: str
    synonyms: str
    paraphrases: str
    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None

    @property
    def given(self) -> dict[str, float]:
        """Those of alpha, beta and gamma that take the place of the task's."""
        values = {"alpha": self.alpha, "beta": self.beta, "gamma": self.gamma}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def parameters(self) -> Parameters:
        """Parameters without the stages that have no table."""
        given = parameters(self.language, self.task)
        without = [
            stage for stage, table in (("syn", self.synonyms), ("para", self.paraphrases)) if table == NONE
        ]
        weights = {stage: weight for stage, weight in given.weights.items() if stage not in without}
        return Parameters(
            given.alpha if self.alpha is None else self.alpha,
            given.beta if self.beta is None else self.beta,
            given.gamma if self.gamma is None else self.gamma,
            given.delta,
            weights,
        )

    @property
    def stages(self) -> tuple[str, ...]:
        """Stages of matching, in their order."""
        return tuple(self.parameters.weights)


def check_options(name: str, options: Mapping[str, Any]) -> MeteorOptions:
    """Options with their defaults.

    Args:
        name: ``meteor`` or ``meteor-base``.
        options: ``language`` (default: ``en``), ``task`` (default: `default_task`), ``synonyms`` and ``paraphrases``
            (names of tables, or ``none``; defaults: WordNet and, for ``meteor``, METEOR's for English, else ``none``);
            ``alpha`` and ``gamma`` (from 0 to 1), ``beta`` (from 0; defaults: the task's).

    Raises:
        PfsmError: If one is unknown or has no such value.
    """
    known = ("language", "task", "synonyms", "paraphrases", *_LARGEST)
    for key in options:
        if key not in known:
            raise PfsmError(f"metric {name}: unknown option {key!r}; known are {', '.join(known)}")
    language = options.get("language", "en")
    if not isinstance(language, str):
        raise PfsmError(f"metric {name}: language is {language!r}, it must be a code in quotes")
    language = language_code(language).replace("_", "-").partition("-")[0].lower()
    task = options.get("task", default_task(language))
    paraphrases = _PARAPHRASES.get(language, NONE) if name == METEOR else NONE
    checked = MeteorOptions(
        language,
        task,
        check_reference(options.get("synonyms", _SYNONYMS.get(language, NONE)), f"metric {name}: synonyms"),
        check_reference(options.get("paraphrases", paraphrases), f"metric {name}: paraphrases"),
        **{key: _number(name, key, options[key]) for key in _LARGEST if key in options},
    )
    parameters(language, task)
    return checked


def _number(name: str, key: str, value: object) -> float:
    largest = _LARGEST[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= largest:
        raise PfsmError(f"metric {name}: {key} is {value!r}, it must be a number from 0 to {largest:g}")
    return float(value)
