"""A metric under load: shared by threads, after fork and spawn, with endless new words, a million lines, long lines.

    python scripts/benchmarks/load.py [PART …] [--model NAME] [--minutes N] [--lines N] [--tokens N]

Parts are ``threads``, ``processes``, ``words``, ``lines``, ``long`` (default: all). The text is made from a list of
invented words, by the same seed each time, so no data is needed. Where scores have to be the same ones, they are
compared, and the exit status is 1 if they are not. A million judgments are trained on by ``training.py 1000000``.
"""

import multiprocessing
import random
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import numpy as np
from numpy.typing import NDArray
from stopwatch import machine

from pfsm.model.metric import Metric
from pfsm.model.shipped import load

THREADS, PROCESSES, JUMP = 16, 8, 5
FREQUENT = ("the", "of", "a", "to", "in", "and", "was", "for", ",", ".")
Scores = NDArray[np.float64]
Pairs = tuple[list[str], list[str]]


def resident_mb() -> float:
    """Memory that this process holds now."""
    for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024.0
    return float("nan")


def words(draw: random.Random, number: int) -> list[str]:
    """A third of them from ten frequent words, as in running text; the others from some thousands."""
    return [
        draw.choice(FREQUENT) if draw.random() < 0.35 else f"w{int(4000 * draw.random() ** 3)}x"
        for _ in range(number)
    ]


def pairs(number: int, length: int, seed: int) -> Pairs:
    """Translations and references; three in ten words of a translation are others, and some stand elsewhere."""
    draw = random.Random(seed)
    hypotheses, references = [], []
    for _ in range(number):
        reference = words(draw, length)
        changed = [word if draw.random() < 0.7 else words(draw, 1)[0] for word in reference]
        for place in range(1, length):
            if draw.random() < 0.1:
                changed[place - 1], changed[place] = changed[place], changed[place - 1]
        hypotheses.append(" ".join(changed))
        references.append(" ".join(reference))
    return hypotheses, references


def told(name: str, work: Callable[[], Scores]) -> Scores:
    """Runs it, and says how long it took and what memory is held then."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"| {name} | {wall:.1f} | {cpu:.1f} | {resident_mb():.0f} |", flush=True)
    return found


def check(found: Sequence[Scores], expected: Scores, name: str) -> None:
    """All scores have the same bits.

    Raises:
        SystemExit: Some have not.
    """
    if any(part.tobytes() != expected.tobytes() for part in found):
        sys.exit(f"load.py: {name}: scores differ")


def shared_by_threads(wanted: Namespace) -> None:
    """One metric that sixteen threads use at once, each on pairs in another order of blocks."""
    blocks = [pairs(500, 20, seed) for seed in range(THREADS)]
    expected = [load(wanted.model, threads=1).score_pairs(*block) for block in blocks]
    metric = load(wanted.model)

    def work(first: int) -> list[Scores]:
        return [metric.score_pairs(*blocks[(first + k) % THREADS]) for k in range(THREADS)]

    def run() -> Scores:
        with ThreadPoolExecutor(THREADS) as pool:
            for first, found in enumerate(pool.map(work, range(THREADS))):
                for k, scores in enumerate(found):
                    check([scores], expected[(first + k) % THREADS], "threads")
        return expected[0]

    told(f"{THREADS} threads, {THREADS * THREADS * 500:,} pairs", run)


_shared: list[Metric] = []


def _score(seed: int) -> Scores:
    return _shared[0].score_pairs(*pairs(2000, 20, seed))


def _give(metric: Metric) -> None:
    _shared[:] = [metric]


def in_processes(wanted: Namespace) -> None:
    """One metric that has scored, used by eight processes: as they inherit it, and as it is sent to them."""
    _give(load(wanted.model))
    expected = [_score(seed) for seed in range(PROCESSES)]
    for way in ("fork", "spawn"):
        if way not in multiprocessing.get_all_start_methods():
            continue

        def run(way: str = way) -> Scores:
            context = multiprocessing.get_context(way)
            with context.Pool(PROCESSES, _give, (_shared[0],)) as pool:
                for found, scores in zip(pool.map(_score, range(PROCESSES), 1), expected, strict=True):
                    check([found], scores, way)
            return expected[0]

        told(f"{PROCESSES} processes after {way}, {PROCESSES * 2000:,} pairs", run)


def endless_words(wanted: Namespace) -> None:
    """Pairs of words that were never seen before, for so many minutes; memory has to stay bounded."""
    metric, number = load(wanted.model), 0
    begin = shown = time.monotonic()
    probe = pairs(200, 20, 1)
    expected = metric.score_pairs(*probe)
    while (now := time.monotonic()) < begin + 60.0 * wanted.minutes:
        lines = []
        for _ in range(500):
            lines.append(" ".join(f"n{number + k:x}" for k in range(20)))
            number += 20
        metric.score_pairs(lines[::2], lines[1::2])
        if now >= shown:
            print(
                f"| {(now - begin) / 60.0:.1f} minutes, {number:,} new words, {metric.n_types:,} known "
                f"| | | {resident_mb():.0f} |",
                flush=True,
            )
            shown += 6.0 * wanted.minutes
    check([metric.score_pairs(*probe)], expected, "words")


def many_lines(wanted: Namespace) -> None:
    """All lines in one call."""
    hypotheses, references = pairs(wanted.lines, 20, 3)
    print(f"| {wanted.lines:,} lines are there | | | {resident_mb():.0f} |", flush=True)
    metric = load(wanted.model)
    scores = told(f"{wanted.lines:,} lines in one call", lambda: metric.score_pairs(hypotheses, references))
    check([metric.score_pairs(hypotheses[-50:], references[-50:])], scores[-50:], "lines")


def long_lines(wanted: Namespace) -> None:
    """One line of thousands of words, without and with jumps."""
    line, warm = pairs(1, wanted.tokens, 4), pairs(1, 1100, 5)
    plain = load(wanted.model, threads=1).model
    for jump in (0, JUMP):
        weights = {**plain.weights, **({"Jump": -1.0} if jump else {})}
        metric = Metric(replace(plain, settings=replace(plain.settings, max_jump=jump), weights=weights), 1)
        metric.score_pairs(*warm)
        told(f"one line of {wanted.tokens:,} words, jumps of {jump}", partial(metric.score_pairs, *line))


PARTS = {
    "threads": shared_by_threads,
    "processes": in_processes,
    "words": endless_words,
    "lines": many_lines,
    "long": long_lines,
}


def main() -> None:
    """Runs the parts, and prints a table."""
    parser = ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--model", default="en-fast", metavar="NAME")
    parser.add_argument("--minutes", type=float, default=10.0, metavar="N", help="of new words")
    parser.add_argument("--lines", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--tokens", type=int, default=3_000, metavar="N", help="words of a long line")
    wanted = parser.parse_args()
    if unknown := [part for part in wanted.parts if part not in PARTS]:
        parser.error(f"no part {unknown[0]}; there are {', '.join(PARTS)}")
    print(f"## Load, {wanted.model}\n\n{machine()}\n\n| what | wall s | CPU s | MB held |\n|---|--:|--:|--:|")
    for part in wanted.parts or PARTS:
        PARTS[part](wanted)


if __name__ == "__main__":
    main()
