"""Tokenisers that need a library of their own, or none: ICU's word breaks, jieba, MeCab, single characters.

``icu`` finds words in all scripts, by dictionary in Chinese, Japanese, Thai, Lao, Khmer and Burmese (Unicode Standard
Annex 29 for the others). It comes with icu4py, or with PyICU. ``jieba`` is for Chinese, ``fugashi`` for Japanese (with
unidic-lite). Versions of the libraries stand in the signature, because their dictionaries decide what a word is.
``char`` takes every character but white space for a token, as sacrebleu's tokeniser of that name does.

Tokenisers, sentence splitting and stemmers of NLTK, by name: ``nltk:toktok``, ``nltk:punkt-german``, ``nltk:isri``.

NLTK is loaded at the first use of one of them. Some need data of NLTK's, which the user has downloaded before
(`python -m nltk.downloader punkt_tab`); nothing is downloaded here. NLTK's version stands in the signature.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pfsm.errors import NotInstalledError, PfsmError
from pfsm.text.chunks import Tokeniser, whole_line

Split = Callable[[str], Sequence[str]]
EXTRA = "languages"


@dataclass(frozen=True)
class Segmenter:
    """A tokeniser whose library is loaded at its first use.

    Attributes:
        name: Its name in settings.
        packages: Distributions that bring it; any one of the first set is enough, all of one set are needed.
        make: Gives the function that splits a text.
        whole: Whether the text is a whole line, not a token between two spaces.
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
        """Loads the library."""
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


PREFIX = "nltk:"
PUNKT = f"{PREFIX}punkt-"
# By name, the class in ``nltk.tokenize`` (or the module behind it).
_TOKENISERS = {
    "toktok": ("nltk.tokenize.toktok", "ToktokTokenizer"),
    "treebank": ("nltk.tokenize.treebank", "TreebankWordTokenizer"),
    "destructive": ("nltk.tokenize.destructive", "NLTKWordTokenizer"),
    "wordpunct": ("nltk.tokenize.regexp", "WordPunctTokenizer"),
    "tweet": ("nltk.tokenize.casual", "TweetTokenizer"),
    "nist": ("nltk.tokenize.nist", "NISTTokenizer"),
}
PUNKT_LANGUAGES = (
    *("czech", "danish", "dutch", "english", "estonian", "finnish", "french", "german", "greek", "italian"),
    *("malayalam", "norwegian", "polish", "portuguese", "russian", "slovene", "spanish", "swedish"),
    "turkish",
)
_STEMMERS = {
    "arlstem": ("nltk.stem.arlstem", "ARLSTem"),
    "arlstem2": ("nltk.stem.arlstem2", "ARLSTem2"),
    "cistem": ("nltk.stem.cistem", "Cistem"),
    "isri": ("nltk.stem.isri", "ISRIStemmer"),
    "lancaster": ("nltk.stem.lancaster", "LancasterStemmer"),
    "porter": ("nltk.stem.porter", "PorterStemmer"),
    "rslp": ("nltk.stem.rslp", "RSLPStemmer"),
}
STEMMER_NAMES = tuple(f"{PREFIX}{name}" for name in _STEMMERS)


def _made(what: str, place: tuple[str, str], *arguments: str) -> Any:
    """An object of one of NLTK's classes."""
    try:
        # The import of some modules reads data already.
        return getattr(import_module(place[0]), place[1])(*arguments)
    except LookupError as error:
        raise _without_data(what, error) from None


def _without_data(what: str, error: LookupError) -> PfsmError:
    """NLTK's message is a page; the name of what is missing stands in it as ``nltk.download('NAME')``."""
    _, _, rest = str(error).partition("nltk.download('")
    name = rest.partition("'")[0] or "all"
    return PfsmError(f"{what} needs NLTK's data {name}; `python -m nltk.downloader {name}` fetches it")


def _tokeniser(name: str) -> Segmenter:
    def make() -> Split:
        return list_of(_made(f"tokeniser {PREFIX}{name}", _TOKENISERS[name]).tokenize)

    return Segmenter(f"{PREFIX}{name}", (("nltk",),), make, whole=True)


def list_of(tokenize: Callable[[str], Sequence[str]]) -> Split:
    """The function, whose result may be no list; empty tokens are left out."""
    return lambda text: [token for token in tokenize(text) if token]


def _punkt(language: str) -> Segmenter:
    """Sentences by Punkt (Kiss and Strunk 2006), words by NLTK: as ``nltk.word_tokenize``."""
    name = f"{PUNKT}{language}"

    def make() -> Split:
        words = _made(f"tokeniser {name}", _TOKENISERS["destructive"])
        split = sentence_splitter(language)
        return lambda text: [word for sentence in split(text) for word in words.tokenize(sentence)]

    return Segmenter(name, (("nltk",),), make, whole=True)


def sentence_splitter(language: str) -> Split:
    """Splits a text into sentences by Punkt, from the user's NLTK data ``punkt_tab``.

    Args:
        language: One of `PUNKT_LANGUAGES`.
    """
    place = ("nltk.tokenize.punkt", "PunktTokenizer")
    return list_of(_made(f"sentence splitting nltk:punkt-{language}", place, language).tokenize)


TOKENISERS = {one.name: one for one in (*map(_tokeniser, _TOKENISERS), *map(_punkt, PUNKT_LANGUAGES))}


def stems_of(name: str) -> Callable[[Sequence[str]], list[str]]:
    """The function that stems a list of lower-cased words.

    Args:
        name: One of `STEMMER_NAMES`.
    """
    try:
        stem = _made(f"stemmer {name}", _STEMMERS[name.removeprefix(PREFIX)]).stem
    except ImportError:
        raise NotInstalledError(
            f"stemmer {name} needs nltk, which is not installed", ["nltk"], [EXTRA]
        ) from None
    return lambda words: [_stem(stem, word) for word in words]


def _stem(stem: Callable[[str], str | None], word: str) -> str:
    """Some of NLTK's stemmers give nothing, or fail, for words that are too short or in other letters."""
    try:
        return stem(word) or word
    except (IndexError, ValueError):
        return word


def stemmer_label(name: str) -> str:
    """The name with NLTK's version: ``nltk:isri(nltk@3.9.1)``."""
    try:
        return f"{name}(nltk@{version('nltk')})"
    except PackageNotFoundError:
        return name
