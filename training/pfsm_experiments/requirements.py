"""Requirements of a row of a table beyond the package itself: tables, vectors, other packages."""

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pfsm.data import Judgments, Preferences
from pfsm.errors import PfsmError
from pfsm.features.values import feature_signature
from pfsm.io.named_resources import FOLDER_VARIABLE, user_folder
from pfsm.lexicons.registry import shipped_folder
from pfsm.metrics import get_metric
from pfsm.metrics.data_columns import columns_of
from pfsm.model.builder import LatticeBuilder
from pfsm.model.plugins import plugin_labels
from pfsm.model.settings import Settings
from pfsm_experiments.spec import RowSpec
from pfsm_training.config import config_from_dict, settings_to_train
from pfsm_training.data.preparation import weighing

_FOLDERS: tuple[tuple[Callable[[], Path], str], ...] = (
    (user_folder, f"${FOLDER_VARIABLE}"),
    (shipped_folder, "the package"),
    (lambda: Path(sys.prefix), "the installation"),
    (Path.cwd, "."),
    (Path.home, "~"),
)


def resources_of(settings: Settings) -> list[str]:
    """Lexicons with their checksums, plug-ins with their versions: what lies outside the package.

    Raises:
        PfsmError: If one is missing.
    """
    return [
        *LatticeBuilder(settings).resources,
        *map(feature_signature, settings.features),
        *plugin_labels(settings),
    ]


def without_places(text: str) -> str:
    """A message without the folders of this machine, which mean nothing to readers elsewhere."""
    places = _places()
    # The longest first, since one may lie in another.
    for place in sorted(places, key=len, reverse=True):
        # Not inside a longer path and not at the start of a longer name; a full stop after it may end a sentence.
        whole = rf"(?:(?<![\w./~-])|(?<=://)){re.escape(place)}(?![\w-]|\.\w)"
        text = re.sub(whole, lambda _, place=place: places[place], text)  # type: ignore[misc]
    return text


def _places() -> dict[str, str]:
    """Folders of this machine, and the names that replace them."""
    places = {}
    for find, name in _FOLDERS:
        # The working folder may be deleted, and the user may have no home.
        with suppress(OSError, RuntimeError):
            place = find()
            # The root of the file system is not replaced.
            if place.is_absolute() and len(place.parts) > 1:
                places[str(place)] = name
    return places


def settings_of(row: RowSpec) -> Settings | None:
    """The settings of a row's model; None for a metric."""
    if row.model is not None:
        return row.model.settings
    if row.training is None:
        return None
    return settings_to_train(None, config_from_dict(row.training, row.name, row.init), row.init)


def columns_of_row(row: RowSpec) -> tuple[str, ...]:
    """The columns of the data that a row's model weighs."""
    settings = settings_of(row)
    return () if settings is None else columns_of(tuple(settings.features))


def check_weights(row: RowSpec, judgments: Judgments | None, preferences: Preferences | None) -> None:
    """Refuses training data that lacks the weights which a row's training asks for.

    Raises:
        PfsmError: As `pfsm_training.data.preparation.weighing`.
    """
    if row.training is not None:
        weighing(judgments, preferences, config_from_dict(row.training, row.name, row.init).weights)


def missing(row: RowSpec) -> str:
    """The first missing resource that a row needs, and how to get it, in one line; empty if none is missing."""
    settings = settings_of(row)
    try:
        if settings is not None:
            resources_of(settings)
        elif row.metric is not None:
            get_metric(row.metric, **row.options).check_available()
    except PfsmError as error:
        return str(error)
    return ""
