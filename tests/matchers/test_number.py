"""The matcher of numbers: pairs of equal value, by hand."""

import pytest

from pfsm.errors import PfsmError
from pfsm.matchers.number import NumberMatcher, check_options
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
        ("2 million and 5", "2,000,000 and five", {("2 million", "2,000,000"), ("5", "five")}),
        ("twenty-five", "25", {("twenty-five", "25")}),
        # What is written alike is for other matchers; capitals make no difference.
        ("Two million people", "two million people", set()),
        ("one of them", "1 of them", set()),
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


def test_options() -> None:
    assert check_options({}, "x") == {"words": "en"}
    with pytest.raises(PfsmError, match="words is 'de', it must be one of en, none"):
        check_options({"words": "de"}, "x")
