"""Languages as data sets name them, and their two-letter codes."""

import re

_CODES = {
    "cs": "czech cze ces cz",
    "de": "german ger deu",
    "en": "english eng",
    "es": "spanish spa",
    "et": "estonian est",
    "fi": "finnish fin",
    "fr": "french fre fra",
    "gu": "gujarati guj",
    "ha": "hausa hau",
    "hi": "hindi hin",
    "hu": "hungarian hun",
    "is": "icelandic ice isl",
    "it": "italian ita",
    "ja": "japanese jpn",
    "kk": "kazakh kaz",
    "lt": "lithuanian lit",
    "lv": "latvian lav",
    "ne": "nepali nep",
    "pl": "polish pol",
    "ro": "romanian rum ron",
    "ru": "russian rus",
    "si": "sinhala sin",
    "ta": "tamil tam",
    "tr": "turkish tur",
    "uk": "ukrainian ukr",
    "zh": "chinese chi zho",
}
_BY_NAME = {name: code for code, names in _CODES.items() for name in names.split()}
_PAIR = re.compile(r"(?<![A-Za-z0-9])([a-z]{2,3})-([a-z]{2,3})(?![A-Za-z0-9])")
_KNOWN = frozenset(_CODES) | frozenset(_BY_NAME)


def language_code(name: str) -> str:
    """The two-letter code of a language by its English name or a three-letter code.

    An unknown name is returned in lower case.
    """
    lower = name.strip().lower()
    return _BY_NAME.get(lower, lower)


def pair_in_name(name: str) -> tuple[str, str] | None:
    """The language pair in the name of a file (``ad-seg-scores-cs-en.csv``); None unless there is exactly one."""
    pairs = {
        (language_code(match[1]), language_code(match[2]))
        for match in _PAIR.finditer(name)
        if {match[1], match[2]} <= _KNOWN
    }
    return pairs.pop() if len(pairs) == 1 else None
