"""The word lists that ship for English."""

from functools import cache
from importlib.resources import files


@cache
def rows(name: str) -> tuple[tuple[str, ...], ...]:
    """The rows of a shipped list, each split at spaces; lines that begin with ``#`` are comments."""
    text = (files("pfsm.resources") / "perturbation" / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(tuple(line.split()) for line in text.splitlines() if line and not line.startswith("#"))


def words(name: str) -> frozenset[str]:
    """One of the short lists, by the name in brackets above it."""
    return _lists()[name]


@cache
def _lists() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    current: set[str] = set()
    for row in rows("words"):
        if row[0].startswith("["):
            current = found.setdefault(row[0].strip("[]"), set())
        else:
            current.update(row)
    return {name: frozenset(listed) for name, listed in found.items()}
