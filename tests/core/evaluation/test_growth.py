"""Twice the input costs little more than twice the work, counted in byte code, not in seconds."""

import json
import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from types import FrameType
from typing import Any

from pfsm.commands.spans import marked_translations
from pfsm.data import Table
from pfsm.evaluation.spans import between_raters, measured


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


def check_growth(work: Callable[[int], None], sizes: tuple[int, ...]) -> None:
    """Check that each of these sizes, twice the one before, takes at most two and a half times the work."""
    work(3)  # tables are read, kernels compiled
    counts = [operations(partial(work, n)) for n in sizes]
    assert all(more <= 2.5 * less for less, more in pairwise(counts)), counts


def test_each_rater_against_the_others() -> None:
    check_growth(_raters, (100, 200, 400))
