"""Pairs of many requests scored together: threads take what has gathered while they were busy.

A portion is some pairs of one request, about `SHARE` seconds of work: at most `MOST_PAIRS`, and fewer where lines are
long or the model is slow. What a pair costs is estimated by the cells of its lattice (`cost`); what that takes is
learned from the last calls. Portions wait in two lines for each model, one of them for small requests, which gets every
other turn. A free thread takes several portions of one line at once. A request has only a few portions in line at a
time, so a large one does not keep small ones waiting. Scores do not depend on what a pair is scored with, so neither do
answers.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from prometheus_client import Counter

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.model.metric import Metric
from pfsm_studio.serve.limits import Limits, RequestError, too_late
from pfsm_studio.serve.model_pool import LoadedModel

Result = TypeVar("Result")
# Of a portion; and of portions that are scored together.
MOST_PAIRS, MOST_TOGETHER, LEAST_TOGETHER = 100, 400, 10
# Seconds that a thread may be busy with one call: a single pair waits as long for a thread.
SHARE = 0.25
# Of a portion while nothing is known of a model's pace; of all pairs of a request that is small.
FIRST_COST, SMALL_COST = 200_000, 100_000
# In cells of a lattice: what a word costs beside them, and a pair. So many characters without a space are a word.
_OF_WORD, _OF_PAIR, _LONGEST = 50, 200, 4
# Bytes of UTF-8 in letters and digits of alphabets that use spaces, and all that follow the first byte of a character.
# The others are spaces, or begin signs, punctuation and Chinese characters.
_IN_WORDS = bytes(code for code in range(0xE0) if code >= 0x80 or chr(code).isalnum())
# What is left of a pace that was slower than the last call's.
_FORGETTING = 0.8
# What comes before the message of a pair that was scored alone.
_ALONE = "segment 0 (counted from 0): "


class FaultyPairError(Exception):
    """A pair that cannot be scored: its place in the request, and why."""

    def __init__(self, place: int, message: str) -> None:
        super().__init__(message)
        self.place, self.message = place, message


@dataclass(eq=False)
class _Portion:
    hypotheses: Sequence[str]
    references: Sequence[str]
    cost: int
    scores: "asyncio.Future[Float]"
    deadline: float


class Batcher:
    """Shares out the threads of a server among its requests; for use in one event loop.

    Args:
        pool: The threads.
        threads: Their number.
        limits: Bounds of the service.
        long: Threads for work that cannot be cut into pieces of `SHARE` seconds; None: those of ``pool``.
    """

    def __init__(self, pool: Executor, threads: int, limits: Limits, long: Executor | None = None) -> None:
        self._pool, self._threads, self._limits = pool, threads, limits
        self._long = pool if long is None else long
        # By model, and whether its requests are small.
        self._lines: dict[tuple[LoadedModel, bool], deque[_Portion]] = {}
        # Of each model, seconds a pair and seconds a cell in its last calls.
        self._pace: WeakKeyDictionary[LoadedModel, tuple[float, float]] = WeakKeyDictionary()
        self._small_had_turn = False
        self._busy = 0
        self._timer: asyncio.TimerHandle | None = None
        self.waiting = 0
        # What has been scored since the start.
        self.pairs = Counter("pfsm_pairs", "Pairs scored, by model.", ("model",), registry=None)
        about = "Calls of a model, each with pairs of one or more requests."
        self.batches = Counter("pfsm_batches", about, registry=None)
        self.portions = Counter("pfsm_portions", "Portions of requests in these calls.", registry=None)

    async def run(self, work: Callable[[], Result]) -> Result:
        """The result of a function that a thread of the pool calls."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def run_long(self, work: Callable[[], Result], deadline: float) -> Result:
        """The result of a function that may take seconds: a request that only scores does not wait for it.

        Raises:
            RequestError: If the deadline has come.
        """
        if time.monotonic() > deadline:
            raise too_late()
        return await asyncio.get_running_loop().run_in_executor(self._long, work)

    async def score(
        self, loaded: LoadedModel, hypotheses: Sequence[str], references: Sequence[str], deadline: float
    ) -> Float:
        """Scores of single-reference pairs, float64 [n_pairs], as `Metric.score_pairs` gives them.

        Args:
            loaded: The model.
            hypotheses: Translations.
            references: As many references.
            deadline: On the clock of `time.monotonic`: pairs that are still in line then are not scored.

        Raises:
            FaultyPairError: If a pair cannot be scored.
            RequestError: If too many pairs wait, or the deadline has come.
        """
        if self.waiting + len(hypotheses) > self._limits.waiting:
            raise RequestError(503, "too many pairs are waiting to be scored; try again", retry=1)
        results: list[Float] = []
        line: deque[tuple[int, asyncio.Future[Float]]] = deque()
        self.waiting += len(hypotheses)
        costs = list(map(cost, hypotheses, references))
        small, first = sum(costs) <= SMALL_COST, 0
        try:
            while line or first < len(costs):
                if first == len(costs) or len(line) >= 2 * self._threads:
                    results.append(await _of_request(*line.popleft()))
                    continue
                most, budget = self._together(loaded)
                stop = portion_end(costs, first, min(MOST_PAIRS, most), budget)
                part = slice(first, stop)
                portion = _Portion(
                    hypotheses[part],
                    references[part],
                    sum(costs[part]),
                    asyncio.get_running_loop().create_future(),
                    deadline,
                )
                self._submit((loaded, small), portion)
                line.append((first, portion.scores))
                first = stop
        finally:
            self.waiting -= len(hypotheses)
            for _, future in line:
                _forget(future)
        return np.concatenate([np.zeros(0), *results])

    def _together(self, loaded: LoadedModel) -> tuple[int, float]:
        """How many pairs a call should have, and of which cost: those that take about `SHARE` seconds."""
        if loaded not in self._pace:
            return MOST_TOGETHER, FIRST_COST
        of_pair, of_cell = self._pace[loaded]
        return min(MOST_TOGETHER, max(LEAST_TOGETHER, int(SHARE / of_pair))), SHARE / of_cell

    def _submit(self, key: tuple[LoadedModel, bool], portion: _Portion) -> None:
        self._lines.setdefault(key, deque()).append(portion)
        if self._timer is None and self._busy < self._threads:
            # Whoever comes to an idle server need not wait for others.
            pause = self._limits.gathering if self._busy else 0.0
            self._timer = asyncio.get_running_loop().call_later(pause, self._dispatch)

    def _dispatch(self) -> None:
        """Gives free threads what waits, line after line in turn; every other turn is that of small requests."""
        self._timer = None
        while self._lines and self._busy < self._threads:
            key = next(iter(self._lines))
            if not self._small_had_turn:
                key = next((one for one in self._lines if one[1]), key)
            (loaded, self._small_had_turn), line = key, self._lines[key]
            together = _next_of(line, time.monotonic(), *self._together(loaded))
            # It goes to the end of the lines.
            del self._lines[key]
            if line:
                self._lines[key] = line
            if together:
                try:
                    task = asyncio.get_running_loop().run_in_executor(self._pool, _timed, loaded, together)
                except RuntimeError:  # the system starts no more threads
                    for portion in together:
                        portion.scores.set_exception(RequestError(503, "no thread can be started", retry=1))
                    continue
                self._busy += 1
                task.add_done_callback(partial(self._done, loaded, together))

    def _done(
        self,
        loaded: LoadedModel,
        together: Sequence[_Portion],
        done: "asyncio.Future[tuple[list[Float | Exception], float]]",
    ) -> None:
        self._busy -= 1
        error = done.exception()
        outcomes: Sequence[Float | BaseException] = [error] * len(together) if error else done.result()[0]
        pairs = sum(len(portion.hypotheses) for portion in together)
        if not error:
            seconds, cells = done.result()[1], sum(portion.cost for portion in together)
            of_pair, of_cell = (_FORGETTING * pace for pace in self._pace.get(loaded, (0.0, 0.0)))
            if pairs >= LEAST_TOGETHER or cells >= FIRST_COST / 2:
                seconds = max(seconds, 1e-9)
                self._pace[loaded] = max(seconds / pairs, of_pair), max(seconds / cells, of_cell)
        self.batches.inc()
        self.portions.inc(len(together))
        self.pairs.labels(loaded.name).inc(pairs)
        for portion, outcome in zip(together, outcomes, strict=True):
            if portion.scores.done():
                continue
            if isinstance(outcome, BaseException):
                portion.scores.set_exception(outcome)
            else:
                portion.scores.set_result(outcome)
        if self._lines and self._timer is None:
            self._dispatch()


