"""The cluster on paper: against courses worked out by hand, and bounds that every schedule keeps."""

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "scripts" / "benchmarks"


@pytest.fixture
def simulation(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("simulation")


def test_equal_partitions_go_round_by_round(simulation: Any) -> None:
    # Seven partitions of 10 s on three workers: three rounds, the last with one of them at work.
    course = simulation.simulate([10.0] * 7, [1.0] * 7, simulation.Fleet(3, start=5.0), 1)
    assert course.seconds == 35.0
    assert course.useful == pytest.approx(70.0 / (35.0 * 3))
    assert (course.retries, course.tail, course.given_up) == (0, 10.0, False)


def test_a_slow_worker_gets_less_to_do(simulation: Any) -> None:
    # In 30 s the usual worker does three partitions, the one at a third of its speed one.
    fleet = simulation.Fleet(2, slow_share=0.5, slow_factor=3.0)
    assert simulation.simulate([10.0] * 4, [1.0] * 4, fleet, 1).seconds == 30.0


def test_the_scheduler_hands_out_one_task_at_a_time(simulation: Any) -> None:
    course = simulation.simulate([1.0] * 100, [1.0] * 100, simulation.Fleet(100, dispatch=0.5), 1)
    assert course.seconds == 51.0


def test_reading_is_shared(simulation: Any) -> None:
    # Four workers share 2 bytes a second: a partition of 10 bytes takes each 20 s, though its scoring takes 1.
    course = simulation.simulate([1.0] * 4, [10.0] * 4, simulation.Fleet(4, bandwidth=2.0), 1)
    assert course.seconds == 20.0


@pytest.mark.parametrize("seed", range(5))
def test_no_course_is_shorter_than_its_work_and_none_loses_a_partition(simulation: Any, seed: int) -> None:
    seconds = np.random.default_rng(seed).gamma(2.0, 20.0, 200)
    quiet = simulation.Fleet(8, start=10.0)
    troubled = simulation.Fleet(8, start=10.0, deaths_per_hour=6.0, pause=30.0)
    usual, hard = (simulation.simulate(seconds, seconds, fleet, seed) for fleet in (quiet, troubled))
    # Graham's bound of greedy schedules.
    assert seconds.sum() / 8 + 10.0 <= usual.seconds <= seconds.sum() / 8 + seconds.max() + 10.0
    assert hard.retries > 0
    assert hard.seconds >= seconds.sum() / 8 + 10.0
    assert hard.useful * hard.seconds * 8 == pytest.approx(seconds.sum())


def test_the_same_seed_gives_the_same_course(simulation: Any) -> None:
    fleet = simulation.Fleet(16, start=3.0, deaths_per_hour=20.0, slow_share=0.25, slow_factor=2.0)
    rates = simulation.drawn([0.1, 0.2, 0.4], [50.0] * 300, 3)
    assert set(np.round(rates)) == {5.0, 10.0, 20.0}
    first, second = (simulation.simulate(rates, [50.0] * 300, fleet, 9) for _ in range(2))
    assert first == second
    assert first != simulation.simulate(rates, [50.0] * 300, fleet, 10)


def test_a_partition_that_ends_every_worker_ends_the_job(simulation: Any) -> None:
    # An hour of work for workers that live a minute: nobody would ever finish.
    fleet = simulation.Fleet(1, deaths_per_hour=60.0)
    assert simulation.simulate([3600.0], [1.0], fleet, 1).given_up
