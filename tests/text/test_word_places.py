"""Places of words in a list, by search and by dictionary, against the list's own order."""

from hypothesis import given
from hypothesis import strategies as st

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
