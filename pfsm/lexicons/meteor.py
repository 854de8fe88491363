"""METEOR's English paraphrase tables, for users who have installed a package that contains them, and how that is done.

The PyPI package ``pycocoevalcap`` (extra ``paraphrases``) contains METEOR 1.5 with ``paraphrase-en.gz``, 5.3
million entries, under the LGPL. No part of it ships with pfsm. The table ``meteor-en`` is compiled on the user's
machine when a model first needs it.

``meteor-en-full``, for the metric METEOR, has all entries, up to seven words per side; ``meteor-en`` what the matcher
``S_para`` can use.
"""

import sys
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from pfsm.errors import NotInstalledError
from pfsm.io.files import check_writable, checksum
from pfsm.lexicons.container import Lexicon, Source, write_lexicon
from pfsm.lexicons.paraphrase_formats import Pruner, read_paraphrases
from pfsm.lexicons.paraphrases import KIND, Links, compile_links, compile_paraphrases
from pfsm_installation import install_command


@dataclass(frozen=True)
class Recipe:
    """A lexicon that is compiled at its first use, from a package that the user has installed.

    Attributes:
        kind: Kind of the lexicon.
        about: One line: what it is.
        is_possible: Whether that package is installed.
        package: That package.
        extra: The extra of pfsm-metric that brings it.
        compile: Writes the lexicon to the path given.
    """

    kind: str
    about: str
    is_possible: Callable[[], bool]
    package: str
    extra: str
    compile: Callable[[Path], None]

    @property
    def install(self) -> str:
        """The command that installs the package, and what happens then."""
        return f"{install_command([self.extra])}{self._after}"

    def not_installed(self, what: str) -> NotInstalledError:
        """The error of something that cannot be had without the package; ``what`` says what it is."""
        return NotInstalledError(what, [self.package], [self.extra], after=self._after)

    @property
    def _after(self) -> str:
        return f" (the package {self.package}); it is compiled on first use"


NAME = "meteor-en"
PACKAGE = "pycocoevalcap"
LICENCE = "LGPL (METEOR 1.5)"
ABOUT = "METEOR 1.5's English paraphrases of at most two words per side"


def table_path() -> Path | None:
    """The table inside the installed package; None if there is none."""
    spec = find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        path = Path(folder) / "meteor" / "data" / "paraphrase-en.gz"
        if path.is_file():
            return path
    return None


def compile_meteor(path: Path) -> None:
    """Compiles the table, with progress on standard error.

    Raises:
        PfsmError: If the table is missing or the result cannot be written.
    """
    table = table_to_compile(NAME, path, "20 seconds")
    pruner = Pruner()
    pruner.add(
        read_paraphrases(table, "meteor"), lambda read, kept: say(f"{read:,} entries read, {kept:,} kept")
    )
    source = Source(table.name, checksum(table))
    write_lexicon(compile_paraphrases(NAME, pruner.pairs, LICENCE, [source], ABOUT), path)


def table_to_compile(name: str, path: Path, duration: str) -> Path:
    """The table inside the installed package; announces on standard error the compilation and its duration.

    Raises:
        PfsmError: If the table is missing or the lexicon could not be written.
    """
    table = table_path()
    if table is None:
        raise METEOR.not_installed(f"{PACKAGE} has no METEOR table")
    check_writable(path)
    say(f"compiling {name} into {path} (once, about {duration})")
    return table


def say(what: str) -> None:
    """Reports progress on standard error, if there is one."""
    if sys.stderr is not None:
        sys.stderr.write(f"pfsm: {what}\n")


METEOR = Recipe(KIND, ABOUT, lambda: table_path() is not None, PACKAGE, "paraphrases", compile_meteor)

FULL_NAME = "meteor-en-full"
FULL_ABOUT = "METEOR 1.5's English paraphrases, all of them; for the metric meteor"


def compile_meteor_full(path: Path) -> None:
    """Compiles the table, with progress on standard error. Takes about a minute and 2 GB of memory.

    Raises:
        PfsmError: If the table is missing or the result cannot be written.
    """
    write_lexicon(full_table(table_to_compile(FULL_NAME, path, "a minute")), path)


def full_table(path: Path) -> Lexicon:
    """The lexicon of a table in METEOR's format, every entry kept; probabilities above 1 count as 1.

    Raises:
        PfsmError: If the file cannot be read, or is not in METEOR's format.
    """
    number_of: dict[str, int] = {}
    given, meant, probabilities = array("i"), array("i"), array("d")
    for phrase, paraphrase, probability in read_paraphrases(path, "meteor"):
        given.append(number_of.setdefault(phrase, len(number_of)))
        meant.append(number_of.setdefault(paraphrase, len(number_of)))
        probabilities.append(probability)
    split = [tuple(phrase.split()) for phrase in number_of]
    place_of = {phrase: place for place, phrase in enumerate(sorted(set(split)))}
    place = np.fromiter((place_of[phrase] for phrase in split), np.int32, len(split))
    links = Links(
        place[np.frombuffer(given, np.int32)],
        place[np.frombuffer(meant, np.int32)],
        np.minimum(np.frombuffer(probabilities, np.float64), 1.0),
    )
    source = Source(path.name, checksum(path))
    return compile_links(FULL_NAME, list(place_of), links, LICENCE, [source], FULL_ABOUT)


METEOR_FULL = Recipe(KIND, FULL_ABOUT, METEOR.is_possible, METEOR.package, METEOR.extra, compile_meteor_full)
