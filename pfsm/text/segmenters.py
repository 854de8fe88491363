"""Tokenisers that need a library of their own, or none: ICU's word breaks, jieba, MeCab, single characters.

``icu`` finds words in all scripts, by dictionary in Chinese, Japanese, Thai, Lao, Khmer and Burmese (Unicode Standard
Annex 29 for the others). It comes with icu4py, or with PyICU. ``jieba`` is for Chinese, ``fugashi`` for Japanese (with
unidic-lite). Versions of the libraries stand in the signature, because their dictionaries decide what a word is.
``char`` takes every character but white space for a token, as sacrebleu's tokeniser of that name does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pfsm.errors import NotInstalledError
from pfsm.text.chunks import Tokeniser
from pfsm.text.watched import whole_line

Split = Callable[[str], Sequence[str]]
EXTRA = "languages"


@dataclass(frozen=True)
class Segmenter:
    """A tokeniser whose library is loaded at its first use.

    Attributes:
        name: Its name in settings.
        packages: Distributions that bring it; any one of the first set is enough, all of one set are needed.
        make: Gives the function that splits a text.
        whole: Whether the text is a whole line, not what stands between two spaces.
        in_extra: Whether the extra ``languages`` brings the first set of packages.
    """

    name: str
    packages: tuple[tuple[str, ...], ...]
    make: Callable[[], Split]
    whole: bool = False
    in_extra: bool = True

    def tokeniser(self) -> Tokeniser:
        """The tokeniser; nothing is loaded yet."""
        return Tokeniser(self.name, whole_line if self.whole else str.split, self._analyse)

    def _analyse(self, chunk: str) -> Sequence[str]:
        return [word for word in _loaded(self)(chunk) if not word.isspace()]

    def check(self) -> None:
        """Loads the library.

        Raises:
            NotInstalledError: If it is not installed.
        """
        _loaded(self)

    @property
    def label(self) -> str:
        """The name with the versions of what decides about words: ``icu(icu4py@1.2.0)``."""
        for packages in self.packages:
            try:
                return f"{self.name}({'+'.join(f'{one}@{version(one)}' for one in packages)})"
            except PackageNotFoundError:
                continue
        return self.name


@cache
def _loaded(segmenter: Segmenter) -> Split:
    try:
        return segmenter.make()
    except ImportError:
        packages = segmenter.packages[0]
        raise NotInstalledError(
            f"tokeniser {segmenter.name} needs {' and '.join(packages)}, not installed here",
            packages,
            [EXTRA] if segmenter.in_extra else [],
            [] if segmenter.in_extra else packages,
        ) from None


def _icu() -> Split:
    try:
        breakers = import_module("icu4py.breakers")
    except ImportError:
        return _pyicu(import_module("icu"))
    return lambda text: list(breakers.WordBreaker(text, "en"))


def _pyicu(icu: Any) -> Split:
    breaker = icu.BreakIterator.createWordInstance(icu.Locale("en"))

    def split(text: str) -> list[str]:
        # ICU counts in UTF-16.
        content = icu.UnicodeString(text)
        breaker.setText(content)
        first, words = 0, []
        for behind in breaker:
            words.append(str(content[first:behind]))
            first = behind
        return words

    return split


def _jieba() -> Split:
    jieba = import_module("jieba")
    jieba.setLogLevel(60)
    words = jieba.Tokenizer()
    words.initialize()
    return lambda text: list(words.cut(text, HMM=False))


def _fugashi() -> Split:
    fugashi, dictionary = import_module("fugashi"), import_module("unidic_lite")
    tagger = fugashi.Tagger(f'-d "{dictionary.DICDIR}"')
    return lambda text: [word.surface for word in tagger(text)]


CHARACTERS = Tokeniser("char", str.split, tuple)
ICU = Segmenter("icu", (("icu4py",), ("PyICU",)), _icu)
JIEBA = Segmenter("jieba", (("jieba",),), _jieba, in_extra=False)
FUGASHI = Segmenter("fugashi", (("fugashi", "unidic-lite"),), _fugashi, in_extra=False)
