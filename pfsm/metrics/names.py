"""Names of metrics with options in parentheses, as ``edpm(n=50,gamma=0.25)``."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from pfsm.errors import PfsmError
from pfsm.runtime.typed import Option, Options, chosen_options
from pfsm.text.language_names import ANY, main_code

_NAME = re.compile(r"(?P<base>[^.()=,]+)(?:\.(?P<part>[^()=,]+))?(?:\((?P<options>.*)\))?")


class MetricName(NamedTuple):
    """A name taken apart.

    Attributes:
        base: The metric.
        part: Which of its parts; empty for the metric itself.
        options: What stands in the parentheses; values are numbers or truth values where they read as such, else text.
    """

    base: str
    part: str
    options: dict[str, Any]


def parse_name(name: str) -> MetricName:
    """Takes ``base.part(key=value,…)`` apart.

    Raises:
        PfsmError: If it is not of this form.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise PfsmError(f"{name!r} is not the name of a metric; write it as chrf, bleu.bp or edpm(n=50)")
    return MetricName(match["base"], match["part"] or "", _options(name, match["options"] or ""))


def _options(name: str, text: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for entry in filter(None, text.split(",")):
        key, equals, value = entry.partition("=")
        if not (key and equals and value) or key in options:
            raise PfsmError(f"{name!r}: {entry!r} is not an option; write it as edpm(n=50,gamma=0.25)")
        options[key] = _value(value)
    return options


def _value(text: str) -> bool | int | float | str:
    if text in {"true", "false"}:
        return text == "true"
    if "_" in text or not text.isascii():
        # Python reads 1_0 as ten; to people it is a name.
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def written_name(name: str, options: Options) -> str:
    """The name with further options in its parentheses; empty if one of them cannot be written so."""
    if not options:
        return name
    base, _, given = name.partition("(")
    written = dict(entry.split("=", 1) for entry in filter(None, given.removesuffix(")").split(",")))
    written |= {
        key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in options.items()
    }
    whole = f"{base}({','.join(f'{key}={value}' for key, value in written.items())})"
    try:
        read = _options(whole, whole.partition("(")[2].removesuffix(")"))
    except PfsmError:
        return ""
    return whole if all(read[key] == value for key, value in options.items()) else ""


def read_options(name: str, given: Options, known: Mapping[str, Option]) -> dict[str, Any]:
    """Values of all options of a metric, those that are not given with their defaults.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    return chosen_options(f"metric {name}", given, known, lambda _: f"known are {', '.join(known)}")


# sacrebleu's recommended tokenisers; characters in other scripts without spaces between words.
_BLEU = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"} | dict.fromkeys(
    ("bo", "km", "lo", "my", "th"), "char"
)


def language_options(name: str, language: str) -> dict[str, Any]:
    """Options that a metric needs for a language; those that stand in the name already are left out.

    BLEU gets a tokeniser, TER ``asian_support`` for Chinese and Japanese, METEOR its language.

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
    elif base == "ter" and code in {"ja", "zh"}:
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


# Endings of mixtures of a metric (`pfsm.metrics.mixtures`), and their option.
BACK_OFF, INTERPOLATION = "_b", "_i"
SCALE = "scale"


class MixedName(NamedTuple):
    """A name taken apart: the metric that is mixed, with its options, how, and with what scale (as written)."""

    inner: str
    ending: str
    scale: str


def mixed_metric(name: str) -> str:
    """The name of the metric that ``NAME_b`` or ``NAME_i`` is a mixture of, with its options; else the name itself."""
    parts = mixed_parts(name)
    return name if parts is None else parts.inner


def mixed_parts(name: str) -> MixedName | None:
    """The parts of ``NAME_b(…)`` or ``NAME_i(…)``; None for a name of another form."""
    base, parenthesis, rest = name.partition("(")
    ending = base[-2:]
    if ending not in {BACK_OFF, INTERPOLATION} or not base[:-2]:
        return None
    entries = rest.removesuffix(")").split(",") if parenthesis else []
    scales = [entry for entry in entries if entry.startswith(f"{SCALE}=")]
    others = ",".join(entry for entry in entries if entry not in scales)
    return MixedName(f"{base[:-2]}({others})" if others else base[:-2], ending, "".join(scales))
