"""Remembering what is worked out of runs of tokens: most are short and come again, the others would fill the memory."""

from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from typing import TypeVar

Value = TypeVar("Value")
Run = tuple[str, ...]
MOST_TOKENS, MOST_CHARACTERS = 32, 200
MOST_RUNS = 25_000


def is_short(run: Sequence[str]) -> bool:
    """Whether a run may be remembered."""
    return len(run) <= MOST_TOKENS and sum(map(len, run)) <= MOST_CHARACTERS


def remembered(work: Callable[[Run], Value]) -> Callable[[Run], Value]:
    """The same function, with its results for the `MOST_RUNS` short runs that were asked for last.

    Args:
        work: A pure function of the run. Long runs are worked out every time.
    """
    of_short = lru_cache(maxsize=MOST_RUNS)(work)

    @wraps(work)
    def answer(run: Run) -> Value:
        return of_short(run) if is_short(run) else work(run)

    return answer
