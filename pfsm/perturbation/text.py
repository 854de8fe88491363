"""A text to be changed: its words with their places, and for English their tags and heads."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import TypeVar

from pfsm.facts.lists import words
from pfsm.text.classes import CLASSES, SHIPPED, WordClasses, default_lists, word_classes
from pfsm.text.language_names import main_code
from pfsm.text.offsets import Word
from pfsm.text.plain import tokenise

Item = TypeVar("Item")


class Dice:
    """Draws for one text and one kind: the digits of a hash of all three, extended by a counter."""

    def __init__(self, seed: int, kind: str, text: str) -> None:
        self._key = blake2b(
            f"{seed}\0{kind}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16
        ).digest()
        self._count = 0

    @property
    def rank(self) -> bytes:
        """A value by which texts are sorted at random; it takes no draw."""
        return self._key

    def below(self, limit: int) -> int:
        """A whole number from 0, less than ``limit``."""
        self._count += 1
        drawn = blake2b(self._count.to_bytes(8, "little"), key=self._key, digest_size=8).digest()
        return int.from_bytes(drawn, "little") % limit

    def between(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """All items in a random order (Fisher-Yates)."""
        result = list(items)
        for place in range(len(result) - 1, 0, -1):
            other = self.below(place + 1)
            result[place], result[other] = result[other], result[place]
        return result


class Pool:
    """Texts on a ring.

    Args:
        texts: The texts; their order and repetitions make no difference.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        ring = sorted((_place(text), text) for text in set(texts) if text.strip())
        self._places = [place for place, _ in ring]
        self._texts = [text for _, text in ring]

    def after(self, text: str, most: int = 20) -> Iterator[str]:
        """The texts that follow one on the ring, at most so many, without itself."""
        start = bisect_right(self._places, _place(text))
        for step in range(min(most, len(self._texts))):
            found = self._texts[(start + step) % len(self._texts)]
            if found != text:
                yield found


