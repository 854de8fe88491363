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
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pfsm.errors import NotInstalledError
from pfsm.installation import install_command
from pfsm.io.files import check_writable, checksum
from pfsm.lexicons.compiling import Links, compile_links, compile_paraphrases
from pfsm.lexicons.container import Lexicon, Source, write_lexicon
from pfsm.lexicons.paraphrase_formats import pruned, read_paraphrases

NAME, FULL_NAME = "meteor-en", "meteor-en-full"
PACKAGE, EXTRA = "pycocoevalcap", "paraphrases"
LICENCE = "LGPL (METEOR 1.5)"
_AFTER = f" (the package {PACKAGE}); it is compiled on first use"


def how_to_install() -> str:
    """The command that installs the package, and what happens then."""
    return f"{install_command([EXTRA])}{_AFTER}"


def not_installed(what: str) -> NotInstalledError:
    """The error of something that cannot be had without the package; ``what`` says what it is."""
    return NotInstalledError(what, [PACKAGE], [EXTRA], after=_AFTER)


def table_path() -> Path | None:
    """The table inside the installed package; None if there is none."""
    spec = find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        path = Path(folder) / "meteor" / "data" / "paraphrase-en.gz"
        if path.is_file():
            return path
    return None


class Recipe(NamedTuple):
    """A lexicon that is compiled at its first use from that table: what it is, how long that takes, and how it goes."""

    about: str
    duration: str
    make: Callable[[Path], Lexicon]


def compile_meteor(name: str, path: Path) -> None:
    """Compiles a lexicon of ``RECIPES``, with progress on standard error.

    Raises:
        PfsmError: If the table is missing or the result cannot be written.
    """
    table, recipe = table_path(), RECIPES[name]
    if table is None:
        raise not_installed(f"the table of paraphrases {name} is not installed")
    check_writable(path)
    say(f"compiling {name} into {path} (once, about {recipe.duration})")
    write_lexicon(recipe.make(table), path)


def say(what: str) -> None:
    """Reports progress on standard error, if there is one."""
    if sys.stderr is not None:
        sys.stderr.write(f"pfsm: {what}\n")


def _short_table(path: Path) -> Lexicon:
    """The entries of a table in METEOR's format that the matcher of paraphrases can use."""
    pairs, _ = pruned(
        read_paraphrases(path, "meteor"),
        progress=lambda read, kept: say(f"{read:,} entries read, {kept:,} kept"),
    )
    return compile_paraphrases(NAME, pairs, LICENCE, [_source(path)], RECIPES[NAME].about)


def _full_table(path: Path) -> Lexicon:
    """All entries of a table in METEOR's format; probabilities above 1 count as 1. Takes a minute and 2 GB."""
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
    return compile_links(FULL_NAME, list(place_of), links, LICENCE, [_source(path)], RECIPES[FULL_NAME].about)


def _source(path: Path) -> Source:
    return Source(path.name, checksum(path))


RECIPES = {
    NAME: Recipe(
        "METEOR 1.5's English paraphrases of at most two words per side", "20 seconds", _short_table
    ),
    FULL_NAME: Recipe(
        "METEOR 1.5's English paraphrases, all of them; for the metric meteor", "a minute", _full_table
    ),
}
