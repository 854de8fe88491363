"""Resources by name: models hold no paths but refer to names, and the user supplies the files.

A resource is a user's own folder with an encoder, file of vectors or parses, weights of a parser, program or pipeline.
It lies in the user's folder of resources under its name, or is given: ``--resource NAME=PATH``, in Python
``pfsm.load(…, resources={…})``. A reference is ``NAME`` or ``NAME@CHECKSUM``, with 8 hexadecimal digits. The user's
folder also holds tables and caches; whether this call may download something into it, the user says (``--download``).
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from os import PathLike
from pathlib import Path

from pfsm.errors import PfsmError
from pfsm.io.files import content_checksum, read_bytes
from pfsm.registry import given_resources

# Below it nothing exists and nothing can be written: for users who have no home.
NOWHERE = Path(os.devnull)

FOLDER_VARIABLE = "PFSM_RESOURCES"


def user_folder() -> Path:
    """``PFSM_RESOURCES`` if it is set, else ``pfsm`` in the user's cache folder. The folder need not exist.

    A user who has no home gets one that cannot exist.
    """
    given = os.environ.get(FOLDER_VARIABLE)
    if given:
        return Path(given)
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if Path(cache).is_absolute() else _home() / ".cache") / "pfsm"


def _home() -> Path:
    """The user's home, ``NOWHERE`` for one who has none: never a folder below the working one."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - `Path.home` raises an error where there is none
    return home if home.is_absolute() else NOWHERE


_allowed: ContextVar[bool] = ContextVar("pfsm_downloads", default=False)


@contextmanager
def downloads(allowed: bool) -> Iterator[None]:
    """In the block downloads are allowed, or not."""
    token = _allowed.set(allowed)
    try:
        yield
    finally:
        _allowed.reset(token)


def may_download() -> bool:
    """Whether downloads are allowed here."""
    return _allowed.get()


# No `|`, `:`, `+` and `@`, which separate the entries of a signature; no path separators.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_REFERENCE = re.compile(r"(.+?)(?:@([0-9a-f]{8}))?", re.DOTALL)
# Of what stands before a colon, no path on Windows has more than a letter.
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9_+-]+:")


def parted(reference: str) -> tuple[str, str | None]:
    """The name and the checksum of a reference; None where it has none."""
    match = _REFERENCE.fullmatch(reference)
    return (match[1], match[2]) if match else (reference, None)


def is_name(text: str) -> bool:
    """Whether a resource can have this name: not a path, a command or an address."""
    return NAME.fullmatch(text) is not None


def name_for(value: str) -> str:
    """A name for the resource at a path, or for a command: that of its last file."""
    words = re.split(r"[/\\\s:]+" if _KIND.match(value) else r"[/\\]+", value.rstrip("/\\ "))
    return re.sub(r"[^A-Za-z0-9._-]+", "-", words[-1]).lstrip("._-")[:80] or "resource"


def give(resources: Mapping[str, str | PathLike[str]], *, checked: bool = True) -> None:
    """Makes resources known to this process from here on; one given before under the same name is forgotten.

    Args:
        resources: By name a path, or what the name of a parser may stand for: ``command:…``, ``spacy:…``.
        checked: Whether there has to be something at a path already.

    Raises:
        PfsmError: If this is not a mapping, a name cannot be one, or there is nothing at a path.
    """
    if not isinstance(resources, Mapping):
        raise PfsmError(
            f"resources is {resources!r}, a mapping of names to paths is needed: {{'NAME': 'PATH'}}"
        )
    for name, value in resources.items() if checked else ():
        text = str(value)
        if not isinstance(name, str) or not is_name(name):
            raise PfsmError(
                f"resource {name!r}: cannot be its name: letters, digits, full stops, hyphens and underscores"
            )
        if not text or "\0" in text or not (_KIND.match(text) or _exists(text)):
            raise PfsmError(f"resource {name}: no such file or folder: {text!r}")
    given_resources.update({name: _absolute(str(value)) for name, value in resources.items()})


def _exists(path: str) -> bool:
    try:
        return Path(path).expanduser().exists()
    except (OSError, RuntimeError):  # a name that cannot be, the home of a user whom nobody knows
        return False


def _absolute(value: str) -> str:
    return value if _KIND.match(value) else os.path.abspath(Path(value).expanduser())  # noqa: PTH100 - without ".."


def given() -> dict[str, str]:
    """All resources that were given to this process."""
    return dict(given_resources)


@contextmanager
def given_within(resources: Mapping[str, str]) -> Iterator[None]:
    """Gives resources for the block alone.

    Raises:
        PfsmError: As `give`.
    """
    before = given()
    try:
        give(resources)
        yield
    finally:
        given_resources.clear()
        given_resources.update(before)


def find(name: str) -> str | None:
    """What a name stands for: what was given under it, or the file or folder of this name in the user's folder."""
    if not is_name(name):
        return None
    path = (user_folder() / name).absolute()
    return given_resources.get(name) or (str(path) if path.exists() else None)


def needed(name: str) -> str:
    """How to supply a resource, for errors."""
    return f"say --resource {name}=PATH (in Python: resources={{{name!r}: …}}) or put it into {user_folder()}"


def register(value: str) -> str:
    """Gives the resource at a path, or what a command stands for, under a name of its own, and returns the name.

    Raises:
        PfsmError: As `give`.
    """
    value = _absolute(value)
    name = wanted = name_for(value)
    number = 1
    while find(name) not in {None, value}:
        number += 1
        name = f"{wanted[:76]}-{number}"
    give({name: value})
    return name


def pinned_file(source: str) -> str:
    """A file, given by its path or the name of a resource, as ``NAME@CHECKSUM``.

    Raises:
        PfsmError: If it cannot be read.
    """
    name, _ = parted(source)
    checksum = content_checksum(read_bytes(find(name) or name))[:8]
    return f"{name if find(name) else register(name)}@{checksum}"


# By the name of an encoder, what pip installs in the checkout; its module is pfsm_encoder_NAME.
DISTRIBUTIONS = {"large": "./encoders/large"}
# By model, the encoder whose distribution it comes with.
MODELS = {"en-large": "large"}
_TOKENIZER = "tokenizer.json"


def folder_beside(name: str) -> Path | None:
    """The folder of such an encoder; None if it is not installed."""
    return folder_of(f"pfsm_encoder_{name}")


def folder_of(module: str) -> Path | None:
    """The folder with a tokenizer: that of an installed module, or one inside it. None if there is none."""
    spec = find_spec(module)
    for place in (spec.submodule_search_locations or []) if spec is not None else []:
        if Path(place).resolve().parent == Path.cwd():  # a folder that came with the data is not a package
            continue
        found = sorted(Path(place).rglob(_TOKENIZER), key=lambda path: (len(path.parts), path))
        if found:
            return found[0].parent
    return None
