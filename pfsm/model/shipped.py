"""Shipped models, and loading by name or file."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from pfsm.errors import NotInstalledError, PfsmError
from pfsm.io.named_resources import DISTRIBUTIONS, MODELS, folder_beside, give
from pfsm.metrics.registry import group_of
from pfsm.model.file import Model, load_model, model_from_dict
from pfsm.model.metric import Metric
from pfsm.runtime.names import nearest
from pfsm.text.language_names import main_code
from pfsm.text.languages import language_code

DEFAULT_MODEL = "en"
# For many pairs, as of candidates to choose among: no encoder.
QUICK_MODEL = "en-fast"
# The model for languages without one of their own.
ANY_MODEL = "multi"


@dataclass(frozen=True)
class ShippedModel:
    """A model inside the package: its name, and the path to its file."""

    name: str
    path: Path


def shipped_models() -> list[ShippedModel]:
    """The models that came with this installation, by name, those for English first; also of encoders beside it."""
    paths = [*_resources("models").glob("*.json"), *filter(None, map(_beside, MODELS))]
    # Those for English, the default's, come first.
    paths.sort(key=lambda path: (not path.stem.startswith(DEFAULT_MODEL), path.stem))
    return [ShippedModel(path.stem, path) for path in paths]


def _beside(name: str) -> Path | None:
    """The file of a model that comes with an encoder's distribution; None if that is not installed."""
    folder = folder_beside(MODELS[name])
    return None if folder is None else folder / "models" / f"{name}.json"


def model_for(language: str) -> str:
    """The shipped model for a language: the one of its own, or the one for any language.

    Args:
        language: An English name or a code, with or without region: ``German``, ``de``, ``zh-Hans``.

    Raises:
        PfsmError: If it is neither.
    """
    name = main_code(language_code(language))
    return name if any(model.name == name for model in shipped_models()) else ANY_MODEL


def find_model(
    name_or_path: str | Path, *, resources: Mapping[str, str | Path] | None = None, run: bool = True
) -> Model:
    """A shipped model by its name, or any model by its file; ``resources`` and ``run`` are `load_model`'s.

    A name may be pinned by a fingerprint: ``en@22b68a1c`` is the model with these weights or an error.

    Raises:
        PfsmError: If there is neither, the file is not a valid model, or lacks a resource.
    """
    give(resources or {})
    shipped = {model.name: model.path for model in shipped_models()}
    text = str(name_or_path)
    if text in shipped:
        return load_model(shipped[text])
    name, _, fingerprint = text.partition("@")
    if name in shipped and not _is_there(text):
        model = load_model(shipped[name])
        if model.fingerprint == fingerprint:
            return model
        raise PfsmError(
            f"{text}: this version of pfsm does not have it; {name} is {name}@{model.fingerprint} now"
        )
    if text in MODELS and not _is_there(text):
        raise NotInstalledError(
            f"{text}: this model comes with a distribution of its own, which is not installed",
            [f"model {text}"],
            packages=[DISTRIBUTIONS[MODELS[text]]],
        )
    if not _is_there(text):
        known = f"shipped models: {', '.join(shipped) or 'none'}"
        if not text.endswith(".json"):
            metric = text.casefold()
            known = f"it is a metric: --metric {metric}" if group_of(metric) else nearest(text) or known
        raise PfsmError(f"{text or repr(text)}: no such file and no model of this name; {known}")
    return load_model(text, run=run)


def _resources(folder: str) -> Path:
    return Path(str(files("pfsm.resources") / folder))


def _is_there(path: str) -> bool:
    try:
        return bool(path) and Path(path).exists()
    except OSError:  # a name too long, a folder that may not be read
        return False


def load(
    name_or_path: str | Path = DEFAULT_MODEL,
    threads: int | None = None,
    *,
    resources: Mapping[str, str | Path] | None = None,
    device: str | None = None,
) -> Metric:
    """A metric, ready to score, from a shipped model's name or a model file.

    Args:
        name_or_path: Name of a shipped model, or path of a model file.
        threads: As in `Metric`.
        resources: Paths of resources that the model needs, by name: a folder with an encoder, a file of vectors or
            parses, a parser. They stay known to this process.
        device: Where encoders compute from now on in this process: ``auto`` (a GPU where there is one to be used, as
            in the beginning), ``cpu`` or ``cuda``; None leaves it as it is.

    Returns:
        The metric.

    Raises:
        PfsmError: If there is no such model, the file is not a valid model, or lacks a resource; or there is no GPU for
            ``cuda``.
    """
    if device is not None:
        from pfsm.embeddings.session import use_device  # noqa: PLC0415 - takes ONNX Runtime

        use_device(device)
    return Metric(find_model(name_or_path, resources=resources), threads)


__all__ = [
    "ANY_MODEL",
    "DEFAULT_MODEL",
    "QUICK_MODEL",
    "ShippedModel",
    "find_model",
    "load",
    "load_model",
    "model_for",
    "model_from_dict",
    "shipped_models",
]
