"""Languages as data sets name them, and their two-letter codes."""

import re

from pfsm.text.language_names import CODE_OF_NAME, NAMES

_PAIR = re.compile(r"(?<![A-Za-z0-9])([a-z]{2,3})-([a-z]{2,3})(?![A-Za-z0-9])")
# Languages of public data sets: few enough that no other word in a file's name is taken for one.
_SETS = (
    *("cs", "de", "en", "es", "et", "fi", "fr", "gu", "ha", "hi", "hu", "is", "it"),
    *("ja", "kk", "lt", "lv", "ne", "pl", "ro", "ru", "si", "ta", "tr", "uk", "zh"),
)
_KNOWN = frozenset(code for one in _SETS for code in (one, *NAMES[one].split()))


def language_code(name: str) -> str:
    """The two-letter code of a language by its English name or a three-letter code.

    An unknown name is returned in lower case.
    """
    lower = name.strip().lower()
    return CODE_OF_NAME.get(lower, lower)


def pair_in_name(name: str) -> tuple[str, str] | None:
    """The language pair in the name of a file (``ad-seg-scores-cs-en.csv``); None unless there is exactly one."""
    pairs = {
        (language_code(match[1]), language_code(match[2]))
        for match in _PAIR.finditer(name)
        if {match[1], match[2]} <= _KNOWN
    }
    return pairs.pop() if len(pairs) == 1 else None
