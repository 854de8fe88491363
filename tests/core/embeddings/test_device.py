"""Where encoders compute: a GPU that is there is used, with full batches; one that is not is refused in one line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pfsm
from pfsm.embeddings import session
from pfsm.embeddings.folder import FolderEncoder
from pfsm.errors import PfsmError
from tests.command_runs import Cli
from tests.core.embeddings.networks import write_network

CUDA = "CUDAExecutionProvider"


class _Session:
    """A session of the processor that calls itself one of a GPU."""

    def __init__(self, real: Any, providers: list[str]) -> None:
        self._real, self._providers = real, providers
        self.rows: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def get_providers(self) -> list[str]:
        return self._providers

    def run(self, outputs: list[str], inputs: dict[str, Any]) -> Any:
        self.rows.append(len(next(iter(inputs.values()))))
        return self._real.run(outputs, inputs)


class _Runtime:
    """ONNX Runtime's package for GPUs, on a machine whose driver works or does not."""

    def __init__(self, works: bool) -> None:
        self._real, self._works = session.runtime(), works
        self.asked: list[Any] = []
        self.sessions: list[_Session] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def get_available_providers(self) -> list[str]:
        return [CUDA, "CPUExecutionProvider"]

    def InferenceSession(self, model: Any, options: Any, providers: list[Any]) -> _Session:
        self.asked.append(providers[0])
        real = self._real.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.sessions.append(_Session(real, [CUDA] * self._works + ["CPUExecutionProvider"]))
        return self.sessions[-1]


@pytest.fixture(autouse=True)
def chosen() -> Iterator[None]:
    before = session.device()
    yield
    session.use_device(before)


def machine(monkeypatch: pytest.MonkeyPatch, *, works: bool = True) -> _Runtime:
    made = _Runtime(works)
    monkeypatch.setattr(session, "runtime", lambda: made)
    monkeypatch.setattr(session, "_has_driver", lambda: True)
    return made


def test_a_gpu_is_used_with_full_batches_and_without_short_products(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    encoder = FolderEncoder(write_network(tmp_path / "net"))
    here = encoder.states(["the cat", "a dog sat"])
    made = machine(monkeypatch)
    session.use_device("cuda")
    assert session.on_gpu()
    there = encoder.states(["the cat", "a dog sat"])
    for one, other in zip(here, there, strict=True):
        np.testing.assert_allclose(one.values, other.values, atol=1e-6)
    assert made.asked == [(CUDA, {"use_tf32": "0"})]
    lengths = [len(one.ids) + 2 for one in there]
    assert sorted(made.sessions[0].rows) == sorted({session.PIECES_ON_GPU // length for length in lengths})
    # The processor's function is kept beside it.
    session.use_device("cpu")
    assert np.array_equal(encoder.states(["the cat"])[0].values, here[0].values)
    assert len(made.asked) == 1


def test_without_a_gpu(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(session, "_has_driver", lambda: False)
    (tmp_path / "a.txt").write_text("a cat\n", encoding="utf-8")
    asked = ("score", "a.txt", "-i", "a.txt", "-m", "en-small", "-b")
    assert cli(*asked, "--device", "cuda").fault.startswith("device cuda: there is no GPU to be used")
    assert cli(*asked, "--device", "auto").lines == cli(*asked, "--device", "cpu").lines
    assert session.device() == "auto"
    with pytest.raises(PfsmError, match="device is 'tpu', it must be auto, cpu or cuda"):
        pfsm.load("en-small", device="tpu")
    assert pfsm.load("en-small", device="cpu").name == "en-small"
