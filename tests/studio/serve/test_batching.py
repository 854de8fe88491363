"""What a call of a thread holds, and in which order requests get their turns."""

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("starlette")

from pfsm_studio.serve.app import Service
from pfsm_studio.serve.batching import FIRST_COST, Batcher, cost, portion_end
from pfsm_studio.serve.limits import Limits, RequestError

LONG = " ".join(["w"] * 2000)


class StandIn:
    """A model whose score is the length of the hypothesis, and which remembers what it was called with."""

    name = "stand-in"

    def __init__(self, pause: float = 0.0) -> None:
        self.calls: list[list[str]] = []
        self.pause = pause

    @property
    def metric(self) -> "StandIn":
        return self

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Any:
        self.calls.append(list(hypotheses))
        time.sleep(self.pause)
        assert len(references) == len(hypotheses)
        return np.array([float(len(line)) for line in hypotheses])


def test_a_small_request_gets_the_next_turn_but_one() -> None:
    model = StandIn()

    async def ask() -> tuple[Any, Any]:
        with ThreadPoolExecutor(1) as pool:
            batcher = Batcher(pool, 1, Limits())
            deadline = time.monotonic() + 60
            large = asyncio.create_task(batcher.score(cast("Any", model), [LONG] * 30, [LONG] * 30, deadline))
            while not model.calls:
                await asyncio.sleep(0)
            before = len(model.calls)
            small = await batcher.score(cast("Any", model), ["a b"], ["a c"], deadline)
            assert ["a b"] in model.calls[before : before + 3]
            return await large, small

    large, small = asyncio.run(ask())
    assert large.tolist() == [len(LONG)] * 30
    assert small.tolist() == [3]


def test_portions_are_bounded_by_their_lattices() -> None:
    costs = [cost("a b c", "a b")] * 50 + [cost(LONG, LONG)] * 3 + [cost("a", "a")]
    assert costs[50] > FIRST_COST  # so it is alone
    ends, first = [], 0
    while first < len(costs):
        first = portion_end(costs, first, 40, FIRST_COST)
        ends.append(first)
    assert ends == [40, 50, 51, 52, 53, 54]


def test_signs_and_characters_without_spaces_cost_as_many_words() -> None:
    """A model takes each of them for a word; as one word a line of them would keep a thread for a minute."""
    words = cost(" ".join(["w"] * 500), "a")
    assert all(words <= cost(sign * 500, "a") <= 2 * words for sign in "鏡!ก’🙂")
    assert cost("слово " * 100, "a") == cost("words " * 100, "a")


def test_an_answer_that_takes_too_long_is_not_waited_for() -> None:
    service = Service(cast("Any", None), cast("Any", None), Limits(patience=0.0), 1)

    async def never(deadline: float) -> None:
        assert deadline <= time.monotonic()
        await asyncio.Event().wait()

    with pytest.raises(RequestError, match="takes too long"):
        asyncio.run(service.in_time(never))
