"""The plan of a training: everything that it depends on, decided once from data, options and an initial model."""

from dataclasses import dataclass
from typing import Any, Literal

from pfsm.arrays import Float
from pfsm.data import Judgments, Preferences
from pfsm.errors import PfsmError
from pfsm.metrics.inputs import columns_of
from pfsm.model.file import Model
from pfsm.model.settings import Settings
from pfsm.runtime.threads import default_threads
from pfsm_training.config import (
    TrainingConfig,
    files_of,
    in_language,
    judgment_weights,
    language_of,
    settings_to_train,
    standard_config,
    weighing,
)
from pfsm_training.fit.crossval import Folds, make_folds

Data = tuple[Judgments | None, Preferences | None]
# Where the language of a training comes from.
LanguageFrom = Literal["given", "column", "default"]
GIVEN: LanguageFrom = "given"
COLUMN: LanguageFrom = "column"
DEFAULT: LanguageFrom = "default"


@dataclass(frozen=True, eq=False)
class Plan:
    """A training before it starts. Only what cross-validation chooses is open, and what is learned from the text.

    Attributes:
        judgments: In canonical order, without those of weight 0; None: there are only preferences.
        preferences: In canonical order; None: there are only scores.
        weights: float64 [n_judgments], how much each judgment counts; None: all count the same.
        settings: Settings of the machine; options of matchers and scales of features may have to be learned.
        config: Loss, solver, and what to choose from.
        init: The initial model; None: there is none.
        folds: Division of the data for cross-validation.
        constraints: The constraints that are asked for, with their options, by name.
        language_from: Whether the language was ``given``, is that of a ``column`` of the data, or is the ``default``.
        score_column: Name of the scores in the data.
        threads: Threads over pairs; no result depends on them.
        processes: Processes that parse; likewise.
    """

    judgments: Judgments | None
    preferences: Preferences | None
    weights: Float | None
    settings: Settings
    config: TrainingConfig
    init: Model | None
    folds: Folds
    constraints: dict[str, Any]
    language_from: LanguageFrom
    score_column: str = "score"
    threads: int = 1
    processes: int = 1

    @property
    def data(self) -> Data:
        """The training data."""
        return self.judgments, self.preferences

    @property
    def references(self) -> list[str]:
        """The first reference of every row."""
        return [line for part in self.data if part is not None for line in part.references]


def resolve(
    judgments: Judgments | None,
    preferences: Preferences | None = None,
    *,
    config: TrainingConfig | None = None,
    settings: Settings | None = None,
    init: Model | None = None,
    language: str | None = None,
    score_column: str = "score",
    folds_by: str | None = None,
    threads: int | None = None,
    processes: int = 1,
) -> Plan:
    """Decide on a training.

    Args:
        judgments: As in `pfsm_training.trainer.train`; so are the others.
        preferences: Pairs of translations of which one is better.
        config: Options; None: the standard configuration of the language, or, with an initial model or settings, the
            defaults.
        settings: Settings of the machine; None: those of ``init``, or else of ``config``.
        init: The initial model.
        language: Language of the data; None: that of ``config``, or else of the column ``target_lang``.
        score_column: Name of the scores in the data.
        folds_by: What cross-validation holds out together.
        threads: Threads over pairs; None: as many as the process may use.
        processes: Processes that parse.

    Raises:
        PfsmError: If there is nothing to train on, all scores are equal, or the given settings do not hold those of
            ``init``.
    """
    judgments = weighing(judgments, preferences, None if config is None else config.weights)
    free = settings is None and init is None
    known = language is not None or not free or (config is not None and config.names_language)
    found = None if known else language_of(judgments, preferences)
    language = language or found
    if config is None and free:
        config = standard_config(language)
    else:
        config = config or TrainingConfig(Settings() if init is None else init.settings)
        config = config if language is None else in_language(config, language)
    settings = settings_to_train(settings, config, init)
    judgments, preferences = _checked(judgments, preferences, settings, score_column)
    return Plan(
        judgments,
        preferences,
        judgment_weights(judgments, config.weights),
        settings,
        config,
        init,
        make_folds(judgments, preferences, folds_by),
        config.asked(),
        GIVEN if known else DEFAULT if found is None else COLUMN,
        score_column,
        threads or default_threads(),
        processes,
    )


def _checked(
    judgments: Judgments | None, preferences: Preferences | None, settings: Settings, score_column: str
) -> Data:
    """The training data in canonical order; with the columns that are features, or refused in the user's order."""
    for name in columns_of(tuple(settings.features)):
        for data in (judgments, preferences):
            if data is not None and len(data):
                data.numbers(name)
    judgments = judgments.sorted() if judgments is not None and len(judgments) else None
    preferences = preferences.sorted() if preferences is not None and len(preferences) else None
    if preferences is not None and not preferences.votes.any():
        if judgments is None:
            raise PfsmError(f"{files_of(preferences)}votes is 0 on every row, there is nothing to learn from")
        preferences = None
    if judgments is None and preferences is None:
        raise PfsmError("no judgments to train on")
    if judgments is not None and (judgments.scores == judgments.scores[0]).all():
        raise PfsmError(
            f"{files_of(judgments)}{score_column} is {judgments.scores[0]:g} on every row ({len(judgments)}), scores "
            "that differ are needed to learn from"
        )
    return judgments, preferences
