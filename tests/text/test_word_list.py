"""Places of many words in a list, and of their base forms, against Python's own look-ups.

Places of words in a list, by search and by dictionary, against the list's own order.

Lines without white space against what splitting leaves of them.

Results for short runs are remembered, those for long ones are not.
"""

import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.english.facts import contradictions
from pfsm.text.scripts import spaceless, spaceless_sizes
from pfsm.text.short_runs import MOST_CHARACTERS, MOST_TOKENS, Run, remembered
from pfsm.text.word_list import NOWHERE, WordList, WordPlaces

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


words_word_places = st.text("abé\U0001f600", max_size=3)


@given(st.lists(words_word_places), st.lists(words_word_places), st.booleans(), st.integers(0, 5))
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


def test_long_lines_count_as_short_ones_do() -> None:
    short = [tuple(str(number) for number in range(first, first + 5)) for first in (0, 5, 10)]
    for times in (1, 2, 40):
        ours, theirs = ((*short[:1] * times, short[1]), (*short[:1] * times, short[2]))
        assert contradictions(ours, theirs) == 5
    assert contradictions((short[0] * 4,), (short[1] * 4,)) == 20
