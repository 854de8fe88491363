"""Options that a metric gets for a language: sacrebleu's tokenisers, and the language of METEOR.

BLEU has the tokenisers that sacrebleu recommends for Chinese, Japanese and Korean; in other scripts without spaces
between words it counts characters. TER tells Chinese and Japanese words apart with ``asian_support``.
"""

from typing import Any

from pfsm.errors import PfsmError
from pfsm.metrics.metric_group import parse_name
from pfsm.text.language_names import ANY, main_code

_BLEU = {
    "zh": "zh",
    "ja": "ja-mecab",
    "ko": "ko-mecab",
    **dict.fromkeys(("bo", "km", "lo", "my", "th"), "char"),
}
_ASIAN = ("ja", "zh")


def language_options(name: str, language: str) -> dict[str, Any]:
    """Options for a language; those that stand in the name already are left out.

    Args:
        name: A metric, with or without options: ``bleu``, ``ter(no_punct=true)``.
        language: A code, or an English name.
    """
    try:
        base, _, given = parse_name(name)
    except PfsmError:
        return {}  # who opens the metric says what is wrong with its name
    code = main_code(language)
    options: dict[str, Any] = {}
    if base == "bleu" and code in _BLEU:
        options = {"tokenize": _BLEU[code]}
    elif base == "ter" and code in _ASIAN:
        options = {"normalized": True, "asian_support": True}
    elif base in {"meteor", "meteor-base"} and code not in {"en", ANY}:
        options = {"language": code}
    return {key: value for key, value in options.items() if key not in given}


def needs_spaces(name: str) -> bool:
    """Whether a metric finds words between spaces alone."""
    try:
        base, _, options = parse_name(name)
    except PfsmError:
        return False
    if base == "bleu":
        return options.get("tokenize", "13a") in {"13a", "intl", "none"}
    return base == "ter" and not options.get("asian_support", False)
