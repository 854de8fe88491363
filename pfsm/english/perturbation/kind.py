"""Kinds of changes: what one is, and all of them by name."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module

from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.english.perturbation.text import Dice, Text
from pfsm.errors import PfsmError
from pfsm.runtime.names import known_names
from pfsm.text.language_names import main_code

NONE, MINOR, MAJOR, CRITICAL = SEVERITIES
Change = Callable[[Text, Dice], str | None]
NAMES = (
    "drop-word", "repeat-word", "repeat-word-4", "repeat-phrase", "add-word", "swap-words", "shuffle-words",
    "drop-phrase", "add-phrase", "other-text", "truncate", "empty", "untranslated", "change-number",
    "add-number", "swap-numbers",
    "change-date", "swap-names", "change-name", "misspell", "drop-letter", "transpose-letters", "join-words",
    "lower-first", "lower-name", "lower-all", "upper-all", "drop-punctuation", "change-punctuation", "add-punctuation",
    "tokenise", "detokenise",
    "drop-negation", "add-negation", "antonym", "hypernym", "tense", "aspect", "agreement", "pronoun", "gender",
    "role-swap", "unit", "quantifier", "modality", "question", "drop-subject", "drop-verb", "drop-noun",
    "drop-adjective", "drop-prepositional-phrase", "part-of-speech", "preposition", "article",
    "unicode-punctuation", "number-form", "contraction", "synonym", "passive", "reorder-adjunct", "spelling-variant",
)  # fmt: skip
"""Kinds for all languages, kinds for English, harmless kinds: pairs are written in this order."""
_THEMES = ("words", "facts", "writing", "polarity", "verbs", "lexis", "grammar", "order")
_KINDS: dict[str, "Kind"] = {}


@dataclass(frozen=True)
class Kind:
    """A kind of change.

    Attributes:
        name: As ``--kinds`` has it.
        severity: How grave it is, one of `pfsm.data.minimal_pairs.SEVERITIES`; ``none`` for changes that keep the
            meaning.
        about: What is changed, in a few words.
        change: From a text and draws to the changed text; None where the kind does not apply.
        languages: Codes of the languages that it is for; empty for all.
        parsed: Whether it needs tags and heads.
        source: Whether it needs the source text.
    """

    name: str
    severity: str
    about: str
    change: Change
    languages: tuple[str, ...] = ()
    parsed: bool = False
    source: bool = False

    def is_for(self, language: str) -> bool:
        """Whether it is for a language, given by its code."""
        return not self.languages or main_code(language) in self.languages


def kind(
    name: str,
    severity: str,
    about: str,
    *,
    languages: tuple[str, ...] = (),
    parsed: bool = False,
    source: bool = False,
) -> Callable[[Change], Change]:
    """Makes a kind of the function below it; arguments as in `Kind`."""

    def register(change: Change) -> Change:
        _KINDS[name] = Kind(name, severity, about, change, languages, parsed, source)
        return change

    return register


def english(name: str, severity: str, about: str) -> Callable[[Change], Change]:
    """A kind for English that needs tags and heads."""
    return kind(name, severity, about, languages=("en",), parsed=True)


def kind_named(name: str) -> Kind:
    """The kind of a name.

    Raises:
        PfsmError: If there is none; the message has the nearest name.
    """
    if name not in NAMES:
        known = known_names(name, NAMES, "`pfsm data perturb --list`")
        raise PfsmError(f"there is no kind of change {name!r}; {known}")
    for theme in _THEMES:
        import_module(f"pfsm.english.perturbation.kinds.{theme}")
    return _KINDS[name]


def kinds_for(language: str, asked: Iterable[str] = (), *, source: bool = False) -> list[Kind]:
    """The kinds for a language, in the order of `NAMES`.

    Args:
        language: Its code.
        asked: Names of kinds; a severity stands for all kinds of it that are possible; empty for all that are possible.
        source: Whether source texts are known.

    Raises:
        PfsmError: If one that is asked for is unknown, is for another language or needs source texts.
    """
    every = map(kind_named, NAMES)
    possible = [kind for kind in every if kind.is_for(language) and (source or not kind.source)]
    found: list[Kind] = []
    for name in asked:
        of_severity = [kind for kind in possible if kind.severity == name]
        found += of_severity or [kind_named(name)]
    for kind in found:
        if not kind.is_for(language):
            raise PfsmError(
                f"kind {kind.name} is for {', '.join(kind.languages)} only, the language is {language!r}"
            )
        if kind.source and not source:
            raise PfsmError(
                f"kind {kind.name} needs source texts, in a column `source` or another one (--source COLUMN)"
            )
    return sorted(set(found), key=lambda kind: NAMES.index(kind.name)) if found else possible
