"""Places of words in a list, lines without white space, and results remembered for short runs alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.text.scripts import spaceless, spaceless_sizes
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
