"""What a kind of change is."""

from collections.abc import Callable
from dataclasses import dataclass

from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.perturbation.dice import Dice
from pfsm.perturbation.text import Text

NONE, MINOR, MAJOR, CRITICAL = SEVERITIES
Change = Callable[[Text, Dice], str | None]


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
        main = language.replace("_", "-").partition("-")[0].lower()
        return not self.languages or {"eng": "en"}.get(main, main) in self.languages


def english(name: str, severity: str, about: str, change: Change) -> Kind:
    """A kind for English that needs tags and heads."""
    return Kind(name, severity, about, change, ("en",), parsed=True)
