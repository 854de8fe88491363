"""Sources of vectors: a shipped network, a file of word vectors, a folder, package or cache with a network.

A source is written ``shipped:NAME``, ``package:NAME``, ``transformers:NAME``, or as the name of a resource
(`pfsm.io.named_resources`); in configurations, on the command line and in Python also as a path. After training, the
first eight digits of its checksum are added (``NAME@1a2b3c4d``), and a path has become a name.
"""

import json
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from pfsm.embeddings.folder import CONFIG, SAFETENSORS, FolderEncoder
from pfsm.embeddings.network import NetworkVectors
from pfsm.embeddings.pieces import TOKENIZER
from pfsm.embeddings.vectors import Vectors
from pfsm.embeddings.words import VECTORS, WORDS, FileVectors, WordTable
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.io.named_resources import (
    DISTRIBUTIONS,
    find,
    folder_beside,
    folder_of,
    is_name,
    may_download,
    name_for,
    needed,
    parted,
    register,
)

HUB = "transformers:"
# No code, and no pickled weights.
WANTED = ("config.json", "tokenizer.json", "model.safetensors")


def _cached_folder(name: str) -> Path:
    """The folder of a network in the cache. It is downloaded only if the user allows that on this call."""
    try:
        import huggingface_hub  # noqa: PLC0415 - an extra
    except ImportError:
        raise NotInstalledError(
            f"{HUB}{name} needs transformers, which is not installed", ["transformers"], ["transformers"]
        ) from None
    folder = _snapshot(huggingface_hub, name, download=False)
    whole = folder is not None and not _lacking(folder)
    if not whole and may_download():
        folder = _snapshot(huggingface_hub, name, download=True)
    if folder is None:
        raise PfsmError(f"{HUB}{name} is not in the local cache; say --download to let this call fetch it")
    if missing := _lacking(folder):
        raise PfsmError(
            f"{HUB}{name}: it has no {missing}; such networks cannot be used"
            if may_download()
            else f"{HUB}{name}: the local cache has no {missing} of it; --download fetches what it has"
        )
    return folder


def _lacking(folder: Path) -> str:
    """The first file that a network's folder lacks; empty if it has all."""
    return next((wanted for wanted in WANTED if not (folder / wanted).is_file()), "")


def _snapshot(hub: Any, name: str, *, download: bool) -> Path | None:
    """The folder of one version; None if the cache does not have it."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        return Path(hub.snapshot_download(name, allow_patterns=list(WANTED), local_files_only=not download))
    except Exception as error:
        if download:
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            raise PfsmError(f"{HUB}{name}: could not be downloaded ({reason})") from None
        return None


PACKAGE = "package:"
SHIPPED = "shipped:"
# Beside an encoder that ships: what it is, its licence and its sources.
ABOUT = "about.json"
DEFAULT_SOURCE = "shipped:minilm"
_RESOURCES = Path(__file__).resolve().parent.parent / "resources" / "encoder"
_HUB_NAME = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9._-]*/)?[A-Za-z0-9][A-Za-z0-9._-]*")
_PACKAGE_NAME = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*")


def check_source(value: object, where: str) -> str:
    """A source as written in settings; this does not check that it exists.

    Raises:
        PfsmError: If it is not text, or the name of the package is malformed.
    """
    if not isinstance(value, str) or not value or "\0" in value:
        raise PfsmError(
            f"{where} is {value!r}, it must be {SHIPPED}NAME, a file, a folder, {PACKAGE}NAME or {HUB}NAME"
        )
    source, _ = parted(value)
    shipped = sorted({*shipped_encoders(), *DISTRIBUTIONS, *shipped_words()})
    if source.startswith(SHIPPED) and source.removeprefix(SHIPPED) not in shipped:
        raise PfsmError(f"{where} is {source!r}; what ships is {', '.join(map(SHIPPED.__add__, shipped))}")
    if source.startswith(PACKAGE) and not _PACKAGE_NAME.fullmatch(source.removeprefix(PACKAGE)):
        raise PfsmError(f"{where}: {source!r} cannot be the name of a package")
    if source.startswith(HUB) and not _HUB_NAME.fullmatch(source.removeprefix(HUB)):
        raise PfsmError(f"{where}: {source!r} cannot be the name of a network; write {HUB}OWNER/NAME")
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
        source: As above, with or without its checksum.
        layer: Layer of a network, from 0; None: the last.

    Raises:
        PfsmError: If they are not installed (the message says what to install), cannot be read, or have another
            checksum.
    """
    name, wanted = parted(source)
    path = _find(name)
    vectors = _opened(path, layer, path.stat().st_mtime_ns, name.startswith(HUB))
    _check(name, vectors.checksum, wanted)
    return vectors


def load_encoder(source: str) -> FolderEncoder:
    """The network of a source.

    Raises:
        PfsmError: As `load_vectors`, and if the source is a file of word vectors.
    """
    name, wanted = parted(source)
    path = _find(name)
    if not path.is_dir() or (path / WORDS).is_file():
        raise PfsmError(
            f"{name}: vectors of single words have no hidden states; give a folder with a network"
        )
    encoder = _network(path, path.stat().st_mtime_ns, name.startswith(HUB))
    _check(name, encoder.checksum, wanted)
    return encoder


