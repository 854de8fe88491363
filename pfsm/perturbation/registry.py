"""The kinds of changes, by name; the module of a kind is imported when it is asked for."""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module

from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.errors import PfsmError
from pfsm.perturbation.kind import Kind
from pfsm.runtime.near_names import known_names

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


@cache
def kind_named(name: str) -> Kind:
    """The kind of a name.

    Raises:
        PfsmError: If there is none; the message has the nearest name.
    """
    if name not in NAMES:
        known = known_names(name, NAMES, "`pfsm data perturb --list`")
        raise PfsmError(f"there is no kind of change {name!r}; {known}")
    kind: Kind = import_module(f"pfsm.perturbation.kinds.{name.replace('-', '_')}").KIND
    return kind


def kinds_for(language: str, names: Iterable[str] = (), *, source: bool = False) -> list[Kind]:
    """The kinds for a language, in the order of `NAMES`.

    Args:
        language: Its code.
        names: Those asked for; empty for all that are possible.
        source: Whether source texts are known.

    Raises:
        PfsmError: If one that is asked for is unknown, is for another language or needs source texts.
    """
    asked = list(names)
    if not asked:
        return [
            kind for kind in map(kind_named, NAMES) if kind.is_for(language) and (source or not kind.source)
        ]
    found = [kind_named(name) for name in asked]
    for kind in found:
        if not kind.is_for(language):
            raise PfsmError(
                f"kind {kind.name} is for {_listed(kind.languages)} only, the language is {language!r}"
            )
        if kind.source and not source:
            raise PfsmError(
                f"kind {kind.name} needs source texts, in a column `source` or another one (--source COLUMN)"
            )
    return sorted(set(found), key=lambda kind: NAMES.index(kind.name))


def kinds_asked_for(language: str, asked: Iterable[str] = (), *, source: bool = False) -> list[Kind]:
    """As `kinds_for`; a severity among the names stands for all kinds of it that are possible.

    Raises:
        PfsmError: What `kinds_for` raises.
    """
    names: list[str] = []
    for name in asked:
        if name in SEVERITIES:
            possible = kinds_for(language, source=source)
            names += [kind.name for kind in possible if kind.severity == name]
        else:
            names.append(name)
    return kinds_for(language, names, source=source)


def _listed(languages: Sequence[str]) -> str:
    return ", ".join(languages)
