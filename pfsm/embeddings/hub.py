"""Networks in the cache of huggingface_hub, where transformers keeps what it has downloaded."""

import os
from pathlib import Path
from typing import Any

from pfsm.errors import NotInstalledError, PfsmError
from pfsm.io.user_folders import may_download

PREFIX = "transformers:"
EXTRA = "transformers"
# No code, and no pickled weights.
WANTED = ("config.json", "tokenizer.json", "model.safetensors")


def cached_folder(name: str) -> Path:
    """The folder of a network in the cache. It is downloaded only if the user allows that on this call.

    Args:
        name: Name of the network, such as ``owner/name``.

    Raises:
        PfsmError: If it is not there, or transformers is not installed, or the download fails.
    """
    try:
        import huggingface_hub  # noqa: PLC0415 - an extra
    except ImportError:
        raise NotInstalledError(
            f"{PREFIX}{name} needs transformers, which is not installed", [EXTRA], [EXTRA]
        ) from None
    local = _snapshot(huggingface_hub, name, download=False)
    if local is not None and all((local / wanted).is_file() for wanted in WANTED):
        return local
    if not may_download():
        if local is not None:
            missing = next(wanted for wanted in WANTED if not (local / wanted).is_file())
            raise PfsmError(
                f"{PREFIX}{name}: the local cache has no {missing} of it; --download fetches what it has"
            )
        raise PfsmError(f"{PREFIX}{name} is not in the local cache; say --download to let this call fetch it")
    found = _snapshot(huggingface_hub, name, download=True)
    if found is None:
        raise PfsmError(f"{PREFIX}{name}: could not be downloaded")
    for wanted in WANTED:
        if not (found / wanted).is_file():
            raise PfsmError(f"{PREFIX}{name}: it has no {wanted}; such networks cannot be used")
    return found


def _snapshot(hub: Any, name: str, *, download: bool) -> Path | None:
    """The folder of one version; None if it is not there."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        return Path(hub.snapshot_download(name, allow_patterns=list(WANTED), local_files_only=not download))
    except Exception as error:
        if download:
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            raise PfsmError(f"{PREFIX}{name}: could not be downloaded ({reason})") from None
        return None
