"""Places of many words in a list, and of their base forms, against Python's own look-ups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.text.word_list import NOWHERE, WordList
from pfsm_kernels.strings.word_list import find_words, slots_of

words = st.text("absé\U0001f600", max_size=4)
endings = st.text("sé", max_size=2)
rules = st.lists(st.tuples(st.text("sbé", min_size=1, max_size=2), endings), max_size=3)


def place(listed: list[str], word: str) -> int:
    return len(listed) - 1 - listed[::-1].index(word) if word in listed else NOWHERE


@given(st.lists(words, min_size=2), st.lists(words), rules)
def test_the_last_place_of_each_word_and_of_its_base_forms(
    listed: list[str], asked: list[str], rules: list[tuple[str, str]]
) -> None:
    known = WordList("\n".join(listed), rules)
    expected = [
        [
            place(listed, word),
            *(
                place(listed, word[: -len(old)] + new) if word.endswith(old) else NOWHERE
                for old, new in rules
            ),
        ]
        for word in asked
    ]
    assert known.forms(asked).tolist() == expected
    assert known.places(asked).tolist() == [row[0] for row in expected]
    assert len(known) == len(listed)


@pytest.mark.parametrize("offsets", [[0, 3], [1, 2], [0, 2, 1, 2]])
def test_offsets_that_do_not_fit_are_refused(offsets: list[int]) -> None:
    codes = np.array([97, 10, 98, 10], dtype=np.int32)
    starts = np.array([0, 2, 4])
    slots = slots_of(codes, starts)
    text, none = codes[:2], np.zeros((0, 3), dtype=np.int64)
    with pytest.raises(ValueError, match="the last offset"):
        find_words(codes, starts, slots, text, np.array(offsets), codes[:0], none)
    with pytest.raises(ValueError, match="outside the endings"):
        find_words(codes, starts, slots, text, np.array([0, 2]), codes[:0], np.array([[0, 1, 1]]))
    with pytest.raises(ValueError, match="begins behind"):
        slots_of(codes, starts[:2])
