"""The user's own list of model files that need no word: digests of their content in the configuration folder.

A file is known by the SHA-256 of its decompressed content. So a file that has changed since is not trusted, and one
that was moved or compressed is. The list is read only where a model names something that needs trust.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write, content_checksum, read_lines
from pfsm.io.user_folders import CONFIGURATION_VARIABLE, configuration_folder

FILE = "trusted-models"
_LINE = re.compile(r"([0-9a-f]{64})(?:[ \t]+(\S.*?))?\s*")


def list_path() -> Path | None:
    """Where the list is, whether it exists or not; None where the user has no folder for it."""
    folder = configuration_folder()
    return None if folder is None else folder / FILE


def trusted_models() -> dict[str, str]:
    """The note of every entry, usually the file's path, by the digest, in order.

    Raises:
        PfsmError: If the list cannot be read, or a line of it is no entry.
    """
    path = list_path()
    if path is None or not path.exists():
        return {}
    entries = {}
    for number, line in enumerate(read_lines(path), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            match = _LINE.fullmatch(line)
            if match is None:
                raise PfsmError(
                    f"{path}:{number}: not an entry: 64 hexadecimal digits of the model file's SHA-256, then its name"
                )
            entries[match[1]] = match[2] or ""
    return entries


def is_trusted(content: bytes) -> bool:
    """Whether the list has a file with this content, decompressed.

    Raises:
        PfsmError: As `trusted_models`.
    """
    return content_checksum(content) in trusted_models()


def write_trusted(entries: Mapping[str, str]) -> Path:
    """Writes the list anew, notes by digest, and returns its path. Comments are not kept.

    Raises:
        PfsmError: If there is no folder for it, or it cannot be written.
    """
    path = list_path()
    if path is None:
        raise PfsmError(f"you have no folder for settings here; set {CONFIGURATION_VARIABLE} to one")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PfsmError(
            f"{path.parent}: cannot be created ({error.strerror}); set {CONFIGURATION_VARIABLE} to another folder"
        ) from None
    with atomic_write(path) as handle:
        for digest, note in entries.items():
            # A name with line ends would make entries of its own.
            handle.write(f"{digest}  {note if note.isprintable() else ascii(note)}".rstrip() + "\n")
    return path
