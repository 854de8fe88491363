"""Whether this call may download something: only if the user says ``--download``."""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

_allowed: ContextVar[bool] = ContextVar("pfsm_downloads", default=False)


@contextlib.contextmanager
def downloads(allowed: bool) -> Iterator[None]:
    """In the block downloads are allowed, or not."""
    token = _allowed.set(allowed)
    try:
        yield
    finally:
        _allowed.reset(token)


def may_download() -> bool:
    """Whether downloads are allowed here."""
    return _allowed.get()
