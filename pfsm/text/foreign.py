"""A guess whether text is in another language than English; no guess which one.

It is for warnings alone: nothing is scored or learned differently.
"""

from collections.abc import Iterable
from itertools import islice

from pfsm.text.language_names import english_name, main_code

# Common words of languages that are mostly written in ASCII letters, without those that English has too, also as names:
# met, den, pour, con, Dan, Los.
_COMMON = {
    "de": "der das und ist nicht ein eine einen auf für sich wird",
    "es": "el una que por para como",
    "fr": "le les des et une dans qui sur pas",
    "it": "il che di della sono gli",
    "nl": "het een niet voor zijn wordt",
    "pt": "uma da não pelo",
    "sv": "och att det som för inte ett",
    "da no": "og av på ikke",
    "pl": "nie jest się na że",
    "cs sl hr": "je se ve za si",
    "fi et": "ja ei oli että",
    "tr": "bir ve bu için",
    "ro": "este din cu",
    "id": "yang dengan untuk",
    "hu": "nem egy és hogy",
}
_WORDS = frozenset(word for words in _COMMON.values() for word in words.split())
# Common English words that these languages hardly have; a line with one is English, whatever names stand in it.
_ENGLISH = frozenset(
    word
    for words in (
        "about after and could from have he him his into its our said she should than that the their them then",
        "there these they this us we were what when which who with would you your",
    )
    for word in words.split()
)
_MARKS = ".,;:!?\"'()"
_MOST_LINES = 1_000
_LEAST_SHARE = 0.25


def doubt_of_english(name: str, language: str, lines: Iterable[str]) -> str:
    """What speaks against a model for text whose language nobody named; empty where nothing does.

    Args:
        name: Of the model.
        language: Of the model, as in its settings; only of English is there a guess.
        lines: The text; the first thousand lines are looked at.
    """
    own = main_code(language)
    if own != "en" or not looks_foreign(lines):
        return ""
    return f"model {name} is for {english_name(own)}, which the text does not look like"


def looks_foreign(lines: Iterable[str]) -> bool:
    """Whether a quarter of the lines or more have a word that English does not have: a common one, or other letters."""
    seen = list(islice(lines, _MOST_LINES))
    return bool(seen) and sum(map(_is_foreign, seen)) >= _LEAST_SHARE * len(seen)


def _is_foreign(line: str) -> bool:
    words = [word.strip(_MARKS) for word in line.split()]
    if not _ENGLISH.isdisjoint(map(str.lower, words)):
        return False
    # A capital within the line may be that of a name: "Angela Merkel visited São Paulo."
    plain = (word.lower() for place, word in enumerate(words) if place == 0 or not word[:1].isupper())
    return any(word in _WORDS or (not word.isascii() and _has_other_letter(word)) for word in plain)


def _has_other_letter(word: str) -> bool:
    return any(character > "\x7f" and character.isalpha() for character in word)
