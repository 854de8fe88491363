"""Forms of English verbs and nouns, by lists of irregular ones and rules for the others."""

import re
from functools import cache

from pfsm.facts.lists import lemma
from pfsm_linguistics.lists import by_word, rows, words

# Verbs of several syllables whose last one is stressed, so that its consonant is doubled.
_DOUBLED = words("inflection-doubled")
_ONE_SYLLABLE = re.compile(r"[^aeiou]*(?:qu)?[aeiou][bdfgklmnprtvz]$")
_IRREGULAR_PLURALS = by_word("inflection-plurals")


@cache
def _irregular() -> dict[str, tuple[str, str]]:
    return {base: (past, participle) for base, past, participle in rows("irregular-verbs")}


def verb_lemma(form: str) -> str:
    """The base form of a verb in lower case."""
    if form in {"'s", "is", "are", "am", "was", "were", "been", "being", "'re", "'m"}:
        return "be"
    return _BASES.get(form) or lemma(form, "v")


_BASES = by_word("inflection-bases")


def past(base: str) -> str:
    """The past tense: ``went``; of ``be``: ``was``."""
    return _irregular()[base][0] if base in _irregular() else _with_ed(base)


def participle(base: str) -> str:
    """The past participle: ``gone``."""
    return _irregular()[base][1] if base in _irregular() else _with_ed(base)


def third(base: str) -> str:
    """The third person singular of the present: ``goes``."""
    return {"be": "is", "have": "has"}.get(base) or _with_s(base)


def gerund(base: str) -> str:
    """The form on ``-ing``."""
    if base in {"be", "see", "flee", "agree", "free", "guarantee", "foresee", "oversee"}:
        return f"{base}ing"
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return f"{base[:-1]}ing"
    return f"{_doubled(base)}ing"


def plural(noun: str) -> str:
    """The plural of a noun."""
    if noun.endswith("craft"):
        return noun
    if noun.endswith("man") and noun not in {"human", "german", "roman", "shaman"}:
        return f"{noun[:-3]}men"
    return _IRREGULAR_PLURALS.get(noun) or _with_s(noun)


def _with_s(base: str) -> str:
    if re.search(r"[^aeiou]y$", base):
        return f"{base[:-1]}ies"
    if base in {"go", "do", "undergo", "veto", "echo"} or base.endswith(("s", "sh", "ch", "x", "z")):
        return f"{base}es"
    return f"{base}s"


def _with_ed(base: str) -> str:
    if base.endswith("e"):
        return f"{base}d"
    if re.search(r"[^aeiou]y$", base):
        return f"{base[:-1]}ied"
    return f"{_doubled(base)}ed"


def _doubled(base: str) -> str:
    if base in _DOUBLED or (_ONE_SYLLABLE.match(base) and base not in {"bus", "gas"}):
        return base + base[-1]
    if base.endswith("c"):
        return f"{base}k"
    return base


def inflected_like(base: str, form: str, tag: str) -> str | None:
    """Another word in the form of a given one, by its Penn Treebank tag; None where the form is not made."""
    if not form or tag in {"NN", "VB", "VBP", "JJ", "RB"}:
        return base if form else None
    makers = {"NNS": plural, "VBZ": third, "VBD": past, "VBN": participle, "VBG": gerund}
    return makers[tag](base) if tag in makers else None
