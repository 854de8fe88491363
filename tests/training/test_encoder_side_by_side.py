"""Folds learned from side by side: the same bytes on any number of threads, interruptions, errors, progress."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

from pfsm.embeddings.encoders import pinned
from pfsm.encoder import heads
from pfsm.errors import PfsmError
from pfsm_training import train
from pfsm_training.config import TrainingConfig
from pfsm_training.data.training_text import TrainingText
from pfsm_training.encoder import learning, runs, transformer
from pfsm_training.encoder.fitting import AbandonedError, Lesson, Network, Part, fit_head
from pfsm_training.encoder.material import material
from pfsm_training.fit.checkpoint import Checkpoint
from pfsm_training.fit.crossval import make_folds
from pfsm_training.options import EncoderOptions
from pfsm_training.trainer import one_torch_thread
from tests.embeddings.networks import write_network
from tests.encoder.encoders import judgments

JUDGMENTS = judgments().sorted()
# Of the fits of three folds, and of the one for everything.
FOLDS, EVERYTHING = (1, 2, 3), 0
PATIENCE = 60.0
Fit = Callable[[Lesson, Part, int, int, Any], Network]


@pytest.fixture(autouse=True)
def few_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "_known", {})
    monkeypatch.setattr(learning, "MOST_PASSES", 2)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """As in training; more are slow on a busy machine."""
    with one_torch_thread():
        yield


@pytest.fixture
def source(tmp_path: Path) -> str:
    return pinned(str(write_network(tmp_path / "net")))


def config_of(source: str) -> TrainingConfig:
    return TrainingConfig(encoder=EncoderOptions("head", source))


def learn(config: TrainingConfig) -> learning.Learned:
    text, folds = TrainingText(JUDGMENTS, None, config.settings), make_folds(JUDGMENTS)
    return learning.learn(material(text, None, folds), folds, text.reader, config, threads=2)


@contextmanager
def fits_by(fit: Fit) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "fit_head", fit)
        yield


def until_abandoned(lesson: Lesson) -> None:
    """What a fit does until nobody wants its result."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        lesson.check()
        time.sleep(0.001)
    pytest.fail("nobody has ended this fit")


def no_fit_goes_on() -> bool:
    # Ctrl-C may come while a thread is being started, and is raised before that thread has ended.
    for thread in threading.enumerate():
        if thread.name.startswith("pfsm-fit"):
            thread.join(PATIENCE)
    return not any(thread.name.startswith("pfsm-fit") for thread in threading.enumerate())


class TestDropout:
    def test_a_generator_of_its_own_gives_what_pytorch_gives(self) -> None:
        given = torch.randn(7, 33, 12).to(torch.bfloat16)
        results = []
        for dropout in (torch.nn.Dropout(0.1), transformer._Dropout(0.1)):
            torch.manual_seed(5)
            transformer.draw_from(dropout, torch.Generator().manual_seed(5))
            x = given.clone().requires_grad_()
            for _ in range(3):  # the second and third draw from where the one before has stopped
                y = dropout(x)
                y.backward(torch.ones_like(y))
            assert x.grad is not None
            results.append((y.detach(), x.grad))
            assert not y.eq(x).all()
        for one, other in zip(*results, strict=True):
            assert torch.equal(one, other)


def test_training_resumes_after_an_interruption_in_the_middle(source: str, tmp_path: Path) -> None:
    class Stop(Checkpoint):
        def keep_learned(self, name: str, content: bytes) -> None:
            super().keep_learned(name, content)
            raise KeyboardInterrupt

    config, path = config_of(source), tmp_path / "m.checkpoint"
    whole = train(JUDGMENTS, config=config, threads=1)
    middle, ended, fits = threading.Event(), [], []

    def interrupted(lesson: Lesson, part: Part, passes: int, seed: int, after: Any) -> Network:
        if seed == FOLDS[1]:
            assert middle.wait(PATIENCE)
            return fit_head(lesson, part, passes, seed, after)

        def after_the_first(number: int, network: Network) -> None:
            after(number, network)
            middle.set()
            until_abandoned(lesson)

        try:
            return fit_head(lesson, part, passes, seed, after_the_first)
        except AbandonedError:
            ended.append(seed)
            raise

    with fits_by(interrupted), pytest.raises(KeyboardInterrupt):
        train(JUDGMENTS, config=config, threads=2, checkpoint=Stop(path, resume=True))
    # The third may have begun where the second has ended.
    assert FOLDS[0] in ended
    assert no_fit_goes_on()

    def counted(lesson: Lesson, part: Part, passes: int, seed: int, after: Any) -> Network:
        fits.append(seed)
        return fit_head(lesson, part, passes, seed, after)

    with fits_by(counted):
        again = train(JUDGMENTS, config=config, threads=2, checkpoint=Checkpoint(path, resume=True))
    assert sorted(fits) == [EVERYTHING, FOLDS[0], FOLDS[2]]
    assert again.to_dict() == whole.to_dict()


def test_an_error_in_a_fold_surfaces_and_ends_the_others(source: str) -> None:
    def fit(lesson: Lesson, part: Part, passes: int, seed: int, after: Any) -> Network:
        if seed == FOLDS[1]:
            raise PfsmError("the second fold is broken")
        until_abandoned(lesson)
        return fit_head(lesson, part, passes, seed, after)

    with fits_by(fit), pytest.raises(PfsmError, match=r"^the second fold is broken$"):
        learn(config_of(source))
    assert no_fit_goes_on()
