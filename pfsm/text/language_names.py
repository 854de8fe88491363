"""English names of languages, and their two-letter codes: what data sets, settings and options may call a language.

A guess whether text is in another language than English; no guess which one.

It is for warnings alone: nothing is scored or learned differently.
"""

import re
from collections.abc import Iterable
from itertools import islice

from pfsm.text.characters import composed

# The language of a model that is for any: "undetermined" in ISO 639-2.
ANY = "und"

# Two-letter code -> names in lower case and three-letter codes.
NAMES = {
    "af": "afrikaans afr",
    "am": "amharic amh",
    "ar": "arabic ara arb",
    "az": "azerbaijani aze",
    "be": "belarusian bel",
    "bg": "bulgarian bul",
    "bn": "bengali bangla ben",
    "bo": "tibetan tib bod",
    "bs": "bosnian bos",
    "ca": "catalan cat",
    "cs": "czech cze ces cz",
    "cy": "welsh cym wel",
    "da": "danish dan",
    "de": "german ger deu",
    "el": "greek gre ell",
    "en": "english eng",
    "eo": "esperanto epo",
    "es": "spanish castilian spa",
    "et": "estonian est ekk",
    "eu": "basque baq eus",
    "fa": "persian farsi per fas pes",
    "fi": "finnish fin",
    "fr": "french fre fra",
    "ga": "irish gle",
    "gl": "galician glg",
    "gu": "gujarati guj",
    "ha": "hausa hau",
    "he": "hebrew heb",
    "hi": "hindi hin",
    "hr": "croatian hrv",
    "hu": "hungarian hun",
    "hy": "armenian arm hye",
    "id": "indonesian ind",
    "is": "icelandic ice isl",
    "it": "italian ita",
    "ja": "japanese jpn",
    "ka": "georgian geo kat",
    "kk": "kazakh kaz",
    "km": "khmer khm",
    "kn": "kannada kan",
    "ko": "korean kor",
    "lo": "lao",
    "lt": "lithuanian lit",
    "lv": "latvian lav lvs",
    "mk": "macedonian mac mkd",
    "ml": "malayalam mal",
    "mn": "mongolian mon khk",
    "mr": "marathi mar",
    "ms": "malay may msa zsm",
    "mt": "maltese mlt",
    "my": "burmese bur mya",
    "ne": "nepali nep npi",
    "nl": "dutch flemish dut nld",
    "no": "norwegian nor nob nno",
    "pa": "punjabi panjabi pan",
    "pl": "polish pol",
    "ps": "pashto pus pbt",
    "pt": "portuguese por",
    "ro": "romanian moldavian rum ron",
    "ru": "russian rus",
    "si": "sinhala sin",
    "sk": "slovak slo slk",
    "sl": "slovenian slovene slv",
    "sq": "albanian alb sqi",
    "sr": "serbian srp",
    "st": "sesotho sot",
    "sv": "swedish swe",
    "sw": "swahili swa swh",
    "ta": "tamil tam",
    "te": "telugu tel",
    "th": "thai tha",
    "tr": "turkish tur",
    "uk": "ukrainian ukr",
    "ur": "urdu urd",
    "vi": "vietnamese vie",
    "yi": "yiddish yid ydd",
    "zh": "chinese mandarin chi zho cmn",
    "zu": "zulu zul",
}
CODE_OF_NAME = {name: code for code, names in NAMES.items() for name in names.split()}


def code_of(language: str) -> str:
    """The two-letter code of an English name (``German``); anything else, codes included, is returned as it is."""
    name = language.strip().lower()
    return CODE_OF_NAME[name] if len(name) > 3 and name in CODE_OF_NAME else language


def main_code(language: str) -> str:
    """The language alone, without script and region: ``zh`` of ``zh-Hans``, ``zho_Hant`` and ``Chinese``."""
    code = re.split("[-_]", code_of(language), maxsplit=1)[0].lower()
    return {"nb": "no", "nn": "no"}.get(code, CODE_OF_NAME.get(code, code))


def english_name(language: str) -> str:
    """What people call it: ``German`` for ``de``, ``deu`` and ``de-AT``; the code itself where there is no name."""
    names = NAMES.get(main_code(language))
    return language if names is None else names.split()[0].capitalize()


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
    words = [word.strip(_MARKS) for word in composed(line).split()]
    if not _ENGLISH.isdisjoint(map(str.lower, words)):
        return False
    # A capital within the line may be that of a name: "Angela Merkel visited São Paulo."
    plain = (word.lower() for place, word in enumerate(words) if place == 0 or not word[:1].isupper())
    # A word in other letters, not one with other marks.
    return any(word in _WORDS or any(one > "\x7f" and one.isalpha() for one in word) for word in plain)
