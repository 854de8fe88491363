"""How a matcher is made from settings: what `pfsm.matchers.registry` holds under each name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pfsm.errors import PfsmError
from pfsm.matchers.protocol import EncodedPairs, Matcher

Options = Mapping[str, Any]


class MatcherKind(Protocol):
    """Makes matchers of one kind.

    Attributes:
        state: Name of the substitution state; empty where it offers no blocks.
    """

    @property
    def state(self) -> str:
        """Name of the substitution state; empty where it offers no blocks."""

    @property
    def check(self) -> Callable[[Options, str], dict[str, Any]]:
        """From options as written, and what to call them in errors, to all options with their defaults."""

    @property
    def learn(self) -> Callable[[Options, EncodedPairs], dict[str, Any]]:
        """Fills in options that are to be learned (such as ``bins: auto``) from training pairs."""

    @property
    def build(self) -> Callable[[int, Options], Matcher]:
        """From the largest block and checked options to the matcher."""


def no_options(options: Options, where: str) -> dict[str, Any]:
    """Options of a matcher that takes none.

    Raises:
        PfsmError: If there are any.
    """
    for key in options:
        raise PfsmError(f"{where}: unknown option {key!r}; this matcher takes no options")
    return {}


def nothing_to_learn(options: Options, pairs: EncodedPairs) -> dict[str, Any]:  # noqa: ARG001 - one signature for all
    """Options of a matcher that learns none from training text."""
    return dict(options)


@dataclass(frozen=True)
class BuiltIn:
    """A kind of matcher that comes with pfsm: its functions, as in `MatcherKind`."""

    state: str
    build: Callable[[int, Options], Matcher]
    check: Callable[[Options, str], dict[str, Any]] = no_options
    learn: Callable[[Options, EncodedPairs], dict[str, Any]] = nothing_to_learn
