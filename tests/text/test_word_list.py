"""Places of words in a list, lines without white space, and results remembered for short runs alone."""

import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.text.scripts import spaceless, spaceless_sizes
from pfsm.text.short_runs import MOST_CHARACTERS, MOST_TOKENS, Run, remembered
from pfsm.text.word_list import NOWHERE, WordPlaces

words = st.text("abé\U0001f600", max_size=3)


@given(st.lists(words), st.lists(words), st.booleans(), st.integers(0, 5))
def test_the_last_place_of_each_word(
    listed: list[str], asked: list[str], in_order: bool, searches: int
) -> None:
    listed = sorted(listed) if in_order else listed
    places = WordPlaces(listed, searches)
    for word in asked:
        expected = len(listed) - 1 - listed[::-1].index(word) if word in listed else NOWHERE
        assert places.get(word) == expected
    assert list(places.items()) == [(word, place) for place, word in enumerate(listed)]
    assert len(places) == len(set(listed))


LINES = ["", " ", "a b", " a  b ", "x", "夜 は", "y"]


@pytest.mark.parametrize("more", [[], ["a\tb"], ["a\u00a0b \u3000", "\u200b c"], ["\0 d", "\n"]])
def test_white_space_is_left_out(more: list[str]) -> None:
    lines = [*LINES, *more]
    text, sizes = spaceless(lines)
    assert spaceless_sizes(lines) == sizes
    without = ["".join(line.split()) for line in lines]
    assert (text, sizes) == ("".join(without), [len(line) for line in without])


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
