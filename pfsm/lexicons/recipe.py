"""How a lexicon is compiled from a package that the user has installed."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Recipe:
    """A lexicon that is compiled at its first use, from a package that the user has installed.

    Attributes:
        kind: Kind of the lexicon.
        about: One line: what it is.
        is_possible: Whether that package is installed.
        install: The command that installs it.
        compile: Writes the lexicon to the path given.
    """

    kind: str
    about: str
    is_possible: Callable[[], bool]
    install: str
    compile: Callable[[Path], None]
