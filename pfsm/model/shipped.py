"""Models that ship with the package, and loading by name or file."""

import warnings
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from pfsm.errors import PfsmError, PfsmWarning
from pfsm.model.file import Model, load_model, model_from_dict
from pfsm.model.metric import Metric
from pfsm.model.trust import Trust
from pfsm.text.language_names import main_code
from pfsm.text.languages import language_code

DEFAULT_MODEL = "en"
# The model for languages without one of their own.
ANY_MODEL = "any"
# Earlier names, after the pair of languages of the training data.
ALIASES = {"en-de": "de", "en-es": "es", "en-ru": "ru"}


@dataclass(frozen=True)
class ShippedModel:
    """A model inside the package: its name, and the path to its file."""

    name: str
    path: Path


def shipped_models() -> list[ShippedModel]:
    """The models that came with this installation, by name, those for English first."""
    folder = Path(str(files("pfsm.resources") / "models"))
    # Those for English, the default's, come first.
    paths = sorted(folder.glob("*.json"), key=lambda path: (not path.stem.startswith(DEFAULT_MODEL), path))
    return [ShippedModel(path.stem, path) for path in paths]


def model_for(language: str) -> str:
    """The shipped model for a language: the one of its own, or the one for any language.

    Args:
        language: An English name or a code, with or without region: ``German``, ``de``, ``zh-Hans``.

    Raises:
        PfsmError: If it is neither.
    """
    name = main_code(language_code(language))
    return name if any(model.name == name for model in shipped_models()) else ANY_MODEL


def find_model(name_or_path: str | Path, *, trust: Trust = False, run: bool = True) -> Model:
    """A shipped model by its name, or any model by its file; ``trust`` and ``run`` are `load_model`'s.

    Raises:
        PfsmError: If there is neither, or the file is no valid model, or needs ``trust``.
    """
    shipped = {model.name: model.path for model in shipped_models()}
    text = str(name_or_path)
    if text in ALIASES and not _is_there(text):
        warnings.warn(f"model {text} is called {ALIASES[text]} now", PfsmWarning, stacklevel=2)
        text = ALIASES[text]
    if text in shipped:
        return load_model(shipped[text], trust=True)
    if not _is_there(text):
        names = ", ".join(shipped) or "none"
        raise PfsmError(
            f"{text or repr(text)}: no such file and no model of this name; shipped models: {names}"
        )
    return load_model(text, trust=trust, run=run)


def _is_there(path: str) -> bool:
    try:
        return bool(path) and Path(path).exists()
    except OSError:  # a name too long, a folder that may not be read
        return False


def load(
    name_or_path: str | Path = DEFAULT_MODEL, threads: int | None = None, *, trust: bool = False
) -> Metric:
    """A metric, ready to score, from a shipped model's name or a model file.

    Args:
        name_or_path: Name of a shipped model, or path of a model file.
        threads: As in `Metric`.
        trust: Whether a model file may run programs and plug-ins that it names, and read files outside the working
            folder.

    Raises:
        PfsmError: If there is no such model, or the file is no valid model, or needs ``trust``.
    """
    return Metric(find_model(name_or_path, trust=trust), threads)


__all__ = [
    "ALIASES",
    "ANY_MODEL",
    "DEFAULT_MODEL",
    "ShippedModel",
    "find_model",
    "load",
    "load_model",
    "model_for",
    "model_from_dict",
    "shipped_models",
]
