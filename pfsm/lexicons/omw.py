"""Synonyms of Open Multilingual Wordnet, from the NLTK data that the user has downloaded: tables ``omw-fra`` and so on.

The data is in ``corpora/omw-1.4``, unpacked or as NLTK leaves it, packed. It holds base forms. A table is compiled when
a model first needs it; nothing is downloaded.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import BadZipFile, ZipFile

from pfsm.errors import PfsmError
from pfsm.io.files import check_writable
from pfsm.lexicons.container import write_lexicon
from pfsm.lexicons.meteor import say
from pfsm.lexicons.multilingual import read_multilingual
from pfsm.lexicons.synonyms import compile_synonyms
from pfsm.text.language_names import NAMES, main_code

# The corpora of NLTK that have such files, the newest first.
CORPORA = ("omw-1.4", "omw")
_NAME = re.compile(r"omw-([a-z]{2,3})")
ABOUT = "Open Multilingual Wordnet, from NLTK's data"


def language_of(name: str) -> str | None:
    """The code of the language in the name of such a table; None for the name of another table."""
    match = _NAME.fullmatch(name)
    return None if match is None else match[1]


def compile_omw(name: str, path: Path) -> bool:
    """Compiles the table of this name; says whether there is data for it.

    Raises:
        PfsmError: If the data is damaged, or the table cannot be written.
    """
    language = language_of(name)
    if language is None:
        return False
    with TemporaryDirectory() as scratch:
        tab = next(_tabs(language, Path(scratch)), None)
        if tab is None:
            return False
        check_writable(path)
        say(f"compiling {name} into {path} (once)")
        part, sources, licence = read_multilingual([tab])
    write_lexicon(compile_synonyms(name, [part], licence or "not stated", sources, ABOUT), path)
    return True


def advice(name: str) -> str:
    """What else brings a table of this name; empty for other tables."""
    if language_of(name) is None:
        return ""
    return f", or fetch NLTK's data with `python -m nltk.downloader {CORPORA[0]}`"


def _tabs(language: str, scratch: Path) -> Iterator[Path]:
    """The files of a language, unpacked; those of the first folder of NLTK's data first."""
    codes = [language, *NAMES.get(main_code(language), "").split()]
    wanted = [f"wn-data-{code}.tab" for code in codes]
    for corpus in (folder / "corpora" / name for folder in _folders() for name in CORPORA):
        for name in wanted:
            yield from sorted(corpus.rglob(name))
        packed = corpus.with_name(f"{corpus.name}.zip")
        if packed.is_file():
            yield from _unpacked(packed, wanted, scratch)


def _unpacked(packed: Path, wanted: list[str], scratch: Path) -> Iterator[Path]:
    try:
        with ZipFile(packed) as archive:
            members = {Path(member).name: member for member in sorted(archive.namelist())}
            for name in wanted:
                if name in members:
                    (scratch / name).write_bytes(archive.read(members[name]))
                    yield scratch / name
    except (BadZipFile, OSError) as error:
        raise PfsmError(f"{packed}: cannot be unpacked ({error})") from None


def _folders() -> list[Path]:
    """Where NLTK looks for its data."""
    try:
        from nltk import data  # noqa: PLC0415 - takes half a second
    except ImportError:
        given = filter(None, os.environ.get("NLTK_DATA", "").split(os.pathsep))
        return [*map(Path, given), Path("~").expanduser() / "nltk_data"]
    return [Path(folder) for folder in data.path]
