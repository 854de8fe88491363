"""Reader of WordNet's database files, as distributed by Princeton, Debian's ``wordnet-base`` and NLTK.

``index.noun``, ``index.verb``, ``index.adj`` and ``index.adv`` give the synsets of each lemma (section 5WN of the
manual, ``wndb``). ``noun.exc`` and so on list irregular forms. ``data.noun`` and so on hold the synsets themselves;
only their relations are read.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, checksum, read_lines
from pfsm.lexicons.compiling import Part
from pfsm.lexicons.container import Source
from pfsm.lexicons.relations import Relations
from pfsm.lexicons.synonyms import Detachments

Parsed = TypeVar("Parsed")

# Markers after some adjectives, which say where the adjective may stand.
_MARKER = re.compile(r"\([a-z]+\)$")
_HYPERNYMS = {"@", "@i"}  # of kinds and of instances
# Rules of detachment: section 7WN of the manual (`morphy`), and -ves for -f as in NLTK's reader.
PARTS: dict[str, tuple[str, Detachments]] = {
    "n": (
        "noun",
        (("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
         ("men", "man"), ("ies", "y")),
    ),
    "v": (
        "verb",
        (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    ),
    "a": ("adj", (("er", ""), ("est", ""), ("er", "e"), ("est", "e"))),
    "r": ("adv", ()),
}  # fmt: skip


def is_wordnet(folder: StrPath) -> bool:
    """Whether a folder holds WordNet's database files."""
    return (Path(folder) / "index.noun").is_file()


def read_wordnet(folder: StrPath) -> tuple[list[Part], list[Source]]:
    """The four parts of speech of a WordNet database, and the files read.

    Raises:
        PfsmError: If a file is missing or a line does not follow the manual.
    """
    parts, sources = [], []
    for tag, (suffix, detachments) in PARTS.items():
        index, irregular = (Path(folder) / name for name in (f"index.{suffix}", f"{suffix}.exc"))
        synsets = dict(_parsed(index, "a WordNet index", _index_line))
        exceptions = dict(_parsed(irregular, "a WordNet exception list", _exception))
        parts.append(Part(tag, synsets, exceptions, detachments))
        sources += [Source(path.name, checksum(path)) for path in (index, irregular)]
    return parts, sources


def read_wordnet_relations(folder: StrPath) -> tuple[list[Relations], list[Source]]:
    """Antonyms and hypernyms of the four parts of speech of a WordNet database, and the files read.

    Raises:
        PfsmError: If a file is missing or a line does not follow the manual.
    """
    paths = {tag: Path(folder) / f"data.{suffix}" for tag, (suffix, _) in PARTS.items()}
    found = [_relations(tag, path) for tag, path in paths.items()]
    return found, [Source(path.name, checksum(path)) for path in paths.values()]


def _parsed(path: Path, what: str, parse: Callable[[str], Parsed]) -> Iterator[Parsed]:
    """What the lines of a file say; those of the licence begin with a space."""
    for number, line in enumerate(read_lines(path), 1):
        if line.startswith(" "):
            continue
        try:
            yield parse(line)
        except (IndexError, ValueError):
            raise PfsmError(f"{path}:{number}: not a line of {what}: {line[:60]!r}") from None


def _relations(tag: str, path: Path) -> Relations:
    synsets = {entry.key: entry for entry in _parsed(path, "WordNet's data", _data_line)}
    antonyms = [
        (entry.lemmas[source - 1], synsets[key].lemmas[target - 1])
        for entry in synsets.values()
        for symbol, key, source, target in entry.pointers
        if symbol == "!"
    ]
    hypernyms = {
        entry.key: [key for symbol, key, _, _ in entry.pointers if symbol in _HYPERNYMS]
        for entry in synsets.values()
    }
    return Relations(tag, antonyms, hypernyms)


class _Synset(NamedTuple):
    """A line of data: its key, its lemmas, and pointers as symbol, key, numbers of the two lemmas from 1 (or 0)."""

    key: str
    lemmas: list[str]
    pointers: list[tuple[str, str, int, int]]


def _data_line(line: str) -> _Synset:
    """A synset: key, file, type, number of words in hexadecimal, each with an id, number of pointers, pointers."""
    fields = line.partition(" | ")[0].split()
    count = int(fields[3], 16)
    after = 4 + 2 * count
    lemmas = [_MARKER.sub("", word).lower() for word in fields[4:after:2]]
    rows = [fields[first : first + 4] for first in range(after + 1, after + 1 + 4 * int(fields[after]), 4)]
    pointers = [(symbol, key, *divmod(int(ends, 16), 256)) for symbol, key, _, ends in rows]
    return _Synset(fields[0], lemmas, pointers)


def _index_line(line: str) -> tuple[str, list[str]]:
    """A lemma and the offsets of its synsets."""
    fields = line.split()
    offsets = fields[6 + int(fields[3]) :]
    if not int(fields[2]) == len(offsets) > 0 or not all(map(str.isdecimal, offsets)):
        raise ValueError(line)
    return fields[0].lower(), offsets


def _exception(line: str) -> tuple[str, list[str]]:
    """A form and its base forms; if a form has two lines, the later one counts."""
    form, *bases = line.split()
    if not bases:
        raise ValueError(line)
    return form, bases
