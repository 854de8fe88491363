"""Lines without white space against what splitting leaves of them."""

import pytest

from pfsm.text.scripts import spaceless, spaceless_sizes

LINES = ["", " ", "a b", " a  b ", "x", "夜 は", "y"]


@pytest.mark.parametrize("more", [[], ["a\tb"], ["a\u00a0b \u3000", "\u200b c"], ["\0 d", "\n"]])
def test_white_space_is_left_out(more: list[str]) -> None:
    lines = [*LINES, *more]
    text, sizes = spaceless(lines)
    assert spaceless_sizes(lines) == sizes
    without = ["".join(line.split()) for line in lines]
    assert (text, sizes) == ("".join(without), [len(line) for line in without])
