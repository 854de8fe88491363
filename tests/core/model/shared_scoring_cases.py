"""Pairs that forked processes share out have the scores that they have alone."""

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.errors import PfsmError, PfsmWarning
from pfsm.matchers.registry import MATCHERS
from pfsm.model import metric as room
from pfsm.model.builder import LatticeBuilder
from pfsm.model.metric import FEWEST_TO_SHARE, Metric
from pfsm.model.settings import Settings
from pfsm.model.shipped import load
from tests.model_cases import WEIGHTS, model

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks")
MANY = FEWEST_TO_SHARE + 100
PARENT = os.getpid()


def lines(count: int) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(0)
    words = np.array(["river", "rivers", "run", "ran", "to", "the", "sea", "slowly", ".", "birch"])
    text = [" ".join(words[rng.integers(0, 10, rng.integers(0, 9))]) for _ in range(2 * count)]
    return text[:count], [text[count + number % 700] for number in range(count)]


def in_child(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> list[int]:
    """Has child processes do something before they build lattices; counts the pairs of this one."""
    here: list[int] = []
    usual = LatticeBuilder.batches

    def batches(self: LatticeBuilder, pairs: Any, threads: int | None = None) -> Iterator[Any]:
        here.append(len(pairs))
        if os.getpid() != PARENT:
            act()
        return usual(self, pairs, threads)

    monkeypatch.setattr(LatticeBuilder, "batches", batches)
    return here


@pytest.mark.parametrize("name", ["en-small", "en-fast"])
def test_scores_stand_at_their_pairs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = lines(MANY)
    expected = load(name, 1).score_pairs(*pairs).tolist()
    metric = load(name, 2)
    metric.processes = 3
    here = in_child(monkeypatch, lambda: None)
    assert metric.score_pairs(*pairs).tolist() == expected
    assert here == [room.SCORED_HERE]
    # A program of others has threads that its children would lack.
    here.clear()
    assert load(name, 2).score_pairs(*pairs).tolist() == expected
    assert here == [MANY]


def test_columns_go_with_their_pairs() -> None:
    settings = {"language": "en", "max_block": 1, "features": {"column:quality": {"mean": 0.0, "sd": 1.0}}}
    changed = model(settings=settings, weights={**WEIGHTS, "feature:column:quality": 1.0})
    numbers = {"quality": np.linspace(0.0, 1.0, MANY)}
    metric = Metric(changed, 2)
    expected = metric.score_pairs(*lines(MANY), numbers).tolist()
    metric.processes = 2
    assert metric.score_pairs(*lines(MANY), numbers).tolist() == expected


def test_models_that_need_more_than_text_and_tables_stay_here() -> None:
    for name, plain in {"en": False, "en-fast": True, "en-small": True, "multi": False}.items():
        assert load(name)._builder.can_run_in_child_process is plain
    assert not LatticeBuilder(Settings(features={"edpm": None})).can_run_in_child_process
    assert not MATCHERS["dep"].can_run_in_child_process({})


def test_an_error_in_a_child_names_the_place_in_the_whole_input() -> None:
    crossing = " ".join(["a b"] * 1500)
    hypotheses, references = lines(MANY)
    hypotheses[2345] = references[2345] = crossing
    metric = Metric(model(settings={"language": "en", "max_block": 2, "max_jump": 5}), 2)
    metric.processes = 2
    warnings.simplefilter("error")  # pytest sets it back
    with pytest.raises(PfsmError, match=r"^segment 2345 \(counted from 0\): too many matches cross"):
        metric.score_pairs(hypotheses, references)


class Odd(Exception):
    """Cannot be made from its arguments, so it cannot be sent to another process."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} {other}")


def fail() -> None:
    raise Odd(1, 2)


def run_out_of_memory() -> None:
    raise MemoryError


@pytest.mark.parametrize("act", [lambda: os._exit(9), fail, run_out_of_memory])
def test_where_a_process_is_lost_the_scores_come_from_here(
    act: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = lines(MANY)
    metric = load("en-small", 1)
    expected = metric.score_pairs(*pairs).tolist()
    metric.processes = 2
    here = in_child(monkeypatch, act)
    with pytest.warns(
        PfsmWarning, match=r"^a process has ended by itself, perhaps for want of memory; scored"
    ):
        assert metric.score_pairs(*pairs).tolist() == expected
    assert metric.score_pairs(*pairs).tolist() == expected
    assert here == [room.SCORED_HERE, MANY, MANY]  # not tried again


COMMAND = """
import sys
from pfsm.cli import main
from pfsm.runtime import workers

usual = workers.forked_results

def told(work, jobs, processes):
    print(f"forked {processes}", file=sys.stderr)
    return usual(work, jobs, processes)

workers.forked_results = told
sys.exit(main(sys.argv[1:]))
"""


def test_the_command_line_has_the_same_bytes_on_any_number_of_threads(tmp_path: Path) -> None:
    hypotheses, references = lines(4500)
    files = {"reference.txt": references, "one.txt": hypotheses, "two.txt": hypotheses[::-1]}
    for name, text in files.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    given = [
        "score",
        "reference.txt",
        "-i",
        "one.txt",
        "two.txt",
        "--model",
        "en-small",
        "--format",
        "json",
        "-q",
    ]
    found = [
        subprocess.run(
            [sys.executable, "-c", COMMAND, *given, "--threads", threads],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True,
            text=True, check=True,
        )
        for threads in ("1", "3")
    ]  # fmt: skip
    assert [one.stderr.split() for one in found] == [[], ["forked", "3"]]
    assert found[1].stdout == found[0].stdout
    assert len(json.loads(found[0].stdout)) == 2
