"""The language of training data: the tokens and stems that training has where nobody says which."""

from dataclasses import replace

from pfsm.data import Judgments, Preferences
from pfsm.data.judgments import TARGET_LANGUAGE, target_languages
from pfsm.errors import PfsmError
from pfsm.model.settings import Settings
from pfsm.text.language_names import main_code
from pfsm_training.config import TrainingConfig, config_from_dict

COLUMN = TARGET_LANGUAGE


def language_of(*parts: Judgments | Preferences | None) -> str | None:
    """The language that the column ``target_lang`` names on every row; None where a row has none.

    Raises:
        PfsmError: If it names several, or what is no language.
    """
    found = target_languages(*parts)
    if len({main_code(code) for code in found}) > 1:
        names = ", ".join(sorted(found))
        raise PfsmError(
            f"column {COLUMN} names several languages ({names}); say with --language or `language:` which one's words "
            "and stems to use, or und for those of none"
        )
    return min(found, default=None)


def is_given(config: TrainingConfig) -> bool:
    """Whether a configuration says which language the data is in."""
    return "language" in config.given or (not config.given and config.settings != Settings())


def in_language(config: TrainingConfig, language: str) -> TrainingConfig:
    """The configuration with the settings of a language, where it does not give others."""
    given = {**config.given, "language": language}
    return replace(config, settings=config_from_dict(given, "config").settings, given=given)
