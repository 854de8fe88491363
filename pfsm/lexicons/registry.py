"""Where lexicons are stored, and which one a name refers to.

Shipped lexicons come first, then those in the user's folder (``PFSM_RESOURCES``; else
``$XDG_CACHE_HOME/pfsm``; else ``~/.cache/pfsm``). A lexicon is the file ``NAME.lexicon``.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from pfsm.errors import PfsmError
from pfsm.io.named_resources import FOLDER_VARIABLE, NAME, is_name, user_folder
from pfsm.lexicons.container import Lexicon, read_header, read_lexicon
from pfsm.lexicons.meteor import RECIPES, compile_meteor
from pfsm.lexicons.omw import ADVICE, compile_omw
from pfsm.lexicons.paraphrases import KIND as PARAPHRASES
from pfsm.lexicons.synonyms import KIND as SYNONYMS
from pfsm.registry import given_resources

SUFFIX = ".lexicon"
_REFERENCE = re.compile(rf"({NAME.pattern})(?:@([0-9a-f]{{8}}))?")


@dataclass(frozen=True)
class Installed:
    """A lexicon file of this installation."""

    name: str
    path: Path
    shipped: bool


def shipped_folder() -> Path:
    """The folder of the shipped lexicons."""
    return Path(str(files("pfsm.resources") / "lexicons"))


def check_name(name: str, where: str) -> str:
    """The name, if it can be the name of a lexicon.

    Raises:
        PfsmError: If it cannot; ``where`` begins the message.
    """
    if not is_name(name):
        raise PfsmError(
            f"{where} {name!r} cannot be the name of a table: letters, digits, full stops, hyphens and underscores"
        )
    return name


def check_reference(value: object, where: str) -> str:
    """``NAME`` or ``NAME@CHECKSUM``, as settings name a lexicon.

    Raises:
        PfsmError: If it is neither.
    """
    if not isinstance(value, str) or not _REFERENCE.fullmatch(value):
        raise PfsmError(f"{where} is {value!r}, it must be the name of a table (see `pfsm resources`)")
    return value


def installed() -> list[Installed]:
    """All lexicons that can be used now: shipped ones by name, then the user's by name."""
    shipped = {path.name.removesuffix(SUFFIX): path for path in _files(shipped_folder())}
    own = {path.name.removesuffix(SUFFIX): path for path in _files(user_folder())}
    found = [Installed(name, path, True) for name, path in shipped.items()]
    return found + [Installed(name, path, False) for name, path in own.items() if name not in shipped]


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.glob(f"*{SUFFIX}") if path.is_file())
    except OSError:
        return []


def user_path(name: str) -> Path:
    """Path of a lexicon in the user's folder, whether it exists or not; the folder is created.

    Raises:
        PfsmError: If the folder cannot be created, or a lexicon of this name ships with the package.
    """
    if any(entry.name == name and entry.shipped for entry in installed()):
        raise PfsmError(f"{name}: a table of this name ships with pfsm; choose another name")
    folder = user_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PfsmError(
            f"{folder}: cannot be created ({error.strerror}); set {FOLDER_VARIABLE} to another folder"
        ) from None
    return folder / f"{name}{SUFFIX}"


def load(reference: str, kind: str) -> Lexicon:
    """The lexicon that ``NAME`` or ``NAME@CHECKSUM`` refers to; compiled first if there is a recipe for it.

    Raises:
        PfsmError: If it is not installed (the message says what to install or compile), is of another kind, is damaged,
            or has another checksum than the one asked for.
    """
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        raise PfsmError(f"{reference!r} is not the name of a table")
    name, checksum = match.groups()
    path = _find(name, kind)
    status = path.stat()
    lexicon = _read(path, status.st_mtime_ns, status.st_size)
    if lexicon.name != name:
        raise PfsmError(f"{path}: contains the table {lexicon.name}; rename the file to that name")
    if lexicon.kind != kind:
        raise PfsmError(f"{name}: is a table of {lexicon.kind}, one of {kind} is needed")
    if checksum is not None and lexicon.checksum != checksum:
        raise PfsmError(
            f"{name}: the table here is {lexicon.label}, the model needs {reference} and would score "
            "differently; compile or install that version"
        )
    return lexicon


def pinned(reference: str, kind: str) -> str:
    """The reference with the checksum of the lexicon that it refers to now.

    Raises:
        PfsmError: As `load`.
    """
    return load(reference, kind).label


# Large: a process needs one or two.
@lru_cache(maxsize=8)
def _read(path: Path, changed: int, size: int) -> Lexicon:  # noqa: ARG001 - a file that was replaced is read again
    return read_lexicon(path)


# Of synonyms in other languages.
_MULTILINGUAL = re.compile(r"omw-([a-z]{2,3})")


def language_of(name: str) -> str | None:
    """The code of the language in the name of such a table; None for the name of another table."""
    match = _MULTILINGUAL.fullmatch(name)
    return None if match is None else match[1]


def _find(name: str, kind: str) -> Path:
    if name in given_resources:
        return Path(given_resources[name])
    language = language_of(name)
    is_compiled = name in RECIPES or language is not None
    for entry in installed():
        # A table from a recipe is compiled again if this version can no longer read it.
        if entry.name == name and (not is_compiled or is_current(entry.path)):
            return entry.path
    if name in RECIPES and kind == PARAPHRASES:
        compile_meteor(name, user_path(name))
        return user_path(name)
    if kind == SYNONYMS and language is not None and compile_omw(name, language, user_path(name)):
        return user_path(name)
    raise PfsmError(
        f"there is no table of {kind} {name}; compile it with `pfsm resources compile {kind} … --name {name}`, "
        f"or copy {name}{SUFFIX} into {user_folder()}{'' if language is None else ADVICE}"
    )


def is_current(path: Path) -> bool:
    """Whether a file is a lexicon of the format that this version reads."""
    try:
        read_header(path)
    except PfsmError:
        return False
    return True
