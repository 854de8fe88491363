"""METEOR's English paraphrase table, for users who have installed a package that contains it.

The PyPI package ``pycocoevalcap`` (extra ``paraphrases``) contains METEOR 1.5 with ``paraphrase-en.gz``, 5.3
million entries, under the LGPL. No part of it ships with pfsm. The table ``meteor-en`` is compiled on the user's
machine when a model first needs it.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

from pfsm.io.files import check_writable, checksum
from pfsm.lexicons.container import Source, write_lexicon
from pfsm.lexicons.paraphrase_formats import read_paraphrases
from pfsm.lexicons.paraphrases import KIND, compile_paraphrases
from pfsm.lexicons.pruning import Pruner
from pfsm.lexicons.recipe import Recipe

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
        read_paraphrases(table, "meteor"),
        lambda read, kept: say(f"{read:,} entries read, {kept:,} kept"),
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


METEOR = Recipe(
    KIND,
    ABOUT,
    lambda: table_path() is not None,
    PACKAGE,
    "paraphrases",
    compile_meteor,
)
