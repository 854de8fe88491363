"""Pages by name: functions that make one self-contained HTML document each."""

from collections.abc import Callable
from typing import Any

from pfsm.errors import PfsmError
from pfsm.registry import DISTRIBUTION, Table


def _checked(_: str, value: Any) -> Callable[..., Any]:
    if not callable(value):
        raise PfsmError("is not a function that makes a page")
    return value  # type: ignore[no-any-return]  # callable() says no more


PAGES: Table[Callable[..., Any]] = Table("page", {}, _checked)
"""What makes the pages ``comparison``, ``explanation`` and ``training``, and those of other packages."""


def page_maker(name: str, asked: str) -> Callable[..., Any]:
    """Return what makes a page.

    Args:
        name: Of the page.
        asked: What asked for it, such as ``--html``.

    Raises:
        PfsmError: If this installation has no such page.
    """
    if name not in PAGES:
        raise PfsmError(
            f"{asked} needs the studio, which this installation lacks; install all packages of {DISTRIBUTION}"
        )
    return PAGES[name]
