"""How a lexicon is compiled from a package that the user has installed."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pfsm.errors import NotInstalledError
from pfsm_installation import install_command


@dataclass(frozen=True)
class Recipe:
    """A lexicon that is compiled at its first use, from a package that the user has installed.

    Attributes:
        kind: Kind of the lexicon.
        about: One line: what it is.
        is_possible: Whether that package is installed.
        package: That package.
        extra: The extra of pfsm-metric that brings it.
        compile: Writes the lexicon to the path given.
    """

    kind: str
    about: str
    is_possible: Callable[[], bool]
    package: str
    extra: str
    compile: Callable[[Path], None]

    @property
    def install(self) -> str:
        """The command that installs the package, and what happens then."""
        return f"{install_command([self.extra])}{self._after}"

    def not_installed(self, what: str) -> NotInstalledError:
        """The error of something that cannot be had without the package; ``what`` says what it is."""
        return NotInstalledError(what, [self.package], [self.extra], after=self._after)

    @property
    def _after(self) -> str:
        return f" (the package {self.package}); it is compiled on first use"