def cost(hypothesis: str, reference: str) -> int:
    """About how much work a pair is, in cells of its lattice."""
    m, n = (
        max(1 + len(line.encode("utf-8", "surrogatepass").translate(None, _IN_WORDS)), len(line) // _LONGEST)
        for line in (hypothesis, reference)
    )
    return m * n + _OF_WORD * (m + n) + _OF_PAIR


def portion_end(costs: Sequence[int], first: int, most: int, budget: float) -> int:
    """The pair after the last of a portion, which has one pair or more: bounded in number and in cost."""
    stop, spent = first + 1, costs[first]
    while stop < min(len(costs), first + most) and spent + costs[stop] <= budget:
        spent += costs[stop]
        stop += 1
    return stop


def _forget(future: "asyncio.Future[Float]") -> None:
    """Nobody waits for the scores any more; an error in them is no news."""
    if not future.cancel() and not future.cancelled():
        future.exception()


async def _of_request(first: int, future: "asyncio.Future[Float]") -> Float:
    """Scores of a portion; an error gets the place of its pair in the whole request."""
    try:
        return await future
    except FaultyPairError as error:
        raise FaultyPairError(first + error.place, error.message) from None


def _next_of(line: deque[_Portion], now: float, most: int, budget: float) -> list[_Portion]:
    """Portions to be scored together; those that nobody waits for any more are dropped."""
    together: list[_Portion] = []
    pairs, spent = 0, 0
    while line and pairs < most:
        portion = line[0]
        size = len(portion.hypotheses)
        if portion.scores.done():
            line.popleft()
        elif portion.deadline < now:
            line.popleft().scores.set_exception(too_late())
        elif together and (pairs + size > most or spent + portion.cost > budget):
            break
        else:
            together.append(line.popleft())
            pairs, spent = pairs + size, spent + portion.cost
    return together


def _timed(loaded: LoadedModel, together: Sequence[_Portion]) -> tuple[list[Float | Exception], float]:
    """The scores of each portion, and the seconds they took; runs in a thread."""
    begun = time.monotonic()
    return _scored(loaded, together), time.monotonic() - begun


def _scored(loaded: LoadedModel, together: Sequence[_Portion]) -> list[Float | Exception]:
    metric = loaded.metric
    if len(together) == 1:
        return [_alone(metric, together[0])]
    try:
        scores = metric.score_pairs(
            [line for portion in together for line in portion.hypotheses],
            [line for portion in together for line in portion.references],
        )
    except PfsmError:
        # One portion is at fault: the others get their scores.
        return [_alone(metric, portion) for portion in together]
    ends = np.cumsum([len(portion.hypotheses) for portion in together])[:-1]
    return list(np.split(scores, ends))


def _alone(metric: Metric, portion: _Portion) -> Float | Exception:
    try:
        return metric.score_pairs(portion.hypotheses, portion.references)
    except PfsmError as error:
        for place, pair in enumerate(zip(portion.hypotheses, portion.references, strict=True)):
            try:
                metric.score_pairs(pair[:1], pair[1:])
            except PfsmError as own:
                return FaultyPairError(place, str(own).removeprefix(_ALONE))
        return error
