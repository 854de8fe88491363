"""The default number of threads, and work shared out among threads."""

import os
import time
from collections.abc import Callable, Iterator

import pytest

from pfsm.metrics.registry import metric_names
from pfsm.runtime.near_names import known_names
from pfsm.runtime.threads import at_most, default_threads, each, in_order


def test_at_most() -> None:
    usual = default_threads()
    assert 1 <= usual <= (os.cpu_count() or 1)
    with at_most(7):
        assert default_threads() == 7
        with at_most(None):
            assert default_threads() == 7
        with at_most(2):
            assert default_threads() == 2
        assert default_threads() == 7
    assert default_threads() == usual
    with pytest.raises(RuntimeError), at_most(3):
        raise RuntimeError
    assert default_threads() == usual


@pytest.mark.parametrize("threads", [1, 4])
def test_results_keep_the_order_of_the_items(threads: int) -> None:
    squares = [item * item for item in range(50)]
    assert each(lambda item: item * item, iter(range(50)), threads) == squares
    assert list(in_order(lambda item: item * item, iter(range(50)), threads)) == squares


def test_an_error_stops_all() -> None:
    def work(item: int) -> int:
        if item == 5:
            raise ValueError("five")
        return item

    with pytest.raises(ValueError, match="five"):
        each(work, iter(range(1000)), 3)
    with pytest.raises(ValueError, match="five"):
        list(in_order(work, iter(range(1000)), 3))


@pytest.mark.parametrize("threads", [1, 3])
def test_few_items_are_made_before_their_results_are_taken(threads: int) -> None:
    made = []

    def items() -> Iterator[int]:
        for item in range(1000):
            made.append(item)
            yield item

    results = in_order(abs, items(), threads)
    for item in range(20):
        assert next(results) == item
        assert len(made) <= item + 1 + threads


LISTING = "`pfsm metrics`"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("chrff", "did you mean chrf or chrf++? "),
        ("rouge", "did you mean rouge-w, rouge-s or rouge-l? "),
        ("meteorr(task=hter)", "did you mean meteor? "),
        ("xyzzy", ""),
    ],
)
def test_of_many_names_the_nearest_are_given(name: str, expected: str) -> None:
    assert known_names(name, metric_names(), LISTING) == f"{expected}{LISTING} lists all"
    assert known_names(name, ("word", "lemma"), LISTING) == "known are word, lemma"


LONGEST_WAIT = 60.0


def is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONGEST_WAIT
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
