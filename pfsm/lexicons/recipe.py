"""How a lexicon is compiled from a package that the user has installed."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Recipe:
    """A lexicon that is compiled when it is first asked for, from a package of the user's.

    Attributes:
        kind: Kind of the lexicon.
        about: One line: what it is.
        is_possible: Whether what it is compiled from is installed.
        install: The command that installs it.
        compile: Writes the lexicon to the path given.
    """

    kind: str
    about: str
    is_possible: Callable[[], bool]
    install: str
    compile: Callable[[Path], None]
