"""Reader of Open Multilingual Wordnet's tab files, and of lists of inflected forms.

A tab file begins with ``# name<TAB>language<TAB>address<TAB>licence``; its lines are ``synset<TAB>lemma<TAB>word`` or
``synset<TAB>LANGUAGE:lemma<TAB>word``. Lines of other types (definitions, examples) are skipped. The files contain base
forms only. The lemmas of inflected forms can be given in a file of lines ``form<TAB>lemma<TAB>lemma…``.
"""

from collections.abc import Sequence

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, checksum, display_name, read_lines
from pfsm.lexicons.container import Source
from pfsm.lexicons.synonyms import Part


def read_multilingual(
    paths: Sequence[StrPath], forms: StrPath | None = None
) -> tuple[Part, list[Source], str]:
    """One part with the lemmas of all files, the files read, and the licences that they state.

    Args:
        paths: Tab files.
        forms: File of inflected forms.

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
