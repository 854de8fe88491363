"""METEOR's own tokenisation (its option ``-norm``), punctuation kept, in lower case.

The rules, for languages in Latin and Cyrillic script, in the order in which they apply:

1. Every sign but letters, digits, ``. , - ' ``` and single quotes stands alone.
2. A run of two or more periods stands alone.
3. A comma stands alone unless it is between two digits.
4. Quotes of any shape become ``'`` and ``"``, dashes ``-``; a hyphen inside a word becomes a space.
5. Apostrophes: English cuts before them inside a word (``don 't``) and around them at its edges; French behind them
   (``l' eau``) and around them; the other languages around them everywhere.
6. A final period stands alone, unless what is before it is an abbreviation, or the next word begins in lower case. A
   word with periods inside loses them all: ``U.S.`` is ``us``.

Written from the behaviour of METEOR 1.5. Where METEOR's substitutions overlap (``x-y-z``, ``a,b,c``) it misses every
second place; here the rules apply everywhere. No rule looks past white space, but for the final period.

Function words and abbreviations are METEOR's, from a package of the user's, or our own. METEOR calls a word a
function word where its relative frequency in a large corpus is above .001. Its lists and those of its tokeniser are
in METEOR's program, which the PyPI package ``pycocoevalcap`` brings; no part of it ships with pfsm. Our lists of
function words (English, German, Spanish) were made by the same rule from references of public test sets.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from zipfile import BadZipFile, ZipFile

from pfsm.errors import PfsmError
from pfsm.lexicons.meteor import not_installed, table_path
from pfsm.text.chunks import Tokeniser

# Latin as far as U+017E, Cyrillic with its extensions, phonetic letters. METEOR takes all others for signs.
_LETTERS = "A-Za-zÀ-ÖØ-öø-ž\u0400-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
_LETTER = re.compile(f"[{_LETTERS}]")
_SIGN = re.compile(f"([^0-9{_LETTERS}\\s.'`,‘’-])")
_PERIODS = re.compile(r"(\.{2,})")
_COMMA = re.compile(r"(?<![0-9]),|,(?![0-9])")
_QUOTES = str.maketrans({"`": "'", "‘": "'", "’": "'", "“": '"', "”": '"', "–": "-"})
_HYPHEN = re.compile(f"(?<=[0-9{_LETTERS}.])-(?=[0-9{_LETTERS}])")
_APOSTROPHE = re.compile(
    f"(?P<inside>(?<=[{_LETTERS}])'(?=[{_LETTERS}]))"
    "|(?P<decade>(?<=[0-9])'(?=s))"
    f"|(?P<number>(?<=[0-9])'(?=[{_LETTERS}]))"
    "|(?P<edge>')"
)
_ENGLISH = {"inside": " '", "decade": " '", "number": "'", "edge": " ' "}
_FRENCH = {"inside": "' ", "decade": " ' ", "number": " ' ", "edge": " ' "}
# A word with a final period, and how the word after it begins.
_FINAL = re.compile(r"(?<!\S)(\S*[^\s.])\.(?=(?: +(?P<next>\S))?)(?!\S)")


@dataclass(frozen=True)
class Abbreviations:
    """Abbreviations of a language, without their final periods; case counts.

    Attributes:
        everywhere: After these a period stays.
        before_numbers: After these only where the next word begins with a digit.
    """

    everywhere: frozenset[str] = frozenset()
    before_numbers: frozenset[str] = frozenset()

    def replacement(self, match: re.Match[str]) -> str:
        """What a word with a final period becomes."""
        word, following = match[1], match["next"] or ""
        if "." in word and _LETTER.search(word):
            return word.replace(".", "")
        stays = word in self.everywhere or "a" <= following <= "z"
        if stays or (word in self.before_numbers and "0" <= following <= "9"):
            return match[0]
        return f"{word} ."


def meteor_tokeniser(language: str, abbreviations: Abbreviations) -> Tokeniser:
    """The tokeniser of a language (its code, such as ``en``); its tokens are in lower case."""

    def analyse(key: str) -> tuple[str, ...]:
        chunk, space, _ = key.partition(" ")
        tokens = tuple(_tokens(key, language, abbreviations))
        return tokens[:-1] if space and chunk else tokens

    return Tokeniser("meteor", _keys, analyse)


def _keys(line: str) -> list[str]:
    """Chunks between white space; one with a final period is followed by ``a`` or ``0`` where the next begins so."""
    chunks = line.split()
    if "." not in line:
        return chunks
    for place, following in enumerate(chunks[1:]):
        if chunks[place][-1] == ".":
            first = following[0]
            if "a" <= first <= "z":
                chunks[place] += " a"
            elif "0" <= first <= "9":
                chunks[place] += " 0"
    return chunks


def _tokens(text: str, language: str, abbreviations: Abbreviations) -> list[str]:
    if text.isascii() and text.isalnum():  # most words; no rule says anything about them
        return [text.lower()]
    text = _PERIODS.sub(r" \1 ", _SIGN.sub(r" \1 ", text))
    text = _COMMA.sub(" , ", text).translate(_QUOTES).replace("''", ' " ').replace("--", "-")
    text = _split_apostrophes(_HYPHEN.sub(" ", text), language)
    return _FINAL.sub(abbreviations.replacement, text).lower().split()


def _split_apostrophes(text: str, language: str) -> str:
    if language not in {"en", "fr"}:
        return text.replace("'", " ' ")
    written = _ENGLISH if language == "en" else _FRENCH
    return _APOSTROPHE.sub(lambda match: written[str(match.lastgroup)], text)


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
        raise not_installed("metric meteor: METEOR's word lists are not installed")
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
