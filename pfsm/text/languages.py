"""The tokeniser and the stemmer that a language gets by default.

English: Penn Treebank tokens and the Porter stemmer. Any other language: the plain tokeniser, and the Snowball stemmer
of the language if there is one.
"""

import re
from dataclasses import replace
from difflib import get_close_matches
from functools import partial

from pfsm.errors import PfsmError
from pfsm.registry import Table
from pfsm.text.characters import AS_IT_IS
from pfsm.text.chunks import Tokeniser, watched_tokeniser
from pfsm.text.language_names import CODE_OF_NAME, code_of
from pfsm.text.penn import PENN, sentence_keys
from pfsm.text.plain import PLAIN
from pfsm.text.segmenters import CHARACTERS, PUNKT, nltk_label
from pfsm.text.segmenters import TOKENISERS as NLTK
from pfsm.text.stemming import NO_STEMMER, check_stemmer

__all__ = [
    "check_language",
    "check_stemmer",
    "check_tokeniser",
    "default_stemmer",
    "default_tokeniser",
    "edition_tokeniser",
    "language_code",
    "ready_tokeniser",
    "tokeniser_label",
    "tokeniser_named",
]

_BUILT_IN: dict[str, Tokeniser | str] = {
    "penn": PENN,
    "plain": PLAIN,
    "char": CHARACTERS,
    **{name: one.tokeniser() for name, one in NLTK.items()},
}
TOKENISERS: Table[Tokeniser] = Table("tokeniser", _BUILT_IN, watched_tokeniser)

# ISO 639-1 and 639-3 codes of the languages that have a stemmer.
_STEMMERS = {
    "ar ara arb": "arabic", "ca cat": "catalan", "cs ces": "czech", "da dan": "danish", "de deu": "german",
    "el ell": "greek", "en eng": "porter", "eo epo": "esperanto", "es spa": "spanish",
    "et est ekk": "estonian", "eu eus": "basque", "fa fas pes": "persian", "fi fin": "finnish",
    "fr fra": "french", "ga gle": "irish", "hi hin": "hindi", "hu hun": "hungarian", "hy hye": "armenian",
    "id ind": "indonesian", "it ita": "italian", "lt lit": "lithuanian", "nb nn no nob nno nor": "norwegian",
    "ne nep npi": "nepali", "nl nld": "dutch", "pl pol": "polish", "pt por": "portuguese",
    "ro ron": "romanian", "ru rus": "russian", "sot st": "sesotho", "sr srp": "serbian", "sv swe": "swedish",
    "ta tam": "tamil", "tr tur": "turkish", "yi yid ydd": "yiddish",
}  # fmt: skip
_STEMMER_OF = {code: stemmer for codes, stemmer in _STEMMERS.items() for code in codes.split()}
_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]+)*")


def check_language(language: str) -> None:
    """Checks the form of a language code: ``en``, ``pt-BR``, ``zho_Hans``. Every code of this form is legal."""
    if not _CODE.fullmatch(language):
        known = ", ".join(code for code in sorted(_STEMMER_OF) if len(code) == 2)
        names = [name for name in CODE_OF_NAME if len(name) > 3]
        near = get_close_matches(language.strip().lower(), names, 1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise PfsmError(
            f"language is {language!r}, {meant}an ISO 639 code or an English name is needed, such as (with a stemmer) "
            f"{known}"
        )


def language_code(language: str) -> str:
    """The code of a language given by its code or English name: ``de`` for ``German``, ``deu`` for ``deu``."""
    code = code_of(language)
    check_language(code)
    return code


def default_tokeniser(language: str) -> str:
    """Name of the tokeniser of a language: ``penn`` for English, else ``plain``.

    Raises:
        PfsmError: If the language is not a language code.
    """
    return "penn" if _main_subtag(language) in {"en", "eng"} else "plain"


def default_stemmer(language: str) -> str:
    """Name of the stemmer of a language, ``none`` if it has none. Regions and scripts make no difference.

    Raises:
        PfsmError: If the language is not a language code.
    """
    return _STEMMER_OF.get(_main_subtag(language), NO_STEMMER)


def check_tokeniser(name: str) -> None:
    """Checks the name of a tokeniser."""
    _ = tokeniser_named(name)


def tokeniser_named(name: str) -> Tokeniser:
    """The tokeniser of a name."""
    if name not in TOKENISERS:
        known = [one for one in TOKENISERS if not one.startswith(PUNKT)]
        raise PfsmError(f"tokeniser is {name!r}, one of these is needed: {', '.join(known)}, {PUNKT}LANGUAGE")
    return TOKENISERS[name]


def ready_tokeniser(name: str) -> Tokeniser:
    """The tokeniser of a name, with the library that it needs."""
    if name in NLTK:
        NLTK[name].check()
    return tokeniser_named(name)


def edition_tokeniser(name: str, language: str, edition: int) -> Tokeniser:
    """The tokeniser of a name as a text edition has it: ``penn`` goes sentence by sentence from the second on."""
    tokeniser = ready_tokeniser(name)
    if name != PENN.name or edition == AS_IT_IS:
        return tokeniser
    return replace(tokeniser, keys=partial(sentence_keys, language=language))


def tokeniser_label(name: str) -> str:
    """The name as signatures have it, with the versions of what decides about words: ``nltk:toktok(nltk@3.9.1)``."""
    return nltk_label(name) if name in NLTK else TOKENISERS.label(name)


def _main_subtag(language: str) -> str:
    check_language(language)
    return re.split("[-_]", language, maxsplit=1)[0].lower()
