"""All kinds of changes, by name."""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain

from pfsm.errors import PfsmError
from pfsm.perturbation.kind import NONE, Kind, registered
from pfsm.perturbation.kinds import facts, words, writing  # noqa: F401 - they register their kinds
from pfsm.registry import own
from pfsm.runtime.names import known_names

NAMES = (
    "drop-word", "repeat-word", "repeat-word-4", "repeat-phrase", "add-word", "swap-words", "shuffle-words",
    "drop-phrase", "add-phrase", "other-text", "truncate", "empty", "untranslated", "change-number",
    "add-number", "swap-numbers",
    "change-date", "swap-names", "change-name", "misspell", "drop-letter", "transpose-letters", "join-words",
    "lower-first", "lower-name", "lower-all", "upper-all", "drop-punctuation", "change-punctuation", "add-punctuation",
    "tokenise", "detokenise",
    "unicode-punctuation",
)  # fmt: skip
"""Kinds for all languages, in the order in which pairs are written."""


@cache
def all_kinds() -> Mapping[str, Kind]:
    """Return all kinds by name, in the order in which pairs are written: those that keep the meaning last."""
    others = (point.load() for point in own("perturbation").values())
    found = sorted((*registered(NAMES), *chain.from_iterable(others)), key=lambda one: one.severity == NONE)
    return {one.name: one for one in found}


def kind_named(name: str) -> Kind:
    """Return the kind of a name.

    Raises:
        PfsmError: If there is none; the message has the nearest name.
    """
    every = all_kinds()
    if name not in every:
        known = known_names(name, tuple(every), "`pfsm data perturb --list`")
        raise PfsmError(f"there is no kind of change {name!r}; {known}")
    return every[name]


def kinds_for(language: str, asked: Iterable[str] = (), *, source: bool = False) -> list[Kind]:
    """Return the kinds for a language, in the order of `all_kinds`.

    Args:
        language: Its code.
        asked: Names of kinds; a severity stands for all kinds of it that are possible; empty for all that are possible.
        source: Whether source texts are known.

    Raises:
        PfsmError: If one that is asked for is unknown, is for another language or needs source texts.
    """
    every = all_kinds()
    possible = [kind for kind in every.values() if kind.is_for(language) and (source or not kind.source)]
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
    return [kind for kind in every.values() if kind in found] if found else possible
