"""Learning over an encoder's states: derivatives, what is held out, minimal pairs, folds side by side, resuming."""

import math
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pfsm.data import Judgments
from pfsm.embeddings.encoders import load_encoder
from pfsm.encoder import heads
from pfsm.encoder.scoring import HeadScorer, pair_values
from pfsm.errors import PfsmError
from pfsm.model.metric import Metric
from pfsm_training import train
from pfsm_training.config import TrainingConfig
from pfsm_training.data.minimal_pairs import PairsToLearn, pairs_to_learn
from pfsm_training.data.training_text import TrainingText
from pfsm_training.encoder import fitting, learning, transformer
from pfsm_training.encoder.fitting import AbandonedError, Lesson, Network, Part, fit_head, material
from pfsm_training.encoder.network import HeadNetwork
from pfsm_training.encoder.pieces import encode_pairs, uniform_mix
from pfsm_training.fit.checkpoint import Checkpoint
from pfsm_training.fit.crossval import Folds, make_folds
from pfsm_training.fit.minimal_pairs import PairsText, minimal_pairs_text
from pfsm_training.options import EncoderOptions, minimal_pairs_option
from pfsm_training.trainer import one_torch_thread
from tests.core.encoder.encoders import DIMENSION, LAYERS, LINES, judgments, network
from tests.training.small_data import judgments_of

CPU = torch.device("cpu")
JUDGMENTS = judgments().sorted()
KINDS = ["drop-word", "add-word", "repeat-word", "number-form"]
OPTIONS = minimal_pairs_option({"kinds": KINDS, "number": 8, "of": "hypothesis", "top": 0.5}, "x")
# Of the fits of three folds, and of the one for everything.
FOLDS, EVERYTHING = (1, 2, 3), 0
PATIENCE = 60.0


