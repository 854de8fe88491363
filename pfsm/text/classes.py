"""Word classes: what sort of word a token is, by its form and by word lists of its language.

A token belongs to the first of these classes that claims it:

- ``punctuation``: no character is a letter or digit;
- ``number``: it has a numeral (Unicode category N), or all its parts between hyphens are on the list;
- ``negation``: it is on the list;
- ``function``: it is on the list, and not written in capitals throughout (``US``, ``IT``, ``WHO`` are names);
- ``name``: it has a capital letter, and is not on the list of content words;
- ``content``: all else.

Words are looked up in lower case, and all kinds of apostrophes and hyphens count as the same. The class depends on the
form alone, wherever it stands. A content word that opens a sentence has a capital letter, so it counts as a name unless
it is on the list of content words; that list is meant for words that often open sentences. In German, which writes
every noun with a capital, ``name`` means noun or name; in scripts without capitals nothing is a name.
"""

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.text.vocabulary import Vocabulary

CLASSES = ("punctuation", "number", "negation", "function", "name", "content")
LISTED = ("number", "negation", "function", "content")
SHIPPED = ("en",)

# Lists by class, as settings hold them: sorted, in lower case, each word once.
Lists = Mapping[str, Sequence[str]]

_PUNCTUATION, _NUMBER, _NEGATION, _FUNCTION, _NAME, _CONTENT = range(len(CLASSES))
_TYPEWRITTEN = str.maketrans("’ʼ＇‐‑", "'''--")
_CAPITALS = frozenset({"Lu", "Lt"})


@dataclass(frozen=True)
class WordClasses:
    """The classes of words under given lists.

    Attributes:
        number: Words for numbers, in lower case.
        negation: Words that negate.
        function: Words with a grammatical role rather than a meaning.
        content: Words that are not names even when they have a capital.
    """

    number: frozenset[str] = frozenset()
    negation: frozenset[str] = frozenset()
    function: frozenset[str] = frozenset()
    content: frozenset[str] = frozenset()

    @property
    def checksum(self) -> str:
        """First 8 hex digits of a SHA-256 over the lists."""
        lists = [sorted(getattr(self, name)) for name in LISTED]
        return hashlib.sha256(json.dumps(lists).encode()).hexdigest()[:8]

    def of(self, token: str) -> int:
        """Class of a token in its own case, an index into ``CLASSES``."""
        is_letters = (
            token.isascii() and token.isalpha()
        )  # as most words are, which needs no look at each character
        if not is_letters and not any(map(str.isalnum, token)):
            return _PUNCTUATION
        word = token.lower() if is_letters else normal_form(token)
        has_digit = not is_letters and any(unicodedata.category(one)[0] == "N" for one in word)
        if has_digit or self.number.issuperset(word.split("-")):
            return _NUMBER
        if word in self.negation:
            return _NEGATION
        if token.isupper() and sum(map(str.isalpha, token)) > 1:
            return _NAME
        if word in self.function:
            return _FUNCTION
        has_capital = (
            token != word if is_letters else not _CAPITALS.isdisjoint(map(unicodedata.category, token))
        )
        if word in self.content or not has_capital:
            return _CONTENT
        return _NAME

    def of_types(self, vocabulary: Vocabulary) -> NDArray[np.int32]:
        """Class of every type, int32 [n_types], computed once per type."""
        return vocabulary.column(self._of_all)

    def _of_all(self, tokens: Sequence[str]) -> list[int]:
        return list(map(self.of, tokens))


def normal_form(word: str) -> str:
    """A word in the form of the lists: lower case, ASCII apostrophes and hyphens."""
    return word.lower().translate(_TYPEWRITTEN)


def word_classes(lists: str | Lists) -> WordClasses:
    """The classes by a shipped list, given by name, or by the user's own lists."""
    given = shipped_lists(lists) if isinstance(lists, str) else lists
    return WordClasses(**{name: frozenset(given.get(name, ())) for name in LISTED})


@cache
def shipped_lists(name: str) -> Lists:
    """The shipped lists of a language."""
    if name not in SHIPPED:
        raise PfsmError(
            f"no word lists ship for {name!r} (they do for {', '.join(SHIPPED)}); give your own: "
            f"classes: {{function: [...], negation: [...]}}"
        )
    text = (files("pfsm.resources") / "classes" / f"{name}.txt").read_text(encoding="utf-8")
    lists: dict[str, list[str]] = {}
    words: list[str] = []
    for line in text.splitlines():
        content = line.partition("#")[0].strip()
        if content.startswith("["):
            words = lists.setdefault(content.strip("[]"), [])
        else:
            words += content.split()
    return {key: _tidied(found) for key, found in lists.items()}


def default_lists(language: str) -> str:
    """Name of the shipped lists for a language code; the code's first part if there are none."""
    main = language.replace("_", "-").partition("-")[0].lower()
    return {"eng": "en"}.get(main, main)


def check_lists(value: object, where: str) -> str | dict[str, list[str]]:
    """The setting ``classes``: name of a shipped list, or a mapping from classes to words."""
    if isinstance(value, str):
        try:
            shipped_lists(value)
        except PfsmError as error:
            raise PfsmError(f"{where}: {error}") from None
        return value
    if not isinstance(value, Mapping):
        raise PfsmError(f"{where}: classes is {value!r}, it must name a shipped list or hold lists of words")
    for key in value:
        if key not in LISTED:
            raise PfsmError(f"{where}: classes has no list {key!r}; lists are {', '.join(LISTED)}")
    return {key: _checked(value[key], key, where) for key in LISTED if key in value}


def _checked(words: object, key: str, where: str) -> list[str]:
    if not isinstance(words, list | tuple):
        raise PfsmError(f"{where}: classes: {key} is {words!r}, it must be a list of words")
    for word in words:
        # YAML reads no, yes, on, off without quotes as true or false.
        if not isinstance(word, str):
            raise PfsmError(f"{where}: classes: {key} holds {word!r}, which is not a word; put it in quotes")
        if len(word.split()) != 1 or word.strip() != word:
            raise PfsmError(
                f"{where}: classes: {key} holds {word!r}; a word must not be empty or contain white space"
            )
    return _tidied(words)


def _tidied(words: Iterable[str]) -> list[str]:
    return sorted(set(map(normal_form, words)))
