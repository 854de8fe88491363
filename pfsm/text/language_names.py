"""English names of languages, and their two-letter codes: what data sets, settings and options may call a language."""

import re

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
