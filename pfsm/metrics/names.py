"""Names of metrics with options in parentheses, as ``edpm(n=50,gamma=0.25)``, and the check of options."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pfsm.errors import PfsmError
from pfsm.text.language_names import ANY, main_code

Options = Mapping[str, Any]
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
        raise PfsmError(f"{name!r} is no name of a metric; write it as chrf, bleu.bp or edpm(n=50)")
    return MetricName(match["base"], match["part"] or "", _options(name, match["options"] or ""))


def _options(name: str, text: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for entry in filter(None, text.split(",")):
        key, equals, value = entry.partition("=")
        if not (key and equals and value) or key in options:
            raise PfsmError(f"{name!r}: {entry!r} is no option; write it as edpm(n=50,gamma=0.25)")
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


def stem_and_type(name: str) -> tuple[str, str]:
    """``dp-or`` and ``nsubj`` of ``dp-or-nsubj(…)``; the type is empty where there are two parts, both where one is."""
    parts = name.partition("(")[0].split("-", 2)
    # A hyphen with nothing behind it is no name.
    return "-".join(parts[:2]) if parts[-1] else "", parts[2] if len(parts) == 3 else ""


class Option(NamedTuple):
    """What an option may be.

    Attributes:
        default: Its value where it is not given.
        holds: Whether a value is one.
        what: What it must be, in words.
    """

    default: Any
    holds: Callable[[Any], bool]
    what: str


def one_of(*values: str) -> Option:
    """One of some names, the first by default."""
    what = " or ".join(values) if len(values) == 2 else f"one of {', '.join(values)}"
    return Option(values[0], lambda value: isinstance(value, str) and value in values, what)


def whole(default: int, most: int) -> Option:
    """A whole number from 1 to ``most``."""
    return Option(
        default, lambda value: type(value) is int and 1 <= value <= most, f"a whole number from 1 to {most}"
    )


def number(default: float | None, least: float, most: float, what: str = "") -> Option:
    """A finite number between two."""
    return Option(
        default,
        lambda value: type(value) in {int, float} and least <= value <= most,
        what or f"a number from {least:g} to {most:g}",
    )


def flag(default: bool) -> Option:
    """True or false."""
    return Option(default, lambda value: isinstance(value, bool), "true or false")


def text(default: str, what: str) -> Option:
    """A string that is not blank, unless the default is."""
    return Option(default, lambda value: isinstance(value, str) and bool(value.strip() or not default), what)


def with_defaults(known: Mapping[str, Option], **defaults: Any) -> dict[str, Option]:
    """The same options with some other defaults."""
    return {key: option._replace(default=defaults.get(key, option.default)) for key, option in known.items()}


def read_options(name: str, given: Options, known: Mapping[str, Option]) -> dict[str, Any]:
    """Values of all options of a metric, those that are not given with their defaults.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    for key, value in given.items():
        if key not in known:
            raise PfsmError(f"metric {name}: unknown option {key!r}; known are {', '.join(known)}")
        if not known[key].holds(value):
            raise PfsmError(f"metric {name}: {key} is {value!r}, it must be {known[key].what}")
    return {key: given.get(key, option.default) for key, option in known.items()}


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
