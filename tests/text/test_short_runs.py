"""Results for short runs are remembered, those for long ones are not."""

import gc
import weakref

import pytest

from pfsm.english.facts import contradictions
from pfsm.text.short_runs import MOST_CHARACTERS, MOST_TOKENS, Run, remembered


class Result:
    """What a weak reference can be made to."""


@pytest.mark.parametrize(
    ("run", "kept"),
    [
        ((), True),
        (("two", "miles"), True),
        (("5",) * MOST_TOKENS, True),
        (("5",) * (MOST_TOKENS + 1), False),
        (("5" * MOST_CHARACTERS,), True),
        (("5" * (MOST_CHARACTERS + 1),), False),
    ],
)
def test_short_runs_alone_are_remembered(run: Run, kept: bool) -> None:
    asked = []

    @remembered
    def work(given: Run) -> Result:
        asked.append(given)
        return Result()

    first = weakref.ref(work(run))
    gc.collect()
    assert (first() is not None) == kept
    work(run)
    assert asked == [run] * (1 if kept else 2)


def test_long_lines_count_as_short_ones_do() -> None:
    short = [tuple(str(number) for number in range(first, first + 5)) for first in (0, 5, 10)]
    for times in (1, 2, 40):
        ours, theirs = ((*short[:1] * times, short[1]), (*short[:1] * times, short[2]))
        assert contradictions(ours, theirs) == 5
    assert contradictions((short[0] * 4,), (short[1] * 4,)) == 20
