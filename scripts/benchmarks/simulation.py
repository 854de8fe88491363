"""A cluster on paper: how long partitions take on workers of different speed that start, die and come back.

Time is simulated, nothing is run. Each partition goes to the first worker that is free, as Dask gives tasks out and
moves waiting ones from slow workers to idle ones. The scheduler hands out one task at a time.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]

# A task that has ended so many workers ends the job (`pfsm.distributed.cluster`).
MOST_DEATHS = 4


@dataclass(frozen=True)
class Fleet:
    """Workers, each with one core.

    Attributes:
        workers: How many.
        start: Seconds until a new worker has loaded and compiled what it needs.
        dispatch: Seconds that the scheduler needs for a task.
        slow_share: Share of workers that are slow all the time.
        slow_factor: How many times as long they take.
        deaths_per_hour: Of one worker, on average; it comes back after ``start`` and ``pause``.
        pause: Seconds until a worker that died is started again.
        bandwidth: Bytes a second that all of them together can read; none beyond that is waited for.
    """

    workers: int
    start: float = 0.0
    dispatch: float = 0.0
    slow_share: float = 0.0
    slow_factor: float = 1.0
    deaths_per_hour: float = 0.0
    pause: float = 0.0
    bandwidth: float = float("inf")


@dataclass(frozen=True)
class Course:
    """How a job went.

    Attributes:
        seconds: From its beginning to the end of the last partition.
        useful: Share of the workers' time that went into results.
        retries: Partitions that were begun again because their worker died.
        tail: Seconds from the first moment at which a worker found nothing more to do.
        given_up: Whether one partition ended so many workers that the job ended with it.
    """

    seconds: float
    useful: float
    retries: int
    tail: float
    given_up: bool


def simulate(
    seconds: Sequence[float] | Float, sizes: Sequence[float] | Float, fleet: Fleet, seed: int
) -> Course:
    """The course of a job.

    Args:
        seconds: [n_partitions], of a usual worker's processor for each partition.
        sizes: [n_partitions], bytes of each.
        fleet: The workers.
        seed: Of all that is random: which workers are slow, and when they die.
    """
    random = np.random.default_rng(seed)
    work = np.asarray(seconds, dtype=np.float64)
    # What all of them read at once is shared fairly.
    work = np.maximum(work, np.asarray(sizes, dtype=np.float64) * fleet.workers / fleet.bandwidth)
    slow = random.permutation(fleet.workers) < round(fleet.slow_share * fleet.workers)
    speeds = np.where(slow, fleet.slow_factor, 1.0)
    free = [(fleet.start, worker) for worker in range(fleet.workers)]
    dies = _lifetimes(random, fleet) + fleet.start
    queue, deaths = list(range(len(work)))[::-1], np.zeros(len(work), dtype=np.int64)
    scheduler, useful, retries, end, first_idle = 0.0, 0.0, 0, fleet.start, None
    while queue:
        now, worker = heapq.heappop(free)
        scheduler = max(scheduler, now) + fleet.dispatch
        part = queue.pop()
        needed = float(work[part] * speeds[worker])
        if scheduler + needed > dies[worker]:
            dies_at = max(scheduler, float(dies[worker]))
            back = dies_at + fleet.pause + fleet.start
            dies[worker] = back + random.exponential(3600.0 / fleet.deaths_per_hour)
            deaths[part] += 1
            retries += 1
            queue.append(part)
            heapq.heappush(free, (back, worker))
            if deaths[part] == MOST_DEATHS:
                return Course(float(dies_at), useful / (dies_at * fleet.workers), retries, 0.0, True)
            continue
        useful += float(work[part])
        heapq.heappush(free, (scheduler + needed, worker))
        end = max(end, scheduler + needed)
        if not queue:
            first_idle = min(free)[0]
    tail = 0.0 if first_idle is None else end - first_idle
    share = useful / (end * fleet.workers) if end else 1.0
    return Course(end, share, retries, max(0.0, tail), False)


def _lifetimes(random: np.random.Generator, fleet: Fleet) -> Float:
    """Seconds that each worker lives."""
    if not fleet.deaths_per_hour:
        return np.full(fleet.workers, np.inf)
    return random.exponential(3600.0 / fleet.deaths_per_hour, fleet.workers)


def drawn(rates: Sequence[float] | Float, sizes: Sequence[float] | Float, seed: int) -> Float:
    """Seconds for partitions of some sizes, each at a measured rate in seconds a byte, drawn with replacement."""
    random = np.random.default_rng(seed)
    return np.asarray(random.choice(np.asarray(rates, dtype=np.float64), len(sizes)) * np.asarray(sizes))
