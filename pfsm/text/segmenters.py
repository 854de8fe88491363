"""Tokenisers, sentence splitting and stemmers of NLTK, by name: ``nltk:toktok``, ``nltk:punkt-german``, ``nltk:isri``.

NLTK is loaded at the first use of one of them. Some need data of NLTK's, which the user has downloaded before
(`python -m nltk.downloader punkt_tab`); nothing is downloaded here. NLTK's version stands in the signature.

``char`` takes every character but white space for a token, as sacrebleu's tokeniser of that name does.
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
CHARACTERS = Tokeniser("char", str.split, tuple)


@dataclass(frozen=True)
class Segmenter:
    """A tokeniser of NLTK, which is loaded at its first use.

    Attributes:
        name: Its name in settings.
        make: Gives the function that splits a line.
    """

    name: str
    make: Callable[[], Split]

    def tokeniser(self) -> Tokeniser:
        """The tokeniser; nothing is loaded yet."""
        return Tokeniser(self.name, whole_line, self._analyse)

    def _analyse(self, line: str) -> Sequence[str]:
        return [word for word in _loaded(self)(line) if not word.isspace()]

    def check(self) -> None:
        """Loads NLTK, and the data that the tokeniser needs."""
        _loaded(self)


@cache
def _loaded(segmenter: Segmenter) -> Split:
    try:
        return segmenter.make()
    except ImportError:
        raise _not_installed(f"tokeniser {segmenter.name}") from None


def _not_installed(what: str) -> NotInstalledError:
    return NotInstalledError(f"{what} needs nltk, which is not installed", ["nltk"], [EXTRA])


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

    return Segmenter(f"{PREFIX}{name}", make)


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

    return Segmenter(name, make)


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
        raise _not_installed(f"stemmer {name}") from None
    return lambda words: [_stem(stem, word) for word in words]


def _stem(stem: Callable[[str], str | None], word: str) -> str:
    """Some of NLTK's stemmers give nothing, or fail, for words that are too short or in other letters."""
    try:
        return stem(word) or word
    except (IndexError, ValueError):
        return word


def nltk_label(name: str) -> str:
    """The name with NLTK's version: ``nltk:isri(nltk@3.9.1)``."""
    try:
        return f"{name}(nltk@{version('nltk')})"
    except PackageNotFoundError:
        return name
