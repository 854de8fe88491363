"""The default number of threads, and work shared out among threads."""

import os
import threading

import pytest

from pfsm.runtime.threads import at_most, default_threads, each


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
    assert each(lambda item: item * item, iter(range(50)), threads) == [item * item for item in range(50)]


def test_work_runs_on_several_threads() -> None:
    """Each of three items waits until all three are under way."""
    together = threading.Barrier(3, timeout=60)
    assert len(each(lambda _: together.wait(), range(3), 3)) == 3


def test_an_error_stops_all() -> None:
    def work(item: int) -> int:
        if item == 5:
            raise ValueError("five")
        return item

    with pytest.raises(ValueError, match="five"):
        each(work, iter(range(1000)), 3)