@pytest.fixture(autouse=True)
def strangers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No head is known from another test; few passes, on one thread as in training."""
    monkeypatch.setattr(heads, "_known", {})
    monkeypatch.setattr(learning, "MOST_PASSES", 2)
    with one_torch_thread():
        yield


@pytest.fixture
def source(tmp_path: Path) -> str:
    return network(tmp_path)


@pytest.fixture
def config(source: str) -> TrainingConfig:
    return TrainingConfig(penalty=5.0, encoder=EncoderOptions(source=source))


@pytest.fixture
def with_pairs(source: str) -> TrainingConfig:
    options = EncoderOptions(source=source, minimal_pairs=0.5)
    return TrainingConfig(penalty=5.0, encoder=options, minimal_pairs=OPTIONS)


def learned(config: TrainingConfig, given: Judgments = JUDGMENTS, threads: int = 1) -> learning.Learned:
    text, folds = TrainingText(given, None, config.settings), make_folds(given)
    return learning.learn(material(text, None, folds), folds, text.reader, config, threads=threads)


@pytest.mark.parametrize("relative", [False, True])
def test_the_gradient_of_a_value_is_that_of_finite_differences(source: str, relative: bool) -> None:
    encoder = load_encoder(source)
    lines = encode_pairs(encoder, uniform_mix(LAYERS), LINES, LINES[1:] + LINES[:1])
    torch.manual_seed(0)
    head = HeadNetwork(DIMENSION, relative=relative).double()
    for parameter in head.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    batch = lines.batch(np.arange(len(LINES)), CPU)
    batch = replace(batch, rows=batch.rows.double())
    names = [name for name, _ in head.named_parameters()]

    def value(*parameters: torch.Tensor) -> Any:
        return torch.func.functional_call(head, dict(zip(names, parameters, strict=True)), (batch,))

    assert torch.autograd.gradcheck(value, tuple(head.parameters()), fast_mode=True)


def test_scoring_and_training_compute_the_same_values(source: str) -> None:
    encoder = load_encoder(source)
    torch.manual_seed(1)
    network = HeadNetwork(DIMENSION)
    for parameter in network.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    mix = uniform_mix(LAYERS)
    sides = [line for line in LINES for _ in LINES], [line for _ in LINES for line in LINES]
    lines = encode_pairs(encoder, mix, *sides)
    with torch.no_grad():
        expected = network(lines.batch(np.arange(len(sides[0])), CPU)).numpy()
    scorer = HeadScorer(network.head(mix))
    known = {line: scorer.line(scorer.rows(encoder.states([line])[0].values)) for line in LINES}
    found = [scorer.value(known[one], known[other]) for one, other in zip(*sides, strict=True)]
    assert np.ptp(expected) > 0.5
    assert found == pytest.approx(expected, abs=1e-5)
    # Of the relative form the value is the difference to the reference and itself, which a constant leaves alone.
    network.relative = True
    own = np.array([scorer.value(known[one], known[one]) for one in sides[0]])
    with torch.no_grad():
        relative = network(lines.batch(np.arange(len(sides[0])), CPU)).numpy() - scorer.constant
    assert found - own == pytest.approx(relative, abs=1e-5)
    numbers = [[LINES.index(line) for line in side] for side in sides]
    of_pairs = pair_values(scorer, [known[line] for line in LINES], *numbers, relative=True)
    assert of_pairs.tolist() == (found - own).tolist()
    assert not of_pairs[np.equal(*sides)].any()


def test_no_head_sees_what_it_predicts(config: TrainingConfig) -> None:
    folds = make_folds(JUDGMENTS)
    first = learned(config)
    own = folds.member == 0
    # Other scores of one fold change what heads say of the others, but not what is said of this one.
    changed = learned(config, replace(JUDGMENTS, scores=np.where(own, -JUDGMENTS.scores, JUDGMENTS.scores)))
    assert np.array_equal(first.values[own], changed.values[own])
    assert not np.array_equal(first.values[~own], changed.values[~own])


def test_a_model_scores_alike_in_any_company_and_on_any_threads(config: TrainingConfig) -> None:
    model = train(JUDGMENTS, config=config, threads=1)
    hypotheses, references = JUDGMENTS.hypotheses, JUDGMENTS.references
    together = Metric(model, 2).score_pairs(hypotheses, references)
    alone = [Metric(model, 1).score_pairs([h], [r])[0] for h, r in zip(hypotheses, references, strict=True)]
    assert together.tolist() == alone
    one = judgments_of(["a b"] * 4, ["a", "b", "c", "a b"], [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(PfsmError, match="two segments at least"):
        train(one, config=config)
    # What was learned has a weight, and without it scores differ.
    name = next(iter(model.settings.features))
    assert name.startswith("encoder(head=")
    assert model.weights[f"feature:{name}"] != 0.0
    assert model.training["encoder"]["passes"] in {1, 2}
    assert f"encoder(head={name[13:29]},source=net@" in Metric(model, 1).get_signature(1)


def texts(config: TrainingConfig) -> tuple[TrainingText, PairsText, Folds]:
    options = config.minimal_pairs
    assert options is not None
    text, folds = TrainingText(JUDGMENTS, None, config.settings), make_folds(JUDGMENTS)
    chosen = PairsToLearn(pairs_to_learn((JUDGMENTS, None), "en", options).pairs, ())
    return text, minimal_pairs_text(chosen, (JUDGMENTS, None), text.settings, options, folds), folds


def test_pairs_that_a_fold_holds_out_teach_its_head_nothing(with_pairs: TrainingConfig) -> None:
    text, made, folds = texts(with_pairs)
    held = made.in_fold[:, 0]
    others = replace(made, margins=np.where(held, 9.0, made.margins))
    first, second = (
        learning.learn(material(text, one, folds), folds, text.reader, with_pairs) for one in (made, others)
    )
    own = folds.member == 0
    assert np.array_equal(first.values[own], second.values[own])
    assert not np.array_equal(first.values[~own], second.values[~own])
    sides = np.concatenate([made.text.better[held], made.text.worse[held]])
    assert np.array_equal(first.of_pairs[sides], second.of_pairs[sides])
    assert not np.array_equal(first.of_pairs, second.of_pairs)


def test_the_loss_is_that_of_plain_loops(with_pairs: TrainingConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "PASSES_OVER_PAIRS", 1)
    text, made, folds = texts(with_pairs)
    given = material(text, made, folds)
    random = np.random.default_rng(3)
    values = torch.from_numpy(random.normal(size=len(given.references)))

    class Lines:
        lengths = np.ones(len(given.references), dtype=np.int64)

        def batch(self, pairs: Any, device: torch.device) -> Any:
            return pairs

    weight = 0.7
    lesson = Lesson(given, Lines(), 0.5, weight, torch.device("cpu"), None)  # type: ignore[arg-type]
    part = Part(np.arange(0, len(text), 2), np.arange(1, len(made), 3))
    loss = fitting._Loss(lesson, part)
    n_units = part.scored.size + part.preferences.size
    found = float(loss.of(values.__getitem__, np.arange(n_units)))  # type: ignore[arg-type]
    scores = text.scores[part.scored]
    expected = float(np.mean((values.numpy()[part.scored] - (scores - scores.mean()) / scores.std()) ** 2))
    for pair in part.preferences.tolist():
        apart = float(values[given.better[pair]] - values[given.worse[pair]])
        term = made.options.scale * math.log1p(math.exp((made.margins[pair] - apart) / made.options.scale))
        expected += weight * term / part.preferences.size
    assert found == pytest.approx(expected)


def test_a_model_learns_from_pairs_over_its_encoder(with_pairs: TrainingConfig) -> None:
    record = train(JUDGMENTS, config=with_pairs, threads=1).training
    assert record["encoder"]["minimal_pairs"] == 0.5
    assert set(record["minimal_pairs"]["held_out_lower"]) == set(KINDS) - {"number-form"}


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


def test_dropout_by_a_generator_of_its_own_is_pytorchs() -> None:
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


def test_training_resumes_after_an_interruption_in_the_middle(
    config: TrainingConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stop(Checkpoint):
        def keep_learned(self, name: str, content: bytes) -> None:
            super().keep_learned(name, content)
            raise KeyboardInterrupt

    path = tmp_path / "m.checkpoint"
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

    monkeypatch.setattr(learning, "fit_head", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(JUDGMENTS, config=config, threads=2, checkpoint=Stop(path, resume=True))
    # The third may have begun where the second has ended.
    assert FOLDS[0] in ended
    assert no_fit_goes_on()

    def counted(lesson: Lesson, part: Part, passes: int, seed: int, after: Any) -> Network:
        fits.append(seed)
        return fit_head(lesson, part, passes, seed, after)

    monkeypatch.setattr(learning, "fit_head", counted)
    again = train(JUDGMENTS, config=config, threads=2, checkpoint=Checkpoint(path, resume=True))
    assert sorted(fits) == [EVERYTHING, FOLDS[0], FOLDS[2]]
    assert again.to_dict() == whole.to_dict()


def test_an_error_in_a_fold_surfaces_and_ends_the_others(
    config: TrainingConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit(lesson: Lesson, part: Part, passes: int, seed: int, after: Any) -> Network:
        if seed == FOLDS[1]:
            raise PfsmError("the second fold is broken")
        until_abandoned(lesson)
        return fit_head(lesson, part, passes, seed, after)

    monkeypatch.setattr(learning, "fit_head", fit)
    with pytest.raises(PfsmError, match=r"^the second fold is broken$"):
        learned(config, threads=2)
    assert no_fit_goes_on()
