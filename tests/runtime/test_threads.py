"""The default number of threads, and work shared out among threads.

Unknown names: which of the known names the message lists.

Children of a process that is killed end, whatever they are at.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

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


def test_work_runs_on_several_threads() -> None:
    """Each of three items waits until all three are under way."""
    together = threading.Barrier(3, timeout=60)
    assert len(each(lambda _: together.wait(), range(3), 3)) == 3
    assert len(list(in_order(lambda _: together.wait(), range(3), 3))) == 3


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
        ("BLEU", "did you mean bleu? "),
        ("rouge", "did you mean rouge-w, rouge-s or rouge-l? "),
        ("meteorr(task=hter)", "did you mean meteor? "),
        ("xyzzy", ""),
        ("", ""),
    ],
)
def test_of_many_names_the_nearest_are_given(name: str, expected: str) -> None:
    assert known_names(name, metric_names(), LISTING) == f"{expected}{LISTING} lists all"


def test_of_few_names_all_are_given() -> None:
    assert known_names("wrod", ("word", "lemma"), LISTING) == "known are word, lemma"


LONGEST_WAIT = 60.0
# A child that would compute for ever; it says when it has begun.
PROGRAM = """
import multiprocessing, time
from pathlib import Path

def work(begun):
    from pfsm.runtime.forked import end_with_parent
    end_with_parent()
    Path(begun).write_text("")
    while True:
        sum(range(1000))

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    context.Process(target=work, args=(%r,), daemon=True).start()
    time.sleep(1000)
"""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
@pytest.mark.parametrize("sign", ["SIGTERM", "SIGKILL"])
def test_a_child_ends_with_a_parent_that_is_killed(tmp_path: Path, sign: str) -> None:
    begun = tmp_path / "begun"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM % str(begun), encoding="utf-8")
    parent = subprocess.Popen(
        [sys.executable, str(program)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
    )
    try:
        until(begun.exists)
        parent.send_signal(getattr(signal, sign))
        parent.wait(LONGEST_WAIT)
        until(lambda: not is_there(parent.pid))
    finally:
        if is_there(parent.pid):
            os.killpg(parent.pid, signal.SIGKILL)


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