def tunable_encoder(source: str) -> FolderEncoder:
    """The network of a source, to be tuned itself.

    Raises:
        PfsmError: As `load_encoder`, and if its weights are not at hand one by one.
    """
    encoder = load_encoder(source)
    encoder.weights(0)
    return encoder


def shipped_encoders() -> list[str]:
    """Names of the shipped and of separately installed networks."""
    found = [path.parent.name for path in _RESOURCES.glob(f"*/{TOKENIZER}")]
    return sorted([*found, *(name for name in DISTRIBUTIONS if folder_beside(name))])


def _shipped_folder(name: str) -> Path:
    if name not in DISTRIBUTIONS:
        return _RESOURCES / name
    folder = folder_beside(name)
    if folder is None:
        raise NotInstalledError(
            f"{SHIPPED}{name}: this encoder is a distribution of its own, which is not installed",
            [f"encoder {name}"],
            packages=[DISTRIBUTIONS[name]],
        )
    return folder


def shipped_words() -> list[str]:
    """Names of the shipped tables of word vectors."""
    return sorted(path.parent.name for path in _RESOURCES.glob(f"*/{WORDS}"))


def described_encoders() -> list[dict[str, str]]:
    """Describes the shipped vectors, networks first.

    Keys: name, kind, about, version, content, size, licence, sources, place.
    """
    entries = []
    for name in (*shipped_encoders(), *shipped_words()):
        folder, files = _shipped_folder(name), [SAFETENSORS]
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        if (folder / WORDS).is_file():
            table = WordTable(folder)
            kind, files, version = "word vectors", [WORDS, VECTORS], table.checksum
            content = f"{len(table):,} words, vectors of {table.dimension}"
        else:
            config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
            kind, version = "encoder", _network(folder, folder.stat().st_mtime_ns, False).checksum
            content = f"{config['num_hidden_layers']} layers of {config['hidden_size']}, "
            content += f"{config['vocab_size']:,} word pieces"
        entries.append(
            {
                "name": SHIPPED + name,
                "kind": kind,
                "about": about["about"],
                "version": version[:8],
                "content": content,
                "size": f"{sum((folder / file).stat().st_size for file in files):,} bytes",
                "licence": about["licence"],
                "sources": about["sources"],
                "place": str(folder),
            }
        )
    return entries


def _check(name: str, checksum: str, wanted: str | None) -> None:
    if wanted is not None and checksum[:8] != wanted:
        raise PfsmError(
            f"{name}: has checksum {checksum[:8]}, the model needs {wanted} and would score differently; "
            "put those vectors there"
        )


def pinned(source: str) -> str:
    """The source as a model keeps it: with the checksum of its vectors, and a path as the name of a resource.

    Raises:
        PfsmError: As `load_vectors`.
    """
    name, checksum = parted(source)[0], load_vectors(source).checksum[:8]
    is_path = not name.startswith((SHIPPED, PACKAGE, HUB)) and not find(name)
    return f"{register(name) if is_path else name}@{checksum}"


def label(source: str) -> str:
    """``NAME@CHECKSUM`` for a signature; of a path only the last part.

    Raises:
        PfsmError: As `load_vectors`.
    """
    name = Path(parted(source)[0].removeprefix(PACKAGE).removeprefix(SHIPPED).removeprefix(HUB)).name
    return f"{re.sub(r'[^A-Za-z0-9._-]', '_', name)}@{load_vectors(source).checksum[:8]}"


def _find(source: str) -> Path:
    """The file or folder of a source."""
    if source.startswith(SHIPPED):
        return _shipped_folder(source.removeprefix(SHIPPED))
    if source.startswith(HUB):
        return _cached_folder(source.removeprefix(HUB))
    if source.startswith(PACKAGE):
        package = source.removeprefix(PACKAGE)
        folder = folder_of(package.replace("-", "_").replace(".", "_"))
        if folder is None:
            raise NotInstalledError(
                f"the vectors of the package {package} are not installed", [package], packages=[package]
            )
        return folder
    path = Path(find(source) or source).expanduser()
    try:
        if path.exists():
            return path
    except OSError:  # such as a name too long
        pass
    name = source if is_name(source) else name_for(source)
    raise PfsmError(f"there are no vectors {source}; {needed(name)}")


# A process needs one or two.
@lru_cache(maxsize=4)
def _opened(path: Path, layer: int | None, changed: int, by_transformers: bool) -> Vectors:
    if path.is_dir() and not (path / WORDS).is_file():
        return NetworkVectors(_network(path, changed, by_transformers), layer)
    if layer is not None:
        raise PfsmError(f"{path}: vectors of single words have no layers; leave the option layer out")
    return WordTable(path) if path.is_dir() else FileVectors(path)


# A network takes as much memory as its weights, whichever layers are asked for.
@lru_cache(maxsize=4)
def _network(path: Path, changed: int, by_transformers: bool) -> FolderEncoder:  # noqa: ARG001 - replaced folders are read again
    return FolderEncoder(path, by_transformers=by_transformers)
