"""Kinds of changes: what one is."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.perturbation.text import Dice, Parse, Text
from pfsm.text.language_names import main_code

NONE, MINOR, MAJOR, CRITICAL = SEVERITIES
Change = Callable[[Text, Dice], str | None]
_KINDS: dict[str, "Kind"] = {}


class Parses(Protocol):
    """What parses lines for the kinds that need it."""

    def __call__(
        self, lines: Sequence[str], *, processes: int, cache: bool, progress: Callable[[int, int], None]
    ) -> list[Parse]:
        """Return the parses of lines, in order; the arguments are those of `pfsm.perturbation.pairs.perturb`."""


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
        parse: What gives the tags and heads that it needs; None where it needs none.
        source: Whether it needs the source text.
    """

    name: str
    severity: str
    about: str
    change: Change
    languages: tuple[str, ...] = ()
    parse: Parses | None = None
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
    parse: Parses | None = None,
    source: bool = False,
) -> Callable[[Change], Change]:
    """Makes a kind of the function below it; arguments as in `Kind`."""

    def register(change: Change) -> Change:
        _KINDS[name] = Kind(name, severity, about, change, languages, parse, source)
        return change

    return register


def registered(names: Iterable[str]) -> tuple[Kind, ...]:
    """Return kinds whose modules have been imported, in the order of their names."""
    return tuple(_KINDS[name] for name in names)