def _place(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


_SENTENCE_END = re.compile(r"[.!?…:。！？]$")
_OPENERS = "\"'“‘«„([{–—-*"


@dataclass(frozen=True)
class Token:
    """A word of a parsed line.

    Attributes:
        form: As it stands in the line.
        start: Position of its first character.
        end: Position after its last character.
        upos: Universal part of speech.
        xpos: Penn Treebank tag.
        head: Index of its head; -1 for the root of a sentence.
        label: Relation to its head.
        at: Its own index.
    """

    form: str
    start: int
    end: int
    upos: str
    xpos: str
    head: int
    label: str
    at: int

    @property
    def lower(self) -> str:
        """In lower case, with a typewriter's apostrophe."""
        return self.form.lower().replace("’", "'")


@dataclass(frozen=True, eq=False)
class Parse:
    """A parsed line of English.

    Attributes:
        tokens: The words.
        starts: Index of the first word of each sentence.
    """

    tokens: tuple[Token, ...]
    starts: tuple[int, ...]

    @cached_property
    def _dependents(self) -> dict[int, list[Token]]:
        found: dict[int, list[Token]] = {}
        for token in self.tokens:
            found.setdefault(token.head, []).append(token)
        return found

    def children(self, token: Token, *labels: str) -> list[Token]:
        """Dependents of a word in their order; with labels, those whose label or its first part is among them."""
        found = self._dependents.get(token.at, [])
        if not labels:
            return found
        return [one for one in found if one.label in labels or one.label.split(":")[0] in labels]

    def child(self, token: Token, *labels: str) -> Token | None:
        """The first of `children`."""
        return next(iter(self.children(token, *labels)), None)

    def head(self, token: Token) -> Token | None:
        """The word that a word depends on; None for a root."""
        return self.tokens[token.head] if token.head >= 0 else None

    def subtree(self, token: Token) -> list[Token]:
        """A word and all below it, in their order."""
        found, pending = [], [token]
        while pending:
            one = pending.pop()
            found.append(one)
            pending += self._dependents.get(one.at, [])
        return sorted(found, key=lambda one: one.at)

    def phrase(self, token: Token) -> list[Token]:
        """The subtree without punctuation at its ends; empty if its words do not stand together."""
        found = self.subtree(token)
        while found and found[0].upos == "PUNCT":
            found.pop(0)
        while found and found[-1].upos == "PUNCT":
            found.pop()
        together = bool(found) and found[-1].at - found[0].at == len(found) - 1
        return found if together else []

    def next(self, token: Token) -> Token | None:
        """The word after a word; None at the end of the line."""
        return self.tokens[token.at + 1] if token.at + 1 < len(self.tokens) else None

    def previous(self, token: Token) -> Token | None:
        """The word before a word; None at the start of the line."""
        return self.tokens[token.at - 1] if token.at else None

    def is_first(self, token: Token) -> bool:
        """Whether a word opens a sentence, or stands behind a mark that may open one."""
        if token.at in self.starts:
            return True
        before = self.tokens[token.at - 1]
        return before.upos == "PUNCT" and before.form not in {",", "-", "–", ")", "”", "’", ";", "/"}


@dataclass(frozen=True, eq=False)
class Text:
    """A text to be changed.

    Attributes:
        line: The text.
        language: Code of its language.
        pool: Other texts of the file.
        source: What it translates; empty if not known.
        parsed: Its parse; None if it was not parsed.
    """

    line: str
    language: str
    pool: Pool
    source: str = ""
    parsed: Parse | None = field(default=None, repr=False)

    @cached_property
    def tokens(self) -> list[Word]:
        """All tokens by the plain tokeniser, with their places."""
        found, at = [], 0
        for form in tokenise(self.line):
            start = self.line.index(form, at)
            at = start + len(form)
            found.append(Word(form, start, at))
        return found

    @cached_property
    def words(self) -> list[Word]:
        """Tokens with a letter or a digit."""
        return [token for token in self.tokens if is_word(token.form)]

    @cached_property
    def classes(self) -> WordClasses:
        """Word classes of the language; by form alone where it has no lists."""
        name = default_lists(self.language)
        return word_classes(name if name in SHIPPED else {})

    def class_of(self, word: Word) -> str:
        """The class of a word, such as ``name``."""
        return CLASSES[self.classes.of(word.form)]

    @cached_property
    def content(self) -> list[Word]:
        """Words that carry meaning.

        By the lists of the language these are its content words, names and numbers. Without lists they are words of at
        least four letters, or any words if there is none so long, as in scripts without spaces.
        """
        if default_lists(self.language) not in SHIPPED:
            return [word for word in self.words if len(word.form) >= 4] or self.words
        heavy = (word for word in self.words if word.form.lower() not in _LIGHT)
        return [word for word in heavy if self.class_of(word) in {"content", "name", "number"}]

    @property
    def spaced(self) -> bool:
        """Whether white space stands between its words, as a rule."""
        gaps = [self.line[a.end : b.start] for a, b in pairwise(self.words)]
        return gaps.count("") * 2 <= len(gaps)

    @property
    def gap(self) -> str:
        """What stands between two words."""
        return " " if self.spaced else ""

    @cached_property
    def is_first(self) -> frozenset[int]:
        """Places at which a word begins that opens a sentence or a quotation."""
        starts, opens = set(), True
        for token in self.tokens:
            if is_word(token.form):
                if opens:
                    starts.add(token.start)
                opens = False
            elif _SENTENCE_END.search(token.form) or token.form[0] in _OPENERS:
                opens = True
        return frozenset(starts)

    @property
    def parse(self) -> Parse:
        """The parse; without words where there is none."""
        return self.parsed or Parse((), ())

    @property
    def is_english(self) -> bool:
        """Whether its language is English."""
        return main_code(self.language) == "en"

    @property
    def is_parsed(self) -> bool:
        """Whether tags and heads are known."""
        return self.parsed is not None

    def neighbours(self) -> Iterator["Text"]:
        """Other texts of the file."""
        for line in self.pool.after(self.line):
            yield Text(line, self.language, self.pool)


# Their loss or repetition may go unnoticed.
_LIGHT = words("text-light")


def is_letters(form: str) -> bool:
    """Whether a word consists of letters and marks alone, such as vowel signs."""
    return all(character.isalpha() or unicodedata.category(character)[0] == "M" for character in form)


def is_word(form: str) -> bool:
    """Whether a token has a letter or a digit."""
    return any(map(str.isalnum, form))
