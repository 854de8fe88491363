"""Function words and abbreviations: METEOR's, from a package of the user's, or our own.

METEOR calls a word a function word where its relative frequency in a large corpus is above .001. Its lists and those of
its tokeniser are in METEOR's program, which the PyPI package ``pycocoevalcap`` brings; no part of it ships with pfsm.
Our lists of function words (English, German, Spanish) were made by the same rule from references of public test sets.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from zipfile import BadZipFile, ZipFile

from pfsm.errors import PfsmError
from pfsm.lexicons.meteor import METEOR, table_path
from pfsm.metrics.meteor.normaliser import Abbreviations

_PROGRAM = "meteor-1.5.jar"
_NUMBERS_ONLY = "#NUMERIC_ONLY#"
_LANGUAGES = {
    "cs": "czech", "de": "german", "en": "english", "es": "spanish", "fr": "french", "ru": "russian",
}  # fmt: skip


@dataclass(frozen=True)
class WordLists:
    """Word lists of a language.

    Attributes:
        label: Where they are from, as in signatures.
        function_words: In lower case.
        abbreviations: For the tokeniser.
    """

    label: str
    function_words: frozenset[str]
    abbreviations: Abbreviations


@cache
def own_lists(language: str) -> WordLists:
    """Our lists; empty for a language that we have none of."""
    abbreviations = _sections("abbreviations.txt")
    return WordLists(
        "pfsm",
        _sections("function_words.txt").get(language, frozenset()),
        Abbreviations(
            abbreviations.get(language, frozenset()),
            abbreviations.get(f"{language} before numbers", frozenset()),
        ),
    )


def _sections(name: str) -> dict[str, frozenset[str]]:
    """Words by section of one of our files."""
    text = (files("pfsm.resources") / "meteor" / name).read_text("utf-8")
    sections: dict[str, set[str]] = {}
    section: set[str] = set()
    for line in text.splitlines():
        if line.startswith("[") and line.endswith("]"):
            section = sections.setdefault(line[1:-1], set())
        elif not line.startswith("# "):
            section.update(line.split())
    return {title: frozenset(words) for title, words in sections.items()}


@cache
def meteor_lists(language: str) -> WordLists:
    """METEOR 1.5's lists; empty for a language that it has none of.

    Raises:
        PfsmError: If the package that brings them is not installed, or damaged.
    """
    table = table_path()
    if table is None:
        raise METEOR.not_installed("metric meteor: METEOR's word lists are not installed")
    program = table.parent.parent / _PROGRAM
    name = _LANGUAGES.get(language, "")
    try:
        with ZipFile(program) as archive:
            known = set(archive.namelist())
            function, prefixes = (
                archive.read(member).decode("utf-8").splitlines() if member in known else []
                for member in (f"function/{name}.words", f"nonbreaking/{name}.prefixes")
            )
    except (OSError, BadZipFile, UnicodeDecodeError) as error:
        raise PfsmError(
            f"{program}: cannot be read ({error}); install the package pycocoevalcap again"
        ) from None
    return WordLists(
        "meteor-1.5", frozenset(word for line in function for word in line.split()), _read(prefixes)
    )


def _read(lines: Iterable[str]) -> Abbreviations:
    """Abbreviations in the form of METEOR's files: one a line, ``#`` begins a comment."""
    everywhere: set[str] = set()
    before_numbers: set[str] = set()
    for line in lines:
        if line.strip() and not line.startswith("#"):
            word, _, rest = line.strip().partition(" ")
            (before_numbers if _NUMBERS_ONLY in rest else everywhere).add(word)
    return Abbreviations(frozenset(everywhere), frozenset(before_numbers))
