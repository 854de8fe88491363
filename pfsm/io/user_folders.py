"""The user's own folder of resources: tables, parsers, vectors, caches."""

import os
from pathlib import Path

FOLDER_VARIABLE = "PFSM_RESOURCES"


def user_folder() -> Path:
    """``PFSM_RESOURCES`` if it is set, else ``pfsm`` in the user's cache folder. The folder need not exist."""
    given = os.environ.get(FOLDER_VARIABLE)
    if given:
        return Path(given)
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if Path(cache).is_absolute() else Path.home() / ".cache") / "pfsm"
