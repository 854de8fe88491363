"""Every route has a deadline, bounded memory and a fair share: a small request does not wait for the largest ones."""

import asyncio
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np
import pytest

from tests.studio.serve.running import Reply, Running

pytest.importorskip("starlette")

import pfsm
from pfsm_studio.serve import app
from pfsm_studio.serve.batching import Batcher
from pfsm_studio.serve.limits import Limits, RequestError
from pfsm_studio.serve.model_pool import LoadedModel
from pfsm_studio.serve.requests import openapi
from pfsm_studio.serve.workbench import laboratory
from pfsm_studio.serve.workbench.laboratory import Laboratory, LaboratoryRequest

LINE, PAIRS = 1000, 400
SMALL = {"model": "en-small", "hypotheses": ["a b"], "references": ["a c"]}


def _lines(n: int) -> list[str]:
    draw = random.Random(n)
    return ["".join(chr(0x4E00 + draw.randrange(3000)) for _ in range(LINE)) for _ in range(n)]


def _texts(n: int) -> dict[str, Any]:
    return {"model": "multi", "hypotheses": _lines(n), "references": _lines(n)}


# What each route that takes a body takes at most. Numbers of pairs and characters are bounded by options of the server.
LARGEST: dict[str, dict[str, Any]] = {
    "/v1/score": {**_texts(PAIRS), "confidence": True, "resamples": 10_000},
    "/v1/compare": {
        "model": "multi",
        "references": _lines(PAIRS // 2),
        "systems": [{"name": name, "hypotheses": _lines(PAIRS // 2)} for name in ("one", "two")],
        "resamples": 10_000,
    },
    "/v1/explain": _texts(200),
    "/workbench/laboratory": _texts(PAIRS),
    "/workbench/saved": {"name": "mine", "model": "multi", "weights": dict(pfsm.load("multi").model.weights)},
}


@pytest.fixture(scope="module")
def narrow() -> Any:
    """A server with one thread and little patience, for a small request far more than it needs."""
    bounds = ("--threads", "1", "--timeout", "6", "--max-line", str(LINE), "--max-pairs", str(PAIRS))
    with Running("--model", "multi", "--model", "en-small", *bounds) as running:
        running.post("/v1/score", SMALL)
        yield running


def test_every_route_with_a_body_is_asked() -> None:
    with_body = {path for path, methods in openapi(Limits())["paths"].items() if "post" in methods}
    assert with_body <= {*LARGEST}


@pytest.mark.parametrize("path", LARGEST)
def test_a_small_request_does_not_wait_for_the_largest(path: str, narrow: Running) -> None:
    answers: list[tuple[str, Reply]] = []
    large = [
        threading.Thread(target=lambda: answers.append(("large", narrow.post(path, LARGEST[path]))))
        for _ in range(2)
    ]
    for thread in large:
        thread.start()
    time.sleep(0.5)
    answers.append(("small", narrow.post("/v1/score", SMALL)))
    if path != "/workbench/saved":  # which takes no time
        assert [size for size, _ in answers] == ["small"]
    for thread in large:
        thread.join()
    assert {reply.status for size, reply in answers if size == "small"} == {200}
    # In time, or not at all.
    assert {reply.status for _, reply in answers} <= {200, 503}


def test_the_laboratory_keeps_no_more_than_memory_is_given_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laboratory, "MOST_KEPT", 5_000)
    loaded, kept = LoadedModel("en-small", pfsm.load("en-small").model, "shipped"), Laboratory()

    async def ask() -> None:
        with ThreadPoolExecutor(1) as pool:
            batcher = Batcher(pool, 1, Limits())
            for n in (1, 3, 3, 9, 200, 2):
                lines = [f"a bird {k} of {n}" for k in range(n)]
                asked = LaboratoryRequest(
                    hypotheses=lines, references=[*lines[::-1]], weights={"S_word": 1.0}
                )
                answer = await kept.answer(batcher, loaded, asked, time.monotonic() + 60)
                expected = loaded.metric.score_pairs(lines, lines[::-1])
                assert answer["was"] == expected.tolist()
                spent = [cost for cost, _ in kept._kept.values()]
                assert sum(spent) <= 5_000
            assert spent
            with pytest.raises(RequestError, match="takes too long"):
                await kept.answer(batcher, loaded, asked, time.monotonic() - 1)

    asyncio.run(ask())


def test_a_thread_that_cannot_be_started_is_not_counted_as_busy() -> None:
    class Full(ThreadPoolExecutor):
        full = True

        def submit(self, *given: Any, **named: Any) -> Any:
            if Full.full:
                raise RuntimeError("can't start new thread")
            return super().submit(*given, **named)

    loaded = LoadedModel("en-small", pfsm.load("en-small").model, "shipped")

    async def ask() -> Any:
        with Full(1) as pool:
            batcher = Batcher(pool, 1, Limits())
            with pytest.raises(RequestError, match="no thread"):
                await batcher.score(loaded, ["a b"], ["a c"], time.monotonic() + 60)
            Full.full = False
            assert batcher.waiting == 0
            return await batcher.score(loaded, ["a b"], ["a c"], time.monotonic() + 60)

    assert np.isfinite(asyncio.run(ask())).all()


def test_a_full_disk_below_the_log_hinders_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    class FullDisk:
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stderr", cast("Any", FullDisk()))
    app.log("a line")
