"""Twice the input costs little more than twice the work, counted in byte code, not in seconds."""

import json
import sys
from collections.abc import Callable
from itertools import pairwise
from types import FrameType
from typing import Any

import pytest

from pfsm.commands.spans import marked_translations
from pfsm.data import Table
from pfsm.evaluation.spans import between_raters, measured
from pfsm.metrics.registry import get_metric


def operations(work: Callable[[], object]) -> int:
    """How many operations of Python's byte code some work takes."""
    done = 0

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal done
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        done += event == "opcode"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return done


def _raters(n: int) -> None:
    marks = json.dumps([[k % 7, k % 7 + 3, "minor", "", f"r{k}"] for k in range(n)])
    columns = {"reference": ["a red bird"], "hypothesis": ["a red bird sang"], "errors": [marks]}
    measured(*between_raters(marked_translations(Table("t", columns, [2], ""))), 0, 1)


def _full_stops(n: int) -> None:
    get_metric("edpm-exact").score_pairs([". " * n], ["A bird sang."])


@pytest.mark.parametrize(("work", "sizes"), [(_raters, (100, 200, 400)), (_full_stops, (40, 80, 160))])
def test_twice_the_input_takes_at_most_two_and_a_half_times_the_work(
    work: Callable[[int], None], sizes: tuple[int, ...]
) -> None:
    work(3)  # tables are read, kernels compiled
    counts = [operations(lambda n=n: work(n)) for n in sizes]  # type: ignore[misc]
    assert all(more <= 2.5 * less for less, more in pairwise(counts)), counts
