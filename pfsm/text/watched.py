"""Tokenisers of other packages: what they must be, and a watch over what they say."""

from collections.abc import Sequence
from typing import Any

from pfsm.errors import PfsmError
from pfsm.text.chunks import Tokeniser


def whole_line(line: str) -> list[str]:
    """The line as its only chunk, for tokenisers whose rules look further than from space to space."""
    return [line]


def watched_tokeniser(name: str, value: Any) -> Tokeniser:
    """A plug-in as the registry holds it, watched while it works.

    Args:
        name: What it is registered under.
        value: A `Tokeniser`, or a function from a line to its tokens.

    Raises:
        PfsmError: If it is neither.
    """
    keys, analyse = (value.keys, value.analyse) if isinstance(value, Tokeniser) else (whole_line, value)
    if not callable(analyse):
        raise PfsmError("is neither a pfsm.text.chunks.Tokeniser nor a function of a line")

    def watched(key: str) -> Sequence[str]:
        tokens = tuple(analyse(key))
        for token in tokens:
            if not isinstance(token, str) or not token or token.isspace():
                raise PfsmError(
                    f"tokeniser {name!r}: makes of {_shown(key)} the token {token!r}, which is no text"
                )
        return tokens

    return Tokeniser(name, keys, watched)


def _shown(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:57]!r}..."
