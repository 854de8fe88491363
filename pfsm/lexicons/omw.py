"""Synonyms of Open Multilingual Wordnet: its tab files, and lists of inflected forms; tables ``omw-fra`` and so on.

A tab file begins with ``# name<TAB>language<TAB>address<TAB>licence``; its lines are ``synset<TAB>lemma<TAB>word`` or
``synset<TAB>LANGUAGE:lemma<TAB>word``. Lines of other types (definitions, examples) are skipped. The files contain
base forms only. The lemmas of inflected forms can be given in a file of lines ``form<TAB>lemma<TAB>lemma…``.

The data of ``omw-…`` is what the user has downloaded with NLTK, in ``corpora/omw-1.4``, unpacked or as NLTK leaves
it, packed. A table is compiled when a model first needs it; nothing is downloaded.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import BadZipFile, ZipFile

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, check_writable, checksum, display_name, read_lines
from pfsm.lexicons.compiling import Part, compile_synonyms
from pfsm.lexicons.container import Source, write_lexicon
from pfsm.lexicons.meteor import say
from pfsm.text.language_names import NAMES, main_code


def read_multilingual(
    paths: Sequence[StrPath], forms: StrPath | None = None
) -> tuple[Part, list[Source], str]:
    """One part with the lemmas of all files, the files read, and the licences that they state.

    Raises:
        PfsmError: If a file cannot be read, has a malformed line, or contains no lemmas.
    """
    synsets: dict[str, list[str]] = {}
    licences: list[str] = []
    for path in paths:
        before = len(synsets)
        licences += _read_tab(path, synsets)
        if len(synsets) == before:
            raise PfsmError(f"{display_name(path)}: no lines `synset<TAB>lemma<TAB>word` in it")
    irregular = {} if forms is None else _read_forms(forms)
    files = [*paths, *([] if forms is None else [forms])]
    sources = [Source(display_name(path), checksum(path)) for path in files]
    return Part("", synsets, irregular), sources, "; ".join(dict.fromkeys(licences))


def _read_tab(path: StrPath, synsets: dict[str, list[str]]) -> list[str]:
    """Adds the lemmas of a file; returns its licence."""
    licences = []
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split("\t")
        if line.startswith("#"):
            licences += fields[3:4]
        elif len(fields) < 3:
            raise PfsmError(
                f"{display_name(path)}:{number}: not a line `synset<TAB>lemma<TAB>word`: {line[:60]!r}"
            )
        elif fields[1] == "lemma" or fields[1].endswith(":lemma"):
            synsets.setdefault(fields[2].strip().lower(), []).append(fields[0])
    return licences


def _read_forms(path: StrPath) -> dict[str, list[str]]:
    forms: dict[str, list[str]] = {}
    for number, line in enumerate(read_lines(path), 1):
        form, *lemmas = line.lower().split("\t")
        if not form or not lemmas or not all(lemmas):
            raise PfsmError(f"{display_name(path)}:{number}: not a line `form<TAB>lemma`: {line[:60]!r}")
        forms.setdefault(form, []).extend(lemmas)
    return forms


# The corpora of NLTK that have such files, the newest first.
CORPORA = ("omw-1.4", "omw")
# What else brings a table.
ADVICE = f", or fetch NLTK's data with `python -m nltk.downloader {CORPORA[0]}`"
ABOUT = "Open Multilingual Wordnet, from NLTK's data"


def compile_omw(name: str, language: str, path: Path) -> bool:
    """Compile the table of a language under a name; say whether there is data for it.

    Raises:
        PfsmError: If the data is damaged, or the table cannot be written.
    """
    with TemporaryDirectory() as scratch:
        tab = next(_tabs(language, Path(scratch)), None)
        if tab is None:
            return False
        check_writable(path)
        say(f"compiling {name} into {path} (once)")
        part, sources, licence = read_multilingual([tab])
    write_lexicon(compile_synonyms(name, [part], licence or "not stated", sources, ABOUT), path)
    return True


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
