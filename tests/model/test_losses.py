"""What a score lost: words that match are not listed one by one."""

from pfsm.model.explain.explaining import LESS_SURE, folded
from pfsm.model.explain.explanation import Lost

WRONG = Lost("Delete", ("not",), (), 3.0)
CHANGED = Lost("S_lemma", ("sings",), ("sang",), 2.0)
SAME = [
    Lost("S_word", (word,), (word.capitalize(),), points) for word, points in (("the", 1.5), ("bird", 1.0))
]


def test_words_that_match_are_one_loss() -> None:
    shown, rest, number = folded([WRONG, CHANGED, *SAME])
    assert shown == [WRONG, Lost(LESS_SURE, (), (), 2.5), CHANGED]
    assert (rest, number) == (0.0, 0)


def test_the_losses_add_up_whatever_is_folded() -> None:
    small = [Lost("Insert", (), (f"w{k}",), 0.01 * k) for k in range(1, 9)]
    lost = [WRONG, CHANGED, *SAME, *small]
    shown, rest, number = folded(lost)
    assert abs(sum(one.points for one in shown) + rest - sum(one.points for one in lost)) < 1e-12
    assert number == len(small)


def test_without_such_words_nothing_is_said_of_them() -> None:
    assert folded([WRONG, CHANGED]) == ([WRONG, CHANGED], 0.0, 0)
