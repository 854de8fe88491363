"""The matcher of numbers: pairs of equal value, by hand."""

import pytest

from pfsm.errors import PfsmError
from pfsm.matchers.number import MATCHER, NumberMatcher, check_options
from pfsm.matchers.registry import MATCHERS
from pfsm.model.builder import LatticeBuilder
from pfsm.model.settings import settings_from_dict
from tests.matchers.test_spelling import encoded


def matched(reference: str, hypothesis: str, max_block: int = 4, words: str = "en") -> set[tuple[str, str]]:
    pairs = encoded([reference], [hypothesis], tokeniser="plain", stemmer="none")
    blocks = NumberMatcher(max_block, words).offers(pairs).blocks.tolist()
    left, right = reference.split(), hypothesis.split()
    assert {row[0] for row in blocks} <= {0}
    return {(" ".join(left[i : i + p]), " ".join(right[j : j + q])) for _, i, p, j, q in blocks}


@pytest.mark.parametrize(
    ("reference", "hypothesis", "found"),
    [
        ("about 1,000 boats", "some 1000 boats", {("1,000", "1000")}),
        ("about 1,000 boats", "one thousand boats", {("1,000", "one thousand")}),
        ("three dogs", "3 dogs", {("three", "3")}),
        ("2 million and 5", "2,000,000 and five", {("2 million", "2,000,000"), ("5", "five")}),
        ("twenty-five", "25", {("twenty-five", "25")}),
        # What is written alike is for other matchers; capitals make no difference.
        ("Two million people", "two million people", set()),
        ("1,000 boats", "1,001 boats", set()),
        ("one of them", "1 of them", set()),
        ("no numbers", "here either", set()),
        ("", "", set()),
    ],
)
def test_equal_values(reference: str, hypothesis: str, found: set[tuple[str, str]]) -> None:
    assert matched(reference, hypothesis) == found
    assert matched(hypothesis, reference) == {(other, one) for one, other in found}


def test_long_numbers_and_other_languages() -> None:
    assert matched("one thousand", "1000", max_block=1) == set()
    assert matched("three", "3", words="none") == set()
    assert matched("1.000", "1000", words="none") == {("1.000", "1000")}


def test_lines_of_a_batch() -> None:
    pairs = encoded(["a b", "it is 5", "six"], ["5", "so five", "6 six"], tokeniser="plain", stemmer="none")
    assert NumberMatcher(2, "en").offers(pairs).blocks.tolist() == [[1, 2, 1, 1, 1], [2, 0, 1, 0, 1]]


def test_it_is_a_state_of_the_machine() -> None:
    assert MATCHERS["num"] is MATCHER
    settings = settings_from_dict({"matchers": ["word", "num"], "max_block": {"num": 3}}, "x")
    builder = LatticeBuilder(settings)
    batch = builder.build(["It took one thousand years."], ["It took 1,000 years."])
    assert "S_num" in batch.states
    assert [2, 2, 2, 1] in batch.lattices.arcs[:, :4].tolist()


def test_options() -> None:
    assert check_options({}, "x") == {"words": "en"}
    assert check_options({"words": "none"}, "x") == {"words": "none"}
    with pytest.raises(PfsmError, match="words is 'de', it must be one of en, none"):
        check_options({"words": "de"}, "x")
    with pytest.raises(PfsmError, match="unknown option 'word'"):
        check_options({"word": "en"}, "x")
